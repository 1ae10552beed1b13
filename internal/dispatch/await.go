package dispatch

import (
	"context"
	"time"

	"torve/internal/board"
	"torve/internal/truth"
)

// defaultPoll is how often a run that waits looks at the clock, the target's head and the
// holders of other claims.
const defaultPoll = 5 * time.Second

// await waits until something may start, or the run may end: a worker comes back, the
// record was moved by others, a time has come, the target's head is another. Times are
// of the clock on the wall, which goes on while the machine sleeps; a timer stands still.
func (r *run) await(ctx context.Context) {
	poll := r.Options.Poll
	if poll <= 0 {
		poll = defaultPoll
	}
	tick := time.NewTicker(poll)
	defer tick.Stop()
	done, stop := ctx.Done(), r.Options.Stop
	if r.stopping(ctx) { // only what runs is waited for
		if r.running == 0 {
			return
		}
		done, stop = nil, nil
	}
	for {
		select {
		case res := <-r.results:
			r.took(ctx, res)
			return
		case <-done:
			return
		case <-stop:
			return
		case <-r.ears.stirred:
			if r.idle(ctx) {
				return
			}
		case <-tick.C:
			if r.idle(ctx) && r.due(ctx) {
				return
			}
		}
	}
}

// idle reports whether a worker is free and may be given something.
func (r *run) idle(ctx context.Context) bool {
	return r.err == nil && r.running < max(1, r.Options.Workers) && !r.stopping(ctx)
}

// due reports whether something has changed that no event tells of. It reads no more than
// a clock, and for one who watches a ref and some locks.
func (r *run) due(ctx context.Context) bool {
	switch {
	case r.running == 0 && r.over() != "":
		return true
	case !r.wake.IsZero() && !r.Now().Before(r.wake):
		return true
	case !r.Options.Watch:
		return false
	}
	if !r.ill.IsZero() || r.died() {
		return true
	}
	head, err := r.head(ctx)
	return err != nil || head != r.passed
}

// died reports whether the holder of another's claim is gone.
func (r *run) died() bool {
	for _, t := range r.others {
		h, dead, err := r.dead(t)
		if err == nil && dead {
			h.unlock()
		}
		if err != nil || dead {
			return true
		}
	}
	return false
}

// goesOn reports whether a run in which nothing runs and nothing can start has something
// to wait for.
func (r *run) goesOn(ctx context.Context) bool {
	switch {
	case r.err != nil || r.stopping(ctx) || r.over() != "":
		return false
	case r.Options.Watch:
		r.once("watch", Note{Kind: "watching", Text: "new contracts, other heads, answers and quotas; Ctrl-C ends it"})
		return true
	}
	return r.waitsForQuota()
}

// waitsForQuota reports whether the first task whose time comes is waited for: within
// until, where the run has one, else within the wait that is allowed. A time beyond that
// is a limit that ends the run.
func (r *run) waitsForQuota() bool {
	until, waiting := r.nextTime(r.last)
	if len(waiting) == 0 {
		return false
	}
	most := r.Now().Add(r.Options.Wait)
	if !r.Options.Until.IsZero() {
		most = r.Options.Until
	}
	if until.After(most) || until.Equal(r.Options.Until) {
		r.quota(waiting, until)
		return false
	}
	r.once(until.String(), Note{Kind: "waits", Text: tasks(len(waiting)) + " for an agent's limit, and nothing else can start", Until: until})
	return true
}

// nextTime is the earliest time that a task waits for and for nothing else, and who waits so.
func (r *run) nextTime(rd *truth.Reading) (until time.Time, waiting []board.Row) {
	for _, row := range rd.Open(r.Now(), r.Options.Shared) {
		if !r.wanted(row.ID) || !onlyTime(row) {
			continue
		}
		waiting = append(waiting, row)
		if at := row.Waits[0].Until; until.IsZero() || at.Before(until) {
			until = at
		}
	}
	return until, waiting
}

// onlyTime reports whether a task waits for a time and for nothing else.
func onlyTime(row board.Row) bool {
	return row.State == board.Waiting && len(row.Waits) == 1 && row.Waits[0].For == board.ForTime
}

// once says a line whose key was not said before.
func (r *run) once(key string, n Note) {
	if !r.said[key] {
		r.said[key] = true
		r.note(n)
	}
}
