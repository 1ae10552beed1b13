package audit

import (
	"context"
	"fmt"
	"sync"

	"torve/internal/board"
	"torve/internal/failpoint"
)

// Hands are the stations that a repair needs; they are handed in, as no station knows
// another.
type Hands struct {
	// Observe records every landing that git holds and the record does not.
	Observe func(ctx context.Context, b *board.Board) ([]string, error)

	observed *sync.Once
}

// observe calls Observe once for all.
func (h Hands) observe(ctx context.Context, b *board.Board) (err error) {
	h.observed.Do(func() { _, err = h.Observe(ctx, b) })
	return err
}

// Mended is one thing that a repair did.
type Mended struct {
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
	Did     string `json:"did"`
}

// Repair mends the differences of a report that decide nothing for a person, in their
// order, and says what it did. What is there is never taken away but where the record
// holds it; no event and no landing is changed. Verify again to know what is left.
func Repair(ctx context.Context, r Report, h Hands) ([]Mended, error) {
	h.observed = &sync.Once{}
	mended := []Mended{}
	for _, d := range r.Differences {
		if d.mend == nil {
			continue
		}
		did, err := d.mend(ctx, h)
		if err != nil {
			return mended, fmt.Errorf("mending %s of %s: %w", d.Kind, d.Subject, err)
		}
		failpoint.Hit(failpoint.VerifyMended)
		if did != "" {
			mended = append(mended, Mended{Kind: d.Kind, Subject: d.Subject, Did: did})
		}
	}
	return mended, nil
}
