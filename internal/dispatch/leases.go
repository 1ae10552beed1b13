package dispatch

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"torve/internal/board"
	"torve/internal/record"
)

// leases are the claims of a run as other hosts see them, which cannot ask this one's
// platform: each has a row in the store that is renewed while the claim is driven. It decides
// nothing: what fences a run is its claim. A claim that is left open keeps its lease, which
// then ends by itself.
type leases struct {
	mu    sync.Mutex
	open  map[string]bool // claims to be renewed; true once that was done
	over  []string        // claims that were released
	moved chan struct{}   // open or over changed
}

// leaseAnswered is how long the store may take over one lease.
const leaseAnswered = 5 * time.Second

// take begins to renew the lease of a claim.
func (l *leases) take(claim string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open != nil {
		l.open[claim] = false
		l.stir()
	}
}

// leave renews the lease of a claim no more.
func (l *leases) leave(claim string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, claim)
}

// release gives up the lease of a claim that was released.
func (l *leases) release(claim string) {
	l.leave(claim)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open != nil {
		l.over = append(l.over, claim)
		l.stir()
	}
}

func (l *leases) stir() {
	select {
	case l.moved <- struct{}{}:
	default: // it is known already
	}
}

// due gives what is to be done now: the claims that were released, and those to renew, which
// between two ticks are the new ones.
func (l *leases) due(all bool) (over, renew []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	over, l.over = l.over, nil
	for claim, done := range l.open {
		if all || !done {
			l.open[claim] = true
			renew = append(renew, claim)
		}
	}
	return over, renew
}

// again leaves what could not be given up for the next time.
func (l *leases) again(over []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = append(l.over, over...)
}

// lease keeps the leases of the run's claims in a store that offers them, until the end that
// it gives is called.
func (r *run) lease(ctx context.Context) (end func()) {
	store, shared := r.Log.(record.Leases)
	if !shared || r.Options.DryRun {
		return func() {}
	}
	r.leases.open, r.leases.moved = map[string]bool{}, make(chan struct{}, 1)
	every := r.Options.Renew
	if every <= 0 {
		every = record.RenewEvery
	}
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		k := keeper{run: r, store: store}
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				k.keep(ctx, true)
			case <-r.leases.moved:
				k.keep(ctx, false)
			case <-done:
				k.keep(ctx, false)
				return
			}
		}
	}()
	return func() { close(done); <-over }
}

// keeper is who speaks to the store about leases: one at a time, so that none is renewed
// after it was given up.
type keeper struct {
	*run
	store record.Leases
	said  bool
}

// keep gives up what is over and renews what is due. What fails is told once, and left for
// the next time: a store that does not answer is not asked again at once.
func (k *keeper) keep(ctx context.Context, all bool) {
	over, renew := k.leases.due(all)
	for i, claim := range over {
		if !k.did(ctx, func(ctx context.Context) error { return k.store.GiveUp(ctx, k.Partition, claim) }) {
			k.leases.again(over[i:])
			return
		}
	}
	holder := fmt.Sprintf("process %d on %s", k.Self.PID, k.Host)
	for _, claim := range renew {
		if !k.did(ctx, func(ctx context.Context) error {
			return k.store.Lease(ctx, k.Partition, claim, holder, record.LeaseLasts)
		}) {
			return
		}
	}
}

func (k *keeper) did(ctx context.Context, do func(context.Context) error) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseAnswered)
	defer cancel()
	err := do(ctx)
	if err != nil && !k.said {
		k.said = true
		k.note(Note{Kind: "warn", Text: "other hosts may take what runs here for dead; nothing is taken from it: " + err.Error()})
	}
	return err == nil
}

// look reads the leases of others where one of their claims cannot be asked for here.
func (r *run) look(ctx context.Context, tasks []*board.Task) {
	store, shared := r.Log.(record.Leases)
	if !shared || !slices.ContainsFunc(tasks, func(t *board.Task) bool { return !r.holds(t.Claim.ID) && !r.MadeHere(t.Claim) }) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, leaseAnswered)
	defer cancel()
	all, err := store.Leases(ctx, r.Partition)
	if err != nil {
		r.note(Note{Kind: "warn", Text: "whether the leases of other hosts stand is not told: " + err.Error()})
		return
	}
	r.theirs = map[string]record.Lease{}
	for _, l := range all {
		r.theirs[l.Claim] = l
	}
}

// heldBy names a task's holder and the claim's age; of one that cannot be asked for here, what
// its lease says, where leases were read.
func (r *run) heldBy(t *board.Task) string {
	c := t.Claim
	ago := r.Now().Sub(c.At)
	text := fmt.Sprintf("%s is held by process %d on %s, for %s", t.ID, c.PID, c.Host, record.Roughly(ago))
	if r.theirs == nil || r.MadeHere(c) {
		return text
	}
	return text + ", " + record.LeaseWords(r.theirs, c.ID, ago)
}
