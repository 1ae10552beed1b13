package recordtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"torve/internal/record"
)

// leases gives the log as a store of leases, which a driver need not be.
func leases(t *testing.T, d Driver) (record.Log, record.Leases) {
	t.Helper()
	l := open(t, d)
	s, can := l.(record.Leases)
	if !can {
		t.Skip("this driver keeps no leases")
	}
	return l, s
}

func leased(t *testing.T, s record.Leases, claim string) record.Lease {
	t.Helper()
	got, err := s.Leased(context.Background(), part, claim)
	ok(t, err)
	return got
}

func none(t *testing.T, s record.Leases, p record.Partition, claim string) {
	t.Helper()
	if got, err := s.Leased(context.Background(), p, claim); !errors.Is(err, record.ErrNone) {
		t.Errorf("the lease of %s in %s is %+v, %v", claim, p, got, err)
	}
}

func leasesStand(t *testing.T, d Driver) {
	l, s := leases(t, d)
	ctx := context.Background()
	none(t, s, part, "c1")
	ok(t, s.GiveUp(ctx, part, "c1"))
	add(t, l, part, claim(t, "T-0001", "c1"))
	none(t, s, part, "c1") // a claim has none by itself

	ok(t, s.Lease(ctx, part, "c1", "build1:42", time.Minute))
	if got := leased(t, s, "c1"); got.Claim != "c1" || got.Holder != "build1:42" ||
		got.Left <= 0 || got.Left > time.Minute || got.Age < 0 || got.Age+got.Left > time.Minute+time.Millisecond {
		t.Errorf("a lease of a minute is %+v", got)
	}
	none(t, s, part, "c2")
	none(t, s, "acme/other", "c1")

	ok(t, s.Lease(ctx, part, "c1", "build1:43", time.Hour))
	if got := leased(t, s, "c1"); got.Holder != "build1:43" || got.Left <= time.Minute {
		t.Errorf("renewed for an hour it is %+v", got)
	}
	ok(t, s.GiveUp(ctx, part, "c1"))
	none(t, s, part, "c1")
	if got := all(t, l, part, 1); len(got) != 1 {
		t.Errorf("%d events, and a lease is none", len(got))
	}
	sound(t, l)
}

func leasesEnd(t *testing.T, d Driver) {
	_, s := leases(t, d)
	ctx := context.Background()
	ok(t, s.Lease(ctx, part, "c1", "build1", time.Millisecond))
	for range 2000 {
		got := leased(t, s, "c1")
		if got.Left < 0 { // it is told, with its holder, and by nobody taken away
			if got.Holder != "build1" || got.Age <= 0 {
				t.Errorf("ended it is %+v", got)
			}
			ok(t, s.Lease(ctx, part, "c1", "build1", time.Minute)) // who came late may still renew: the fence is the claim
			if got := leased(t, s, "c1"); got.Left <= 0 {
				t.Errorf("renewed it is %+v", got)
			}
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("it does not end")
}

func leasesOfMany(t *testing.T, d Driver) {
	l, s := leases(t, d)
	ctx := context.Background()
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			id := fmt.Sprint("c", i)
			for range 5 {
				if err := s.Lease(ctx, part, id, "host", time.Minute); err != nil {
					t.Error(err)
				}
			}
			if i%2 == 1 {
				if err := s.GiveUp(ctx, part, id); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	all, err := s.Leases(ctx, part)
	ok(t, err)
	if got := fmt.Sprint(claims(all)); got != "[c0 c10 c12 c14 c2 c4 c6 c8]" {
		t.Errorf("there are leases of %s", got)
	}
	if other, err := s.Leases(ctx, "acme/other"); err != nil || len(other) != 0 {
		t.Errorf("another partition has %d, %v", len(other), err)
	}
	for i := range 16 {
		if id := fmt.Sprint("c", i); i%2 == 1 {
			none(t, s, part, id)
		} else if got := leased(t, s, id); got.Left <= 0 {
			t.Errorf("%+v", got)
		}
	}
	ok(t, l.Close())
	if err := s.Lease(ctx, part, "c1", "host", time.Minute); !errors.Is(err, record.ErrClosed) {
		t.Errorf("of a closed log: %v", err)
	}
	if _, err := s.Leases(ctx, part); !errors.Is(err, record.ErrClosed) {
		t.Errorf("of a closed log: %v", err)
	}
}

func claims(all []record.Lease) (ids []string) {
	for _, l := range all {
		ids = append(ids, l.Claim)
	}
	return ids
}
