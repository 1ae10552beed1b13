package dispatch

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/record/postgres/pgtest"
)

// sharedField is a field whose record is in a database, which other hosts may write to.
func sharedField(t *testing.T) *field {
	t.Helper()
	dsn, err := pgtest.Server(t).Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Migrate(t.Context(), dsn, postgres.Roles{}); err != nil {
		t.Fatal(err)
	}
	log, err := postgres.Open(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	f := newField(t)
	f.log = log
	return f
}

func (f *field) leases() []record.Lease {
	f.Helper()
	all, err := f.log.(record.Leases).Leases(f.ctx, part)
	f.must(err)
	return all
}

// comes asks again until it holds, for as long as a loaded machine may take.
func (f *field) comes(what string, holds func() bool) {
	f.Helper()
	for range 3000 {
		if holds() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	f.Errorf("it does not come about that %s", what)
}

func TestTheLeaseOfAClaimIsRenewedWhileItIsDrivenAndGivenUpAtItsRelease(t *testing.T) {
	f := sharedField(t)
	f.mint("T-0001")
	f.mint("T-0002")
	f.script["T-0001"] = []turn{{do: func() {
		f.comes("it has a lease", func() bool { return len(f.leases()) > 0 })
		first := f.leases()[0]
		if claim := f.task("T-0001").Claim; first.Claim != claim.ID || first.Holder != "process 4711 on build-7" || first.Left > record.LeaseLasts {
			f.Errorf("the lease is %+v, and the claim %s", first, claim.ID)
		}
		f.comes("it grows old", func() bool { return f.leases()[0].Age > time.Millisecond })
		f.comes("it is renewed", func() bool { now := f.leases()[0]; return now.Left > first.Left && now.Age < time.Second })
	}}}
	f.script["T-0002"] = []turn{{do: func() {
		f.comes("the first task's is given up", func() bool { l := f.leases(); return len(l) == 1 && l[0].Claim == f.task("T-0002").Claim.ID })
	}}}
	r := f.run(Options{Renew: 10 * time.Millisecond})
	for _, id := range []string{"T-0001", "T-0002"} {
		if o := f.outcome(r, id); o.Outcome != IsLanded {
			f.Errorf("%+v", o)
		}
	}
	if left := f.leases(); len(left) != 0 {
		f.Errorf("after the run there are %+v", left)
	}
}

// leaseless is a store that lost the table of its leases.
type leaseless struct {
	*postgres.Log
	asked atomic.Int64
}

func (l *leaseless) Lease(context.Context, record.Partition, string, string, time.Duration) error {
	l.asked.Add(1)
	return errors.New("the table is gone")
}

func (l *leaseless) Leases(context.Context, record.Partition) ([]record.Lease, error) {
	return nil, errors.New("the table is gone")
}

func TestALeaseThatCannotBeRenewedIsToldOnceAndStopsNothing(t *testing.T) {
	f := sharedField(t)
	log := &leaseless{Log: f.log.(*postgres.Log)}
	f.log = log
	f.mint("T-0001")
	f.script["T-0001"] = []turn{{do: func() {
		f.comes("it was tried again", func() bool { return log.asked.Load() > 3 })
	}}}
	r := f.run(Options{Renew: time.Millisecond})
	if o := f.outcome(r, "T-0001"); o.Outcome != IsLanded {
		f.Errorf("%+v", o)
	}
	told := 0
	for _, n := range f.noted("warn") {
		if strings.Contains(n.Text, "for dead") && strings.Contains(n.Text, "the table is gone") {
			told++
		}
	}
	if told != 1 {
		f.Errorf("told %d times in %+v", told, f.notes)
	}
}

// late is a store that gives no lease up at the first word.
type late struct {
	*postgres.Log
	asked atomic.Int64
}

func (l *late) GiveUp(ctx context.Context, p record.Partition, claim string) error {
	if l.asked.Add(1) == 1 {
		return errors.New("not now")
	}
	return l.Log.GiveUp(ctx, p, claim)
}

func TestALeaseThatCouldNotBeGivenUpIsGivenUpLater(t *testing.T) {
	f := sharedField(t)
	f.log = &late{Log: f.log.(*postgres.Log)}
	f.mint("T-0001")
	f.mint("T-0002")
	f.script["T-0002"] = []turn{{do: func() {
		f.comes("the first task's is given up", func() bool { l := f.leases(); return len(l) == 1 && l[0].Claim == f.task("T-0002").Claim.ID })
	}}}
	f.run(Options{Renew: 10 * time.Millisecond})
	if left := f.leases(); len(left) != 0 {
		f.Errorf("after the run there are %+v", left)
	}
}

func TestAClaimOfAnotherHostIsNeverTakenOverAndItsLeaseIsTold(t *testing.T) {
	f := sharedField(t)
	for task, claim := range map[string]string{"T-0001": "stands", "T-0002": "ended", "T-0003": "none"} {
		f.mint(task)
		e, err := record.New(record.Claimed{Boot: "b", PID: 12, Start: "1", Worker: "1"}, noon, record.Envelope{Task: task, Claim: claim, Host: "build-2", Actor: record.Actor{Kind: record.ByDispatch}})
		f.must(err)
		_, err = f.log.Append(f.ctx, part, record.Always(), e)
		f.must(err)
	}
	store := f.log.(record.Leases)
	f.must(store.Lease(f.ctx, part, "stands", "process 12 on build-2", time.Minute))
	f.must(store.Lease(f.ctx, part, "ended", "process 12 on build-2", time.Millisecond))
	f.comes("a lease ends", func() bool { return f.leases()[0].Left < 0 })
	r := f.run(Options{Tasks: []string{"T-0001", "T-0002", "T-0003"}})
	f.wants()
	for i, says := range []string{"its lease stands (renewed ", "its lease ended ", "claimed just now"} {
		if len(r.HeldBy) != 3 || !strings.Contains(r.HeldBy[i], "on build-2, for ") || !strings.Contains(r.HeldBy[i], says) {
			f.Errorf("held by %q, want %s", r.HeldBy, says)
		}
		if o := r.Outcomes[i]; o.Outcome != IsWaiting || !strings.Contains(o.Reason, says) {
			f.Errorf("%+v", o)
		}
	}
	if got := f.leases(); len(got) != 2 {
		f.Errorf("of others' leases there are %+v", got)
	}
}

func TestInASharedRecordTheNameOfTheHostDoesNotMakeAClaimOurs(t *testing.T) {
	f := sharedField(t)
	f.mint("T-0001")
	f.mint("T-0002")
	// One more clone on this host, or another host that is called as this one is.
	f.append("T-0001", "elsewhere", 0, record.ByDispatch, record.Claimed{Boot: "b", PID: 12, Start: "1", Worker: "1"})
	f.append("T-0002", "here", 0, record.ByDispatch, record.Claimed{Boot: "b", PID: 13, Start: "1", Worker: "1"})
	release, _, err := f.repo.TryLock("claim-here") // its file stands in this repository
	f.must(err)
	release()
	f.must(f.log.(record.Leases).Lease(f.ctx, part, "here", "process 13 on build-7", time.Hour))
	r := f.run(Options{})
	f.wants("attempt T-0002 1 first", "land T-0002")
	if len(r.HeldBy) != 1 || !strings.Contains(r.HeldBy[0], "T-0001") || f.task("T-0001").Claim == nil {
		f.Errorf("held by %q", r.HeldBy)
	}
	if left := f.leases(); len(left) != 0 {
		f.Errorf("the lease of a claim that was taken over stays: %+v", left)
	}
}
