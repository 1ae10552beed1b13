package view

import (
	"context"
	"errors"
	"testing"
	"time"

	"torve/internal/board"
	"torve/internal/record"
)

func TestOfAClaimOfAnotherCloneItsLeaseIsToldByTheStoresClock(t *testing.T) {
	stored := map[string]record.Lease{
		"stands": {Claim: "stands", Age: 4200 * time.Millisecond, Left: 40 * time.Second},
		"ended":  {Claim: "ended", Age: 4 * time.Minute, Left: -200 * time.Second},
		"old":    {Claim: "old", Age: 50 * time.Hour, Left: -49*time.Hour - time.Minute},
		"here":   {Claim: "here", Left: time.Second},
	}
	asked := 0
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	h := holders{o: Options{
		Now:    now,
		Here:   func(c *board.Claim) bool { return c.ID == "here" },
		Leases: func(context.Context) (map[string]record.Lease, error) { asked++; return stored, nil },
	}}
	for claim, want := range map[string]string{
		"stands": "on build2, its lease stands (renewed 4 s ago)", "ended": "on build2, its lease ended 3 min ago",
		"old": "on build2, its lease ended 49 h ago", "none": "on build2, without a lease", "new": "on build2, claimed just now", "here": "", "": "",
	} {
		task := &board.Task{}
		if claim != "" {
			task.Claim = &board.Claim{ID: claim, Host: "build2", At: now.Add(-time.Hour)}
			if claim == "new" {
				task.Claim.At = now.Add(-time.Second)
			}
		}
		words, lease, err := h.of(t.Context(), task)
		if words != want || err != nil {
			t.Errorf("of %q it says %q, %v", claim, words, err)
		}
		l, there := stored[claim]
		if tells := want != "" && there; (lease != nil) != tells || tells && (lease.Stands != (l.Left >= 0) || lease.Left != l.Left.Seconds()) {
			t.Errorf("the lease of %q is %+v", claim, lease)
		}
	}
	if asked != 1 {
		t.Errorf("the store was asked %d times", asked)
	}
	if words, lease, err := (&holders{}).of(t.Context(), &board.Task{Claim: &board.Claim{ID: "stands"}}); words != "" || lease != nil || err != nil {
		t.Errorf("where the store offers no leases: %q, %v, %v", words, lease, err)
	}
	broken := holders{o: Options{Here: func(*board.Claim) bool { return false },
		Leases: func(context.Context) (map[string]record.Lease, error) { return nil, errors.New("it is gone") }}}
	if _, _, err := broken.of(t.Context(), &board.Task{Claim: &board.Claim{ID: "stands"}}); err == nil {
		t.Error("a store that does not answer is passed over")
	}
}
