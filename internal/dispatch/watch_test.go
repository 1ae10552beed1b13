package dispatch

import (
	"context"
	"errors"
	"fmt"
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
		if r := w.report(); r.Limit.By != ByUntil || r.Limit.Tasks != 1 {
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
	var w *watching
	started := make(chan struct{})
	f.script["T-0001"] = []turn{{do: func() { close(started); <-w.stop; time.Sleep(50 * time.Millisecond) }}}
	w = f.watch(Options{Workers: 1}, nil)
	<-started
	r := w.ends()
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

func TestTheTargetIsKnownGreenAtTheEnd(t *testing.T) {
	for _, c := range []struct {
		name   string
		moved  bool
		fails  bool
		red    string
		err    error
		asked  int
		person bool
	}{
		{name: "the gate passed that very tree"},
		{name: "a person moved it, and it is green", moved: true, asked: 1},
		{name: "a person moved it, and it is red", moved: true, red: "go test ./... exited 1", asked: 1, person: true},
		{name: "it cannot be asked", moved: true, err: errors.New("no space left"), asked: 1},
		{name: "nothing landed", moved: true, fails: true, person: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newField(t)
			f.mint("T-0001")
			if c.fails {
				f.script["T-0001"] = []turn{{check: "verb", reason: "no"}}
			}
			s := f.station(Options{})
			asked := 0
			s.Hands.Green = func(_ context.Context, head string) (string, error) {
				if asked++; head != f.head() {
					t.Errorf("asked of %s", head)
				}
				return c.red, c.err
			}
			s.Hands.Done = func(context.Context, string, int) error {
				if c.moved {
					f.move("by hand")
				}
				return nil
			}
			r, err := s.Run(f.ctx)
			f.must(err)
			if asked != c.asked || r.Green.Red != c.red || r.NeedsPerson() != c.person || (r.Green.Why != "") != (c.err != nil) {
				t.Errorf("asked %d times, %+v", asked, r.Green)
			}
		})
	}
}

func TestAPersonStopsOneTaskAndTheOthersGoOn(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002")
	f.script["T-0001"] = []turn{{end: "stopped", stopped: true}}
	f.script["T-0002"] = []turn{{do: func() {
		f.until("T-0001 runs", func() bool { return f.task("T-0001").State == board.Running })
		f.append("T-0001", f.task("T-0001").Claim.ID, 0, record.ByPerson, record.Message{To: f.task("T-0001").Claim.ID, Text: record.Stop})
	}}}
	r := f.run(Options{Workers: 2})
	if o := f.outcome(r, "T-0001"); o.Outcome != IsEscalated || o.Why != "killed" || o.Next == "" {
		t.Errorf("%+v", o)
	}
	task := f.task("T-0001")
	if task.State != board.Escalated || task.Escalation.Reason != "killed" || task.Counted != 0 || task.Attempts[0].Finished.Ref == "" {
		t.Errorf("%+v", task)
	}
	if f.outcome(r, "T-0002").Outcome != IsLanded {
		t.Errorf("%+v", r.Outcomes)
	}
}

func TestATaskIsStoppedBetweenItsAttemptsToo(t *testing.T) {
	for name, script := range map[string][]turn{
		"after a no":                  {{check: "reach", reason: "red"}},
		"before it would land":        {{}},
		"while a fault is waited out": {{err: errors.New("disk")}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newField(t)
			f.mint("T-0001")
			s := f.station(Options{Backoff: []time.Duration{time.Minute}})
			stop := func() {
				claim := f.task("T-0001").Claim.ID
				f.append("T-0001", claim, 0, record.ByPerson, record.Message{To: claim, Text: record.Stop})
			}
			attempt := s.Hands.Attempt
			f.script["T-0001"] = script
			s.Hands.Attempt = func(ctx context.Context, j Job) (Ended, error) {
				e, err := attempt(ctx, j)
				stop()
				<-j.Stop
				return e, err
			}
			r, err := s.Run(f.ctx)
			f.must(err)
			if o := f.outcome(r, "T-0001"); len(f.did) != 1 || o.Outcome != IsEscalated || o.Why != "killed" || f.task("T-0001").State != board.Escalated {
				t.Errorf("did %v, %+v", f.did, o)
			}
		})
	}
}

func TestAMessageForAnotherClaimOrFromAnAgentStopsNothing(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.script["T-0001"] = []turn{{do: func() {
		claim := f.task("T-0001").Claim.ID
		f.append("T-0001", claim, 0, record.ByPerson, record.Message{To: "another", Text: record.Stop})
		f.append("T-0001", claim, 0, record.ByAgent, record.Message{To: claim, Text: record.Stop})
		f.append("T-0001", claim, 0, record.ByPerson, record.Message{To: claim, Text: "go on"})
		time.Sleep(300 * time.Millisecond)
	}}}
	if r := f.run(Options{}); f.outcome(r, "T-0001").Outcome != IsLanded {
		t.Errorf("%+v", r.Outcomes)
	}
}

func TestAPanicOfAWorkerIsThatJobsResult(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002")
	s := f.station(Options{Workers: 1})
	note := s.Note
	s.Note = func(n Note) {
		if n.Kind == "started" && n.Task == "T-0001" {
			panic("a fault of ours")
		}
		note(n)
	}
	r, err := s.Run(f.ctx)
	f.must(err)
	if o := f.outcome(r, "T-0001"); o.Why != "infrastructure" || o.Outcome != IsWaiting {
		t.Errorf("%+v", o)
	}
	if f.outcome(r, "T-0002").Outcome != IsLanded || f.task("T-0001").Claim != nil {
		t.Errorf("%+v", r.Outcomes)
	}
}

func TestAnAgentThatIsNotOnThisHostIsNotTriedAgain(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	s := f.station(Options{Backoff: []time.Duration{time.Hour}})
	s.Hands.Attempt = func(context.Context, Job) (Ended, error) {
		f.did = append(f.did, "attempt")
		return Ended{End: "unavailable", Why: "the program x is not on the PATH", Missing: true}, nil
	}
	r, err := s.Run(f.ctx)
	f.must(err)
	f.wants("attempt")
	if o := f.outcome(r, "T-0001"); o.Why != "agent_unavailable" || !strings.Contains(o.Reason, "PATH") {
		t.Errorf("%+v", o)
	}
}

func TestASecondInterruptBeforeAnythingIsClaimedIsAnInterrupt(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	ctx, cancel := context.WithCancel(f.ctx)
	s := f.station(Options{})
	s.Begin = func(Worst) { cancel() }
	r, err := s.Run(ctx)
	if err != nil || !r.Interrupted || len(f.did) != 0 {
		t.Errorf("%v, %+v", err, r)
	}
	stop := make(chan struct{})
	s = f.station(Options{Stop: stop})
	s.Begin = func(Worst) { close(stop) }
	r, err = s.Run(f.ctx)
	if err != nil || r.Interrupted || !r.Stopped || len(f.did) != 0 || f.task("T-0001").Claim != nil {
		t.Errorf("%v, %+v, did %v", err, r, f.did)
	}
}

func TestTheFirstStopEndsTheWaitForAQuotaAtOnce(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.script["T-0001"] = []turn{{end: "quota", until: noon.Add(time.Hour)}}
	stop := make(chan struct{})
	s := f.station(Options{Wait: 2 * time.Hour, Stop: stop})
	s.Note = func(n Note) {
		if n.Kind == "waits" && n.Task == "" {
			close(stop)
		}
	}
	r, err := s.Run(f.ctx)
	f.must(err)
	if !r.Stopped || r.Interrupted || r.Limit.By != "" || len(f.did) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestOneTaskAndTwentyDispatchersMakeOneAttempt(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	over := make(chan error)
	for range 20 {
		s := f.stationOver(f.open(), Options{})
		go func() { _, err := s.Run(f.ctx); over <- err }()
	}
	for range 20 {
		f.must(<-over)
	}
	if fmt.Sprint(f.did) != "[attempt T-0001 1 first land T-0001]" {
		t.Errorf("did %v", f.did)
	}
}
