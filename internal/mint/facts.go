package mint

import (
	"context"
	"errors"
	"fmt"

	"torve/internal/contract"
	"torve/internal/record"
)

// Facts is what a mint of the task's committed contract would write now, for a
// person who puts a task on the board that mint leaves alone: one that ran here,
// or whose landing was removed. Nothing is minted; the partition is opened where
// nobody has. Where the contract would not come into force the result says so:
// its Outcome is refused or broken, with a Why; else it is "".
func (s *Station) Facts(ctx context.Context, task string) (record.Minted, Result, error) {
	p, err := s.opened(ctx, task)
	if err != nil {
		return record.Minted{}, Result{}, fmt.Errorf("reading %s's contract: %w", task, err)
	}
	for _, f := range p.r.Faults {
		if f.Path == contract.PathOf(task) && !f.Uncommitted {
			res := fault(f)
			res.ID = task
			return record.Minted{}, res, nil
		}
	}
	f, committed := p.r.Contracts[task]
	if !committed {
		return record.Minted{}, p.nowhere(task), nil
	}
	st, m, err := p.force(ctx, f)
	return m, st.result, err
}

// Open opens the partition where nobody has and mints nothing: its first event names
// the repository's root commit, whichever verb comes first.
func (s *Station) Open(ctx context.Context) error {
	_, err := s.opened(ctx)
	return err
}

// opened is a pass that has read the carriers and opened the partition.
func (s *Station) opened(ctx context.Context, named ...string) (*pass, error) {
	p := &pass{Station: s, named: named}
	err := p.read(ctx)
	for n := 1; n < tries && errors.Is(err, record.ErrMoved); n++ {
		err = p.read(ctx)
	}
	return p, err
}
