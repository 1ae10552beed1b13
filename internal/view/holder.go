package view

import (
	"context"

	"torve/internal/board"
	"torve/internal/record"
)

// Lease is what a record that several hosts share says of a claim that was made elsewhere, by
// its own clock.
type Lease struct {
	Stands  bool    `json:"stands"`
	Renewed float64 `json:"renewed"` // seconds ago
	Left    float64 `json:"left"`    // seconds until it ends; below zero: since it ended
}

// holders say of claims that cannot be asked for here whether their holders were heard of. The
// leases are read once, and only where there is such a claim.
type holders struct {
	o   Options
	all map[string]record.Lease
}

// of gives the words for who holds a task elsewhere, and the lease, which is nil where the
// claim has none; "" where nobody holds it, or the platform can be asked.
func (h *holders) of(ctx context.Context, t *board.Task) (words string, lease *Lease, err error) {
	if t == nil || t.Claim == nil || h.o.Leases == nil || h.o.Here == nil || h.o.Here(t.Claim) {
		return "", nil, nil
	}
	if h.all == nil {
		if h.all, err = h.o.Leases(ctx); err != nil {
			return "", nil, err
		}
	}
	if l, there := h.all[t.Claim.ID]; there {
		lease = &Lease{Stands: l.Left >= 0, Renewed: l.Age.Seconds(), Left: l.Left.Seconds()}
	}
	return "on " + t.Claim.Host + ", " + record.LeaseWords(h.all, t.Claim.ID, h.o.Now.Sub(t.Claim.At)), lease, nil
}
