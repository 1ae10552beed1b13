// Package decide is the bench of the world's law: it asks, judges, refuses and dispatches
// plans over the recorded day, or over a live model, and prints what the engine decided.
package decide

import (
	"context"
	"io"

	"torve/internal/lang"
	"torve/internal/law"
	"torve/internal/record"
)

// Options is one run of the bench.
type Options struct {
	Mode     string // settings arrive stale refuse day beside dispatch live record
	Who      string
	Now      int
	Late     int
	Stale    int  // 0: as configs say
	Reversed bool // the checks the other way about
	NoSchema bool // live: the answer is held to no schema
	Law      law.Law
	Recorded *lang.Recorded
	Live     *lang.Live // modes live and record
	Store    Store      // mode live
	At       record.Partition
	Write    func([]byte) error // mode record: puts the recording where it belongs
}

// Store is where mode live keeps its rows.
type Store interface {
	record.Ledger
}

// Modes lists them.
var Modes = []string{"settings", "arrive", "stale", "refuse", "day", "beside", "dispatch", "live", "record"}

// Run runs a mode. What the bench itself finds wrong (an accepted plan that should have been
// refused, a prompt that is not the recorded one) is ErrOdd.
func Run(ctx context.Context, out io.Writer, o Options) error { panic("unwritten") }

// ErrOdd says that the bench did not find what it must.
var ErrOdd error
