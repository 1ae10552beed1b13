package dispatch

import (
	"context"
	"strings"
	"testing"
	"time"

	"torve/internal/board"
)

func TestTheFirstStopLetsWhatRunsFinishAndStartsNothingMore(t *testing.T) {
	f := newField(t)
	stop := make(chan struct{})
	f.mint("T-0001")
	f.mint("T-0002")
	f.script["T-0001"] = []turn{{do: func() { close(stop) }}}
	r := f.run(Options{Workers: 1, Stop: stop})
	f.wants("attempt T-0001 1 first", "land T-0001")
	if !r.Stopped || r.Interrupted || f.outcome(r, "T-0001").Outcome != IsLanded {
		t.Errorf("%+v", r)
	}
}

func TestAfterTheFirstStopNoRepairIsBought(t *testing.T) {
	f := newField(t)
	stop := make(chan struct{})
	f.mint("T-0001")
	f.script["T-0001"] = []turn{{check: "reach", reason: "red", do: func() { close(stop) }}}
	r := f.run(Options{Stop: stop})
	f.wants("attempt T-0001 1 first")
	if o := f.outcome(r, "T-0001"); o.Outcome != IsInterrupted || !r.Stopped || r.Interrupted {
		t.Errorf("%+v", o)
	}
	f.did = nil
	f.run(Options{})
	f.wants("attempt T-0001 2 repair", "land T-0001")
}

func TestAnInterruptedAttemptIsQueuedAndGoesOnFromItsTree(t *testing.T) {
	f := newField(t)
	ctx, cancel := context.WithCancel(f.ctx)
	f.mint("T-0001")
	f.script["T-0001"] = []turn{{do: cancel}}
	r, err := f.station(Options{}).Run(ctx)
	f.must(err)
	o := f.outcome(r, "T-0001")
	if o.Outcome != IsInterrupted || !r.Interrupted || o.Attempts != 1 || o.Attempt != 1 {
		t.Errorf("%+v", o)
	}
	task := f.task("T-0001")
	if task.State != board.Queued || task.Claim != nil || task.Counted != 0 {
		t.Errorf("the task is %s, %d counted", task.State, task.Counted)
	}
	f.did = nil
	f.run(Options{})
	f.wants("attempt T-0001 2 continue", "land T-0001")
	if from := f.jobs[1].From; from == "" || from != f.task("T-0001").Attempts[0].Finished.Head {
		t.Errorf("it went on from %q", from)
	}
}

func TestAQuotaWaitsForTheTimeStatedAndOthersGoOn(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002")
	f.script["T-0001"] = []turn{{end: "quota", until: noon.Add(3 * time.Hour)}}
	r := f.run(Options{Workers: 1})
	f.wants("attempt T-0001 1 first", "attempt T-0002 1 first", "land T-0002")
	if o := f.outcome(r, "T-0001"); o.Outcome != IsWaiting || !strings.Contains(o.Reason, "15:00:00Z") {
		t.Errorf("%+v", o)
	}
	if want := (Limit{By: ByQuota, Tasks: 1, Until: noon.Add(3 * time.Hour), Agent: "command"}); r.Limit != want || r.NeedsPerson() {
		t.Errorf("the limit is %+v", r.Limit)
	}
	f.clock = noon.Add(4 * time.Hour)
	f.did = nil
	f.run(Options{})
	f.wants("attempt T-0001 2 continue", "land T-0001")
	if f.task("T-0001").Counted != 1 {
		t.Error("the attempt that met the quota counted")
	}
}

func TestAQuotaWithinTheWaitIsWaitedFor(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.script["T-0001"] = []turn{{end: "quota"}}
	f.script["T-0001"][0].do = func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.script["T-0001"] = nil
	}
	s := f.station(Options{Wait: time.Hour})
	s.Now = time.Now
	until := time.Now().Add(1200 * time.Millisecond)
	f.script["T-0001"][0].until = until
	r, err := s.Run(f.ctx)
	f.must(err)
	f.wants("attempt T-0001 1 first", "attempt T-0001 2 continue", "land T-0001")
	if o := f.outcome(r, "T-0001"); o.Outcome != IsLanded || o.Attempts != 2 || o.Seconds == nil || *o.Seconds != 4 {
		t.Errorf("%+v", o)
	}
}

func TestAQuotaWithoutATimeIsWaitedForLongerEachTimeAndNeverPastAnHour(t *testing.T) {
	for n, want := range []time.Duration{5 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 40 * time.Minute, time.Hour, time.Hour} {
		if got := unstated(n); got != want {
			t.Errorf("the %dth in a row is waited for %s, want %s", n, got, want)
		}
	}
	if got := unstated(1000); got != time.Hour {
		t.Errorf("the 1000th is waited for %s", got)
	}
}
