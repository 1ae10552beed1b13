// Package mint is the station that reads committed contracts into the record.
package mint

import (
	"context"
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
	Root       string // the repository's root commit
	Sources    truth.Sources
	Repository []string                 // the configuration's acceptance lines: a code contract needs some line
	Known      func(agent string) error // whether an agent's name is known; nil asks nothing
}

// Result is what mint did with one contract.
type Result struct {
	ID      string   `json:"id"`
	Outcome string   `json:"outcome"` // minted, reminted, unchanged, landed, in_flight, ran_here, refused, withdrawn; uncommitted, edited, elsewhere, broken
	Why     string   `json:"why"`
	Changed []string `json:"changed"`
	Digest  string   `json:"-"`
	Title   string   `json:"-"`
	Hint    string   `json:"-"` // the command that mends it
}

// Pass reads the target's head and mints what changed; with tasks, those only.
func (s *Station) Pass(ctx context.Context, tasks ...string) ([]Result, error) { panic("unwritten") }
