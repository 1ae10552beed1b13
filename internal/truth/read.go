package truth

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
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
	Ref       string     // the target's full name as a ref; "" is the local branch Target
	Head      string     // that ref as just resolved; "" when it has no commit
	Log       record.Log // nil: no record is read
	Partition record.Partition
	States    string // the .wt folder; "" for none
	WorkTree  string // root of the work tree, for drafts; "" for none

	// Brief leaves out what a board does not show: the contract of a task that has landed, on
	// the head and in the work tree.
	Brief bool
	// Marked takes of what the record has landed, and the tree too, a mark alone, until Read
	// asks for more: see board.Glance.
	Marked bool
	// Follows asks besides what the target's branch follows, while the carriers are read.
	Follows bool
	// Memory is what was learnt by readings before, in a process that reads again; nil: nothing.
	Memory *Memory
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
	Faults    []Fault  // broken contracts, landings and state files, named
	Follows   *Follows // nil when it was not asked, or the target has no commit
	said      map[string]*spoken
	brief     *gathering // who left out the contracts' files of what has landed; nil: nobody
}

// Follows is what a branch follows, and how far it is from it.
type Follows struct {
	Name  string // "" when it follows nothing
	Ahead int    // commits that the other does not have
}

// LandingFile is one landing in git; its content is read when it is asked for.
type LandingFile struct {
	Path, Task, Blob string
	Attempt          int
	At               time.Time
	reverts          []string
	repo             *git.Repo
	whole            *carrier.Landing // where it was read already
}

// Load reads the file. What does not read is a *strictyaml.Error.
func (l LandingFile) Load(ctx context.Context) (carrier.Landing, error) {
	if l.whole != nil {
		return *l.whole, nil
	}
	data, err := l.repo.Blob(ctx, l.Blob)
	if err != nil {
		return carrier.Landing{}, fmt.Errorf("reading the landing %s: %w", l.Path, err)
	}
	return carrier.ReadLanding(l.Path, data)
}

// Reverts are the tasks whose landings this one reverts.
func (l LandingFile) Reverts() []string { return slices.Clone(l.reverts) }

// File is one contract file.
type File struct {
	Path, Blob string
	Contract   contract.Contract
	Digest     string
	Staged     bool // a draft that is in the index, not yet committed
}

// Fault is a broken file, named.
type Fault struct {
	Path        string
	Task        string // by its folder or name; may be ""
	Err         *strictyaml.Error
	Uncommitted bool // a contract in the work tree, not the one on the target
}

// Tasks lists every task that any carrier knows, in id order.
func (r *Reading) Tasks() []string { return slices.Sorted(maps.Keys(r.said)) }

// Settled is the answer for one task; its Known is false when no carrier knows it.
func (r *Reading) Settled(task string) Settled {
	if said := r.said[task]; said != nil {
		return ranked(task, *said)
	}
	return ranked(task, spoken{})
}

// All settles every task that any carrier knows, in no order.
func (r *Reading) All() iter.Seq2[string, Settled] {
	return func(yield func(string, Settled) bool) {
		for task, said := range r.said {
			if !yield(task, ranked(task, *said)) {
				return
			}
		}
	}
}

// Read reads of tasks what the record has of them, where the reading was gathered with
// Marked: until then a task that has landed is a state and no more.
func (r *Reading) Read(ctx context.Context, tasks ...string) error {
	if r.Board == nil {
		return nil
	}
	var marks []string
	for _, id := range tasks {
		if t := r.Board.Tasks[id]; t != nil && t.Unread() {
			marks = append(marks, id)
		}
	}
	if len(marks) == 0 {
		return nil
	}
	if err := r.Board.Read(ctx, marks...); err != nil {
		return fmt.Errorf("reading what the record has of %s: %w", some(marks), err)
	}
	for _, id := range marks {
		r.whole(r.Board.Tasks[id])
	}
	return nil
}

// ReadAll is Read of every task.
func (r *Reading) ReadAll(ctx context.Context) error {
	if r.Board == nil {
		return nil
	}
	return r.Read(ctx, slices.Collect(maps.Keys(r.Board.Tasks))...)
}

// ReadFiles reads the contracts' files of tasks, where a brief reading has left them out.
func (r *Reading) ReadFiles(ctx context.Context, tasks ...string) error {
	g := r.brief
	if g == nil {
		return nil
	}
	for _, id := range tasks {
		if _, there := g.head[contract.PathOf(id)]; there || !g.landed(id) {
			continue
		}
		if err := g.filesOf(ctx, id); err != nil {
			return fmt.Errorf("reading the contract of %s: %w", id, err)
		}
	}
	return g.wrong
}

// whole puts a task in the place of its mark, and what it was minted from in the place of a
// file of which nothing but that was known.
func (r *Reading) whole(t *board.Task) {
	said := r.said[t.ID]
	if said == nil {
		return
	}
	if st := said[Board.place()]; st != nil {
		st.board = t
	}
	if f, there := r.Contracts[t.ID]; there && f.Digest == "" {
		f.Contract, f.Digest = t.Contract, t.Digest
		r.Contracts[t.ID] = f
		if st := said[Contract.place()]; st != nil && st.file != nil && st.file.Digest == "" {
			st.file = &f
		}
	}
}

func some(tasks []string) string {
	if len(tasks) == 1 {
		return tasks[0]
	}
	return fmt.Sprintf("%d tasks", len(tasks))
}

// Landed reports whether a landing that still stands (not reverted) satisfies a
// dependency: its file is in the tree of the head that was read.
func (r *Reading) Landed(task string) bool {
	s := r.Settled(task)
	return s.Carrier() == Landing && s.State() == board.Landed
}

// Unlanded gives those of the tasks whose landing does not stand in the tree of a head, in
// the order that they are named. It is what Landed says, read from the landings alone.
func Unlanded(ctx context.Context, repo *git.Repo, head string, tasks []string) ([]string, error) {
	return (&Memory{}).Unlanded(ctx, repo, head, tasks)
}

// Unlanded is the function of that name, by what is known of the landings.
func (m *Memory) Unlanded(ctx context.Context, repo *git.Repo, head string, tasks []string) ([]string, error) {
	if len(tasks) == 0 {
		return nil, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	g := gatheringOf(Sources{Repo: repo, Head: head, Memory: m})
	if err := g.landings(ctx); err != nil {
		return nil, fmt.Errorf("reading the landings at %s: %w", short(head), err)
	}
	r, err := g.settle()
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, task := range tasks {
		if !r.Landed(task) {
			missing = append(missing, task)
		}
	}
	return missing, nil
}

// FileToday says how the contract's file of a task stands to the digest that bound it
// (same, edited or missing) and where it is. The one in the work tree is what people see.
func (r *Reading) FileToday(task, digest string) (how, path string) {
	f, there := r.Contracts[task]
	if draft, drafted := r.Drafts[task]; drafted {
		f, there = draft, true
	}
	switch {
	case !there:
		return "missing", ""
	case f.Digest == digest:
		return "same", f.Path
	}
	return "edited", f.Path
}

// Recorded reports whether the record that was read holds the task; where it
// does not, the answer is the files'.
func (r *Reading) Recorded(task string) bool { return r.Settled(task).Board() != nil }

// Rows are the board's rows with what each waits for, through board.View. A row
// has the settled state: what git has landed is landed whether the record has
// heard of it or not. Without a record there are none.
func (r *Reading) Rows(now time.Time, shared []string) []board.Row {
	if r.Board == nil {
		return nil
	}
	return board.View(r.settledBoard(), r.Landed, shared, now)
}

// Open is Rows without those of what is over: see board.Open.
func (r *Reading) Open(now time.Time, shared []string) []board.Row {
	if r.Board == nil {
		return nil
	}
	return board.Open(r.settledBoard(), r.Landed, shared, now)
}

// settledBoard is the record's board with every task in its settled state.
func (r *Reading) settledBoard() *board.Board {
	b, own := *r.Board, false
	for id, said := range r.said {
		// Nothing but a landing outranks the board, and most of them agree.
		landing, by := said[Landing.place()], said[Board.place()]
		if landing == nil || by == nil || by.board == nil || landing.state == by.board.State {
			continue
		}
		if !own {
			b.Tasks, own = maps.Clone(b.Tasks), true
		}
		copied := *by.board
		copied.State = ranked(id, *said).State()
		b.Tasks[id] = &copied
	}
	return &b
}
