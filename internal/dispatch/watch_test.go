package dispatch

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/record"
	"torve/internal/truth"
)

// watching is a run that stays, in the background.
type watching struct {
	*field
	s     *Station
	stop  chan struct{}
	over  chan Report
	reads atomic.Int32 // how often the carriers were gathered
	heads atomic.Int32 // how often the head was asked
}

func (f *field) watch(o Options, change func(*Station)) *watching {
	w := &watching{field: f, stop: make(chan struct{}), over: make(chan Report, 1)}
	o.Watch, o.Stop = true, w.stop
	w.s = f.station(o)
	gather := w.s.Gather
	w.s.Gather = func(ctx context.Context) (*truth.Reading, error) { w.reads.Add(1); return gather(ctx) }
	w.s.Head = func(ctx context.Context) (string, error) {
		w.heads.Add(1)
		return f.repo.Resolve(ctx, "refs/heads/main")
	}
	if change != nil {
		change(w.s)
	}
	go func() {
		r, err := w.s.Run(f.ctx)
		if err != nil {
			f.Error(err)
		}
		w.over <- r
	}()
	return w
}

// until waits for something.
func (f *field) until(what string, is func() bool) {
	f.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			f.Fatalf("waited in vain: %s", what)
		}
	}
}

func (w *watching) ends() Report {
	w.Helper()
	close(w.stop)
	return w.report()
}

func (w *watching) report() Report {
	w.Helper()
	select {
	case r := <-w.over:
		return r
	case <-time.After(30 * time.Second):
		w.Fatal("the watch does not end")
		return Report{}
	}
}

func (w *watching) idle() {
	w.Helper()
	w.until("it watches", func() bool { return w.said("watching") == 1 })
}

func (f *field) said(kind string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.noted(kind))
}

func (f *field) landed(id string) func() bool {
	return func() bool { return f.task(id) != nil && f.task(id).State == board.Landed && f.task(id).Claim == nil }
}

func TestAWatchTakesUpWhatComesAndSaysOnceThatItWatches(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	w := f.watch(Options{}, nil)
	w.idle()
	f.mint("T-0002")
	f.until("T-0002 lands", f.landed("T-0002"))
	f.mint("T-0003")
	f.until("T-0003 lands", f.landed("T-0003"))
	r := w.ends()
	if f.said("watching") != 1 || len(r.Outcomes) != 3 || r.Stopped || r.Limit.By != "" {
		t.Errorf("%d times, %+v", f.said("watching"), r)
	}
}

func TestAWatchSaysTheWorstCaseBeforeTheFirstStart(t *testing.T) {
	f := newField(t)
	var said atomic.Int32
	w := f.watch(Options{}, func(s *Station) {
		s.Begin = func(worst Worst) {
			if said.Add(1); worst.Tasks != 1 || !worst.Watch || len(f.did) > 0 {
				t.Errorf("%+v after %v", worst, f.did)
			}
		}
	})
	w.idle()
	if said.Load() != 0 {
		t.Error("it was said although there is nothing to start")
	}
	f.mint("T-0001") // by another, so that no mint pass of this run tells of it
	f.until("T-0001 lands", f.landed("T-0001"))
	if w.ends(); said.Load() != 1 {
		t.Errorf("said %d times", said.Load())
	}
}

func TestAWatchMintsOnEachHeadAndSaysABrokenContractOnce(t *testing.T) {
	f := newField(t)
	var passes atomic.Int32
	w := f.watch(Options{}, func(s *Station) {
		s.Mint = func(context.Context) ([]MintNote, error) {
			if n := passes.Add(1); n == 2 {
				f.mint("T-0002")
				return []MintNote{{ID: "T-0001", Outcome: "broken", Text: "broken T-0001"}, {ID: "T-0002", Outcome: "minted", Text: "minted T-0002"}}, nil
			}
			return []MintNote{{ID: "T-0001", Outcome: "broken", Text: "broken T-0001"}}, nil
		}
	})
	w.idle()
	f.move("one")
	f.until("T-0002 lands", f.landed("T-0002"))
	f.until("the head of the landing is minted", func() bool { return passes.Load() >= 3 })
	f.move("two")
	f.until("another pass", func() bool { return passes.Load() >= 4 })
	w.ends()
	if n := f.noted("minted"); len(n) != 2 {
		t.Errorf("%+v", n)
	}
}

// move puts a commit of nothing on main.
func (f *field) move(message string) {
	f.Helper()
	f.user.Git("update-ref", "refs/heads/main", f.user.Git("commit-tree", "-p", "main", "-m", message, "main^{tree}"))
}

func TestAnIdleWatchReadsNoCarrierAndAsksForTheHeadOncePoll(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	w := f.watch(Options{Poll: 40 * time.Millisecond}, nil)
	w.idle()
	time.Sleep(200 * time.Millisecond) // its own facts have come by
	reads, heads := w.reads.Load(), w.heads.Load()
	time.Sleep(400 * time.Millisecond)
	reads, heads = w.reads.Load()-reads, w.heads.Load()-heads
	w.ends()
	if reads != 0 || heads < 1 || heads > 11 {
		t.Errorf("an idle watch gathered %d times and asked for the head %d times in ten polls", reads, heads)
	}
}

func TestAWatchTakesOverWhatDiesWhileItStays(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	die, _, err := f.repo.TryLock(lockName("other"))
	f.must(err)
	f.append("T-0001", "other", 0, record.ByDispatch, record.Claimed{Boot: "b", PID: 12, Start: "1", Worker: "1"})
	w := f.watch(Options{}, nil)
	w.idle()
	if f.task("T-0001").Claim.ID != "other" {
		t.Fatal("it was taken over while its holder lives")
	}
	die() // no event tells of it
	f.until("T-0001 lands", f.landed("T-0001"))
	w.ends()
}

func TestAWatchAsksARedBaseAgainOnTheNextHeadOnly(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.script["T-0001"] = []turn{{red: "sh test.sh exited 1"}}
	w := f.watch(Options{}, nil)
	w.idle()
	f.mint("T-0002") // wakes it, and the base is as red as before
	time.Sleep(200 * time.Millisecond)
	f.mu.Lock()
	did := len(f.did)
	f.mu.Unlock()
	if did != 1 {
		t.Errorf("did %v", f.did)
	}
	f.move("mended")
	f.until("T-0001 lands", f.landed("T-0001"))
	f.until("T-0002 lands", f.landed("T-0002"))
	if r := w.ends(); r.BaseRed != "" || r.NeedsPerson() {
		t.Errorf("%+v", r)
	}
}

func TestAWatchWakesAtTheTimeOfAQuotaByTheClockOnTheWall(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.script["T-0001"] = []turn{{end: "quota", until: noon.Add(30 * time.Hour)}} // beyond every wait
	w := f.watch(Options{Wait: time.Hour}, nil)
	w.idle()
	f.at(noon.Add(31 * time.Hour)) // the machine slept, and no timer of its went on
	f.until("T-0001 lands", f.landed("T-0001"))
	w.ends()
}

func TestAWatchEndsAtUntilAndByMoney(t *testing.T) {
	until := noon.Add(time.Hour)
	t.Run("nothing is left", func(t *testing.T) {
		f := newField(t)
		w := f.watch(Options{Until: until}, nil)
		w.idle()
		f.at(until)
		if r := w.report(); r.Limit.By != "" || r.Stopped {
			t.Errorf("%+v", r)
		}
	})
	t.Run("a task is left", func(t *testing.T) {
		f := newField(t)
		f.mint("T-0001")
		f.script["T-0001"] = []turn{{end: "quota", until: noon.Add(9 * time.Hour)}}
		w := f.watch(Options{Until: until}, nil)
		w.idle()
		f.at(until)
		if r := w.report(); r.Limit.By != ByQuota || r.Limit.Tasks != 1 { // it waits for its own time, which is later
			t.Errorf("%+v", r)
		}
	})
	t.Run("money", func(t *testing.T) {
		f := newField(t)
		f.mint("T-0001")
		f.script["T-0001"] = []turn{{usd: 2}}
		f.mint("T-0002")
		w := f.watch(Options{USD: 1, Workers: 1, Priced: priced}, nil)
		if r := w.report(); r.Limit.By != ByUSD || r.Limit.Tasks != 1 {
			t.Errorf("%+v", r)
		}
	})
}

func TestTheFirstStopOfAWatchLetsWhatRunsFinish(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002")
	started, goOn := make(chan struct{}), make(chan struct{})
	f.script["T-0001"] = []turn{{do: func() { close(started); <-goOn }}}
	w := f.watch(Options{Workers: 1}, nil)
	<-started
	close(w.stop)
	close(goOn)
	r := w.report()
	if f.outcome(r, "T-0001").Outcome != IsLanded || !r.Stopped || r.Interrupted || len(r.Waits) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestAWatchOutlivesARemoteThatIsOutOfReach(t *testing.T) {
	f := newField(t)
	var broken atomic.Bool
	w := f.watch(Options{}, func(s *Station) {
		gather := s.Gather
		s.Gather = func(ctx context.Context) (*truth.Reading, error) {
			if broken.Load() {
				return nil, errors.New("fetching the target: no route to host")
			}
			return gather(ctx)
		}
	})
	w.idle()
	broken.Store(true)
	f.mint("T-0001")
	f.until("it is said", func() bool { return f.said("warn") == 1 })
	time.Sleep(100 * time.Millisecond)
	broken.Store(false)
	f.until("T-0001 lands", f.landed("T-0001"))
	if w.ends(); f.said("warn") != 1 {
		t.Errorf("%+v", f.noted("warn"))
	}
}

func TestAWatchEndsWhenNothingCanBeReadForAnHour(t *testing.T) {
	f := newField(t)
	var broken atomic.Bool
	s := f.station(Options{Watch: true})
	gather := s.Gather
	s.Gather = func(ctx context.Context) (*truth.Reading, error) {
		if broken.Load() {
			f.at(f.tick().Add(20 * time.Minute))
			return nil, errors.New("the disk is gone")
		}
		return gather(ctx)
	}
	s.Note = func(n Note) {
		if n.Kind == "watching" {
			broken.Store(true)
		}
	}
	over := make(chan error, 1)
	go func() { _, err := s.Run(f.ctx); over <- err }()
	select {
	case err := <-over:
		if err == nil || !strings.Contains(err.Error(), "the disk is gone") {
			t.Errorf("%v", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it goes on for ever")
	}
}

func TestAFreeWorkerTakesUpATaskWhoseTimeComesWhileAnotherRuns(t *testing.T) {
	f := newField(t)
	f.mint("T-0001", func(c *contract.Contract) { c.Priority = 1 })
	f.mint("T-0002")
	f.script["T-0001"] = []turn{{end: "quota", until: noon.Add(time.Hour)}}
	f.script["T-0002"] = []turn{{do: func() {
		f.until("T-0001 waits", func() bool { return f.task("T-0001").NotBefore.After(noon) && f.task("T-0001").Claim == nil })
		f.at(noon.Add(2 * time.Hour))
		f.until("T-0001 lands beside it", f.landed("T-0001"))
	}}}
	r := f.run(Options{Workers: 2})
	for i, id := range []string{"T-0001", "T-0002"} {
		if o := f.outcome(r, id); o.Outcome != IsLanded {
			t.Errorf("%d: %+v", i, o)
		}
	}
}
