// Package mint is the station that reads committed contracts into the record.
package mint

import (
	"context"
	"errors"
	"fmt"
	"time"

	"torve/internal/record"
	"torve/internal/truth"
)

// Station mints in one repository.
type Station struct {
	Log        record.Log
	Partition  record.Partition
	Host, By   string // By is the person's name, for the actor
	Now        func() time.Time
	Sources    truth.Sources
	Repository []string                 // the configuration's acceptance lines: a code contract needs some line
	Known      func(agent string) error // whether an agent's name is known; nil asks nothing
}

// What mint may have done with a contract.
const (
	Minted      = "minted"
	Reminted    = "reminted"
	Unchanged   = "unchanged"
	Landed      = "landed"      // it has landed, or was reverted: its id is used up
	InFlight    = "in_flight"   // it is edited or gone, and is being worked on: the next pass looks again
	RanHere     = "ran_here"    // this host ran it and the record does not know it: a person says
	Refused     = "refused"     // it is whole, and something about it does not hold
	Withdrawn   = "withdrawn"   // its contract is gone from the target
	Uncommitted = "uncommitted" // in the work tree alone
	Edited      = "edited"      // the work tree or another branch has an edit that the target has not
	Elsewhere   = "elsewhere"   // on another branch, not on the target
	Broken      = "broken"
	Unknown     = "unknown" // it was named, and no contract of it is anywhere
)

// Result is what mint did with one contract.
type Result struct {
	ID      string   `json:"id"`
	Outcome string   `json:"outcome"` // one of the constants above
	Why     string   `json:"why"`
	Changed []string `json:"changed"` // the keys that a re-mint changed
	Digest  string   `json:"-"`
	Title   string   `json:"-"`
	Hint    string   `json:"-"` // the command that mends it
}

// tries bounds how often a pass begins again because others wrote what it read.
const tries = 20

// Pass reads the target's head and mints what changed; with tasks, those only.
// What is not on the target is reported and never minted. The results are in the
// order of ids; an error is the store's, git's, or record.ErrElsewhere.
func (s *Station) Pass(ctx context.Context, tasks ...string) ([]Result, error) {
	p := &pass{Station: s, named: tasks, wrote: map[string]Result{}}
	for range tries {
		results, err := p.once(ctx)
		if err == nil {
			return results, nil
		}
		if !errors.Is(err, record.ErrMoved) {
			return nil, fmt.Errorf("minting from %s: %w", s.Sources.Target, err)
		}
	}
	return nil, fmt.Errorf("minting from %s: %w, %d times running", s.Sources.Target, record.ErrMoved, tries)
}

func short(id string) string { return id[:min(len(id), 7)] }
