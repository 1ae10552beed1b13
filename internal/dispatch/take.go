package dispatch

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"torve/internal/board"
	"torve/internal/record"
	"torve/internal/truth"
)

// claims are those that this run made, and those of them whose driver fell: they are
// taken over as if the run had died.
type claims struct {
	mu   sync.Mutex
	mine map[string]bool
	fell map[string]bool
}

func (c *claims) add(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mine[id] = true
}

func (c *claims) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.mine, id)
	c.fell[id] = true
}

// holds reports whether a claim is this run's and is driven.
func (r *run) holds(claim string) bool {
	r.claims.mu.Lock()
	defer r.claims.mu.Unlock()
	return r.claims.mine[claim]
}

// take claims the next task that may start; nil when there is none. A lost race
// means that another took one, and the board is folded again.
func (r *run) take(ctx context.Context) (*held, error) {
	for ctx.Err() == nil {
		rd, err := r.gather(ctx)
		if err != nil {
			return nil, err
		}
		took, err := r.takeOver(ctx, rd.Board)
		if err != nil {
			return nil, err
		}
		if took {
			continue
		}
		rows := rd.Open(r.Now(), r.Options.Shared)
		if err := r.survey(ctx, rd, rows); err != nil {
			return nil, err
		}
		r.last, r.wake = rd, r.nextWake(rows)
		t := r.first(r.startable(rd, rows))
		if t == nil {
			return nil, nil
		}
		if !r.begun { // a watch that had nothing to start until now
			r.begin(rd)
		}
		h, err := r.claim(ctx, rd.Board, t, r.running+1)
		if err == nil {
			r.claims.add(h.id)
			r.leases.take(h.id)
			return h, nil
		}
		r.free(t.ID)
		if !errors.Is(err, record.ErrMoved) {
			return nil, err
		}
	}
	return nil, nil
}

// first is the first task of a list that the limits of the run let start, with what it
// may cost and a place of its agent's held for it; nil when there is none. A task that
// costs nothing overtakes one that waits for money, another does not.
func (r *run) first(list []board.Row) *board.Task {
	dear := false
	for _, row := range list {
		t := row.Task
		if next(t, memory{}).do != doAttempt {
			return t
		}
		need := r.need(t)
		if dear && need > 0 || !r.places.try(t.ID, r.agentFor(t)) {
			continue
		}
		if r.tally.hold(t.ID, need, r.Options.USD) {
			return t
		}
		r.places.free(t.ID)
		dear = true
	}
	return nil
}

// free lets go of what was held for a task.
func (r *run) free(task string) {
	r.tally.free(task)
	r.places.free(task)
}

// nextWake is the earliest time that a task waits for.
func (r *run) nextWake(rows []board.Row) (at time.Time) {
	for _, row := range rows {
		if row.State == board.Waiting && row.NotBefore.After(r.Now()) && r.wanted(row.ID) && (at.IsZero() || row.NotBefore.Before(at)) {
			at = row.NotBefore
		}
	}
	return at
}

// startable is what may start now, in order: accepted work first, then the queue.
func (r *run) startable(rd *truth.Reading, rows []board.Row) []board.Row {
	var ready, queue []board.Row
	for _, row := range rows {
		if !r.wanted(row.ID) || r.skipped[row.ID] == rd.Head || row.Claim != nil || r.abroad[row.ID] != "" {
			continue
		}
		switch {
		case row.State == board.Ready && (!r.Options.Manual || r.Options.LandOnly):
			ready = append(ready, row)
		case row.State == board.Queued && !r.Options.LandOnly && rd.Head != r.redHead && r.missing(row.Task) == "":
			queue = append(queue, row)
		}
	}
	slices.SortFunc(ready, func(a, b board.Row) int { return int(a.MintSeq - b.MintSeq) })
	slices.SortFunc(queue, func(a, b board.Row) int { return a.Order - b.Order })
	return append(ready, queue...)
}
