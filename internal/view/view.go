// Package view answers status, why and landings as values, from a truth.Reading
// and git, and prints them for people. It writes nothing, and it works in a
// fresh clone that has no record at all.
package view

import (
	"context"
	"fmt"
	"time"

	"torve/internal/board"
	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/truth"
)

// Options are what a reader brings to an answer.
type Options struct {
	Repo   *git.Repo
	Now    time.Time
	Shared []string // scope.shared: paths by which no two scopes meet
	Source From
	Mine   string                    // only this owner's tasks; "" is everybody's
	Manual bool                      // landing.mode is manual: what is accepted waits for a person
	Name   string                    // of the repository, where no partition is named
	Push   string                    // landing.push: the remote whose branch is the target; "" when it is the local one
	Only   string                    // only this task; "" is all
	Path   func(typed string) string // a path as the repository has it, from the folder of the command; nil: as typed
	Bare   bool                      // no settings: nobody has run torve init here
	Died   func(*board.Claim) bool   // whether a claim's holder is gone; nil: nobody can say
	Runs   func(*board.Claim) bool   // whether a claim's holder is a run that lives on this host; nil: nobody can say
	Here   func(*board.Claim) bool   // whether it can be asked here who holds a claim: it was made in this clone; nil: all were
	Log    record.Log                // the record that is read, where one is
	Brief  bool                      // a board for people: old landings, which it does not show, are not read

	// Apart says of a task that waits to be taken up what its next step needs that another clone
	// alone has, and whether to pull may bring it; nil, or "" where there is no such thing.
	Apart func(context.Context, *truth.Reading, *board.Task) (why string, pull bool, err error)

	// Leases are those of the record, by claim, where its store offers any; nil where it does not.
	Leases func(context.Context) (map[string]record.Lease, error)

	// Telemetry is this checkout's file of attempts, read where no record is; "" for none.
	Telemetry string
	Findings  string // the ledger of findings; "" for none
	Feedback  string // the ledger of what tasks took of people; "" for none

	// Beside is what the record holds where the files were asked for instead: it is counted and
	// told beside them. Nil where there is none, and then Unasked says why, if one is named.
	Beside  *truth.Reading
	Unasked string

	Since time.Time      // only what ended since; zero: all
	By    string         // what spend is told by, one of Bys; "" is the first
	Zone  *time.Location // in which a day is a day; nil is UTC
	All   bool           // no list for people is cut
}

// From says how the record was named, for the line above the first figure.
type From struct {
	Partition string
	NamedBy   string // --partition, TORVE_PARTITION or config.yaml; "" when none is named
	Store     string // embedded or postgres
	Why       string // why the record was not read although one is named; "" when there is none here
	Empty     bool   // there is a record here, and it has no event of the partition
	At        string // which database that is; "" for the embedded store
}

// Source is which carrier answered one block of an answer.
type Source struct {
	Carrier   string `json:"carrier"` // record, files or git
	Partition string `json:"partition"`
	NamedBy   string `json:"named_by"`
	Store     string `json:"store"`
	Rows      int    `json:"rows"`
}

// Sources names the carrier of every block.
type Sources map[string]Source

// beside names the record where it holds attempts and the files spoke: both are true.
func (s Sources) beside(t told) {
	if t.beside != nil {
		s["recorded"] = *t.beside
	}
}

// The carriers as sources name them.
const (
	fromRecord = "record"
	fromFiles  = "files"
	fromGit    = "git"
)

// source is the account of one block; a record is named in it only where it spoke.
func (o Options) source(carrier string, rows int) Source {
	s := Source{Carrier: carrier, Rows: rows}
	if carrier == fromRecord {
		s.Partition, s.NamedBy, s.Store = o.Source.Partition, o.Source.NamedBy, o.Source.Store
	}
	return s
}

// carrier is record where one was read, else files.
func carrierOf(r *truth.Reading) string {
	if r.Board != nil {
		return fromRecord
	}
	return fromFiles
}

// Fault is a file that does not read, named.
type Fault struct {
	Path  string `json:"path"`
	Task  string `json:"task"`
	Error string `json:"error"`
	Hint  string `json:"hint"`
}

func faults(r *truth.Reading, which func(truth.Fault) bool) []Fault {
	out := []Fault{}
	for _, f := range r.Faults {
		if which(f) {
			out = append(out, Fault{Path: f.Path, Task: f.Task, Error: f.Err.Error(), Hint: f.Err.Hint})
		}
	}
	return out
}

// Unknown is returned for a subject that nothing here is called by.
type Unknown struct {
	Subject, Why, Hint string
}

// Error says that nothing is called so.
func (e *Unknown) Error() string {
	if e.Why != "" {
		return fmt.Sprintf("%s: %s", e.Subject, e.Why)
	}
	return fmt.Sprintf("nothing here is called %s: no task, decision, path or commit", e.Subject)
}
