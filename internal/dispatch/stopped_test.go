package dispatch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"torve/internal/board"
	"torve/internal/record"
)

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
