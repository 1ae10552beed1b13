package truth

import (
	"context"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/strictyaml"
)

// Sources are where the carriers are read from.
type Sources struct {
	Repo      *git.Repo
	Target    string     // branch name, for words
	Head      string     // the target's head as just resolved
	Log       record.Log // nil: no record is read
	Partition record.Partition
	States    string   // the .wt folder; "" for none
	WorkTree  string   // root of the work tree, for drafts; "" for none
	Ours      []string // repository root commits that may own the partition
}

// Reading is what the carriers say, gathered once; every question is asked of it.
type Reading struct {
	Head      string
	Target    string
	Board     *board.Board    // nil when no record was read
	Landings  []LandingFile   // in the target's tree, newest first
	Contracts map[string]File // committed on the target's head
	Drafts    map[string]File // in the work tree, differing from the head or absent there
	States    map[string]carrier.State
	Faults    []Fault // broken contracts, landings and state files, named
	settled   map[string]Settled
}

// LandingFile is one landing in git; its content is read when it is asked for.
type LandingFile struct {
	Path, Task, Blob string
	Attempt          int
	At               time.Time
	load             func(context.Context) (carrier.Landing, error)
}

// Load reads the file.
func (l LandingFile) Load(ctx context.Context) (carrier.Landing, error) { return l.load(ctx) }

// File is one contract file.
type File struct {
	Path, Blob string
	Contract   contract.Contract
	Digest     string
	Staged     bool
}

// Fault is a broken file, named.
type Fault struct {
	Path string
	Task string // by its folder or name; may be ""
	Err  *strictyaml.Error
}

// Gather reads the carriers.
func Gather(ctx context.Context, s Sources) (*Reading, error) { panic("unwritten") }

// Tasks lists every task that any carrier knows, in id order.
func (r *Reading) Tasks() []string { panic("unwritten") }

// Settled is the answer for one task; its Known is false when no carrier knows it.
func (r *Reading) Settled(task string) Settled { panic("unwritten") }

// Landed reports whether a landing that still stands (not reverted) satisfies a dependency.
func (r *Reading) Landed(task string) bool { panic("unwritten") }

// Rows are the board's rows with what each waits for, through board.View.
func (r *Reading) Rows(now time.Time, shared []string) []board.Row { panic("unwritten") }
