package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/record/postgres/pgtest"
)

// The server is killed with all its processes, twice, while sixteen append and one watches.
// Whoever was told that his event is written finds it, none is there twice, no seq is left
// out, and all go on by themselves.
func TestAServerThatIsKilledAmongSixteenWritersLosesNothing(t *testing.T) {
	t.Parallel()
	c := pgtest.Own(t)
	dsn := c.Database(t)
	if _, err := postgres.Migrate(t.Context(), dsn, postgres.Roles{}); err != nil {
		t.Fatal(err)
	}
	seqs := watched(t, plainly(t, dsn))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	crowd := begin(t, ctx, dsn, 16)
	for range 2 {
		crowd.writes(t, 50)
		c.Kill(t)
		time.Sleep(100 * time.Millisecond) // they try while nobody listens
		c.Restart(t)
	}
	crowd.writes(t, 50)
	stop()
	crowd.Wait()

	l := plainly(t, dsn)
	there := map[string]record.Seq{}
	for _, e := range events(t, l) {
		there[e.ID] = e.Seq
		comes(t, seqs, e.Seq)
	}
	for id, seq := range crowd.acknowledged {
		if there[id] != seq {
			t.Errorf("%s was acknowledged as event %d, and is event %d", id, seq, there[id])
		}
	}
	if len(there) != len(crowd.acknowledged) {
		t.Errorf("%d events are there, and %d were acknowledged", len(there), len(crowd.acknowledged))
	}
	if err := l.Check(t.Context(), part); err != nil {
		t.Error(err)
	}
}

// crowd are writers that append until they are stopped, each after the one it is at is done.
type crowd struct {
	sync.WaitGroup
	mu           sync.Mutex
	acknowledged map[string]record.Seq
	by           []int // how many of each
}

func begin(t *testing.T, until context.Context, dsn string, many int) *crowd {
	c := &crowd{acknowledged: map[string]record.Seq{}, by: make([]int, many)}
	for w := range many {
		l := plainly(t, dsn)
		c.Go(func() {
			for i := 0; until.Err() == nil; i++ {
				e := note(t, fmt.Sprint(w, i))
				seq, err := l.Append(context.Background(), part, record.Always(), e)
				if err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
				c.mu.Lock()
				c.acknowledged[e.ID] = seq
				c.by[w]++
				c.mu.Unlock()
			}
		})
	}
	return c
}

// writes waits until each has written something more, and all together so much.
func (c *crowd) writes(t *testing.T, more int) {
	t.Helper()
	c.mu.Lock()
	before, all := append([]int{}, c.by...), len(c.acknowledged)
	c.mu.Unlock()
	eventually(t, "every writer goes on", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for w, n := range c.by {
			if n == before[w] {
				return false
			}
		}
		return len(c.acknowledged) >= all+more
	})
}
