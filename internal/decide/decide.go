// Package decide is the bench of the world's law: it asks, judges, refuses and dispatches
// plans over the recorded day, or over a live model, and prints what the engine decided. The
// world that it asks over lives on habit.
package decide

import (
	"context"
	"errors"
	"fmt"
	"io"

	"torve/internal/lang"
	"torve/internal/law"
	"torve/internal/record"
)

// Options is one run of the bench.
type Options struct {
	Mode     string // one of Modes
	Who      string // a villager's name, whatever its case
	Now      int    // the tick of the question
	Late     int    // dispatch: ticks between the question and its answer
	Stale    int    // 0: as configs say
	Reversed bool   // the checks the other way about
	NoSchema bool   // the answer is held to no schema
	Law      law.Law
	Recorded *lang.Recorded // of every mode that asks, and not of live and record
	Live     Model          // modes live and record
	Store    Store          // mode live
	At       record.Partition
	Write    func([]byte) error                    // mode record: puts the recording where it belongs
	Keep     func(record.Proposal) (string, error) // mode live: a row that the store did not take, and where it is now
}

// Model is a mind that is asked now, and says who and where it is. Resident is a line for
// people on what it runs on.
type Model interface {
	lang.Mind
	Model() string
	Server() string
	Resident(ctx context.Context) (string, error)
}

// Store is where mode live keeps its rows.
type Store interface {
	record.Ledger
	record.Memories
}

// Mode is one thing that the bench does, and which flags say something to it.
type Mode struct {
	Name, Does string
	Flags      []string
	run        func(*bench, context.Context) error
}

// Modes lists them.
func Modes() []Mode {
	return []Mode{
		{"settings", "the settings, the six checks and what each is handed", []string{"stale", "law"}, (*bench).settings},
		{"arrive", "one answer, read, judged by the six, and its row of the ledger", []string{"who", "now", "stale", "reversed", "noschema", "law"}, (*bench).arrive},
		{"stale", "one plan judged at two ticks: when it was asked, and too late", []string{"who", "now", "stale", "reversed", "law"}, (*bench).stale},
		{"refuse", "one plan changed in six ways, each to be refused", []string{"who", "now", "stale", "reversed", "law"}, (*bench).refuse},
		{"day", "every answer of the recorded day, and its verdict", []string{"stale", "reversed", "law"}, (*bench).day},
		{"beside", "a villager and an animal before one rule", []string{"who", "now"}, (*bench).beside},
		{"dispatch", "one plan lived step by step, each asked again when it is due", []string{"who", "now", "late", "stale", "reversed", "law"}, (*bench).dispatch},
		{"live", "a model asked now, its rows kept in a store", []string{"who", "now", "stale", "reversed", "noschema", "law", "dsn", "partition", "model", "wait"}, (*bench).live},
		{"record", "the day asked of a model, and its recording rewritten", []string{"model", "wait", "out"}, (*bench).record},
	}
}

// ErrOdd says that the bench did not find what it must: a plan was accepted that had to be
// refused, or a prompt is not the recorded one.
var ErrOdd = errors.New("the bench did not find what it must")

// Unfit is a run that was asked for and cannot be: there is no such villager, tick or answer.
// Its hint is a flag in the place of what was typed, or a whole command.
type Unfit struct{ Why, Hint string }

func (u *Unfit) Error() string { return u.Why }

// dayCommand shows everything that is recorded.
const dayCommand = "go run ./cmd/decide -mode day"

func unfit(hint, format string, a ...any) error {
	return &Unfit{Why: fmt.Sprintf(format, a...), Hint: hint}
}

// Run runs a mode and prints what it finds. What the bench itself finds wrong is ErrOdd, what
// cannot be asked for is an *Unfit.
func Run(ctx context.Context, out io.Writer, o Options) error {
	for _, m := range Modes() {
		if m.Name != o.Mode {
			continue
		}
		b, err := open(out, o)
		if err != nil {
			return err
		}
		if err := m.run(b, ctx); err != nil {
			return err
		}
		return b.err
	}
	return unfit("go run ./cmd/decide -h", "there is no mode %q", o.Mode)
}
