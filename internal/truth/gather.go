package truth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/strictyaml"
)

// Gather reads the carriers. A file that does not read is a fault in the
// reading; a store or a repository that does not answer is an error.
func Gather(ctx context.Context, s Sources) (*Reading, error) {
	if s.Memory == nil {
		s.Memory = &Memory{}
	}
	s.Memory.mu.Lock()
	defer s.Memory.mu.Unlock()
	g := gatheringOf(s)
	wait := g.foldAside(ctx)
	defer wait() // also where a step before it fails
	follows := g.followAside(ctx)
	defer follows(ctx)
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"the landings in " + s.Target, g.landings},
		{"the record", g.board},
		{"the contracts on " + s.Target, g.contracts},
		{"the contracts in the work tree", g.drafts},
		{"the states of this host", g.states},
		{"the landings that were removed from " + s.Target, g.removed},
		{"what " + s.Target + " follows", follows},
	} {
		if err := step.do(ctx); err != nil {
			return nil, fmt.Errorf("reading %s: %w", step.what, err)
		}
	}
	return g.settle()
}

// GatherLandings is Gather of the landings alone, each read whole: what landed, from git.
func GatherLandings(ctx context.Context, s Sources) (*Reading, error) {
	s.Memory = &Memory{}
	g := gatheringOf(s)
	g.whole = true
	if err := g.landings(ctx); err != nil {
		return nil, fmt.Errorf("reading the landings in %s: %w", s.Target, err)
	}
	return g.settle()
}

// gathering is a reading in the making.
type gathering struct {
	Sources
	whole bool // landings are read to their end
	r     *Reading
	slab  []Statement       // room for the next statements
	tasks []spoken          // and for the next tasks
	head  map[string]string // blob by path, of the contracts on the head
	wrong error             // a statement that nobody could settle

	folded func() (*board.Board, error) // the fold of the record, once it is done
}

func gatheringOf(s Sources) *gathering {
	return &gathering{Sources: s,
		r: &Reading{said: map[string]*spoken{}, Head: s.Head, Target: s.Target, Contracts: map[string]File{}, Drafts: map[string]File{}}}
}

// say adds a statement unless its carrier has spoken: the first is the one that counts.
// What Settle would refuse ends the reading.
func (g *gathering) say(st Statement) {
	at := st.carrier.place()
	if st.task == "" || at < 0 {
		_, g.wrong = Settle(st.task, st)
		return
	}
	said := g.r.said[st.task]
	if said == nil {
		if len(g.tasks) == 0 {
			g.tasks = make([]spoken, 64)
		}
		said, g.tasks = &g.tasks[0], g.tasks[1:]
		g.r.said[st.task] = said
	}
	if said[at] != nil {
		return
	}
	if len(g.slab) == 0 {
		g.slab = make([]Statement, 64)
	}
	g.slab[0] = st
	said[at], g.slab = &g.slab[0], g.slab[1:]
}

// expect makes room for so many statements to come.
func (g *gathering) expect(n int) {
	if len(g.r.said) == 0 {
		g.r.said, g.tasks = make(map[string]*spoken, n), make([]spoken, n)
	}
	if len(g.slab) < n {
		g.slab = make([]Statement, n)
	}
}

func (g *gathering) spoke(task string, c Carrier) bool {
	said := g.r.said[task]
	return said != nil && said[c.place()] != nil
}

// fault names a broken file; where it names a task, the carrier says broken.
func (g *gathering) fault(c Carrier, f Fault) {
	g.r.Faults = append(g.r.Faults, f)
	if f.Task != "" {
		g.say(fromBroken(c, f))
	}
}

// broken makes a fault's error of whatever a reader gave.
func broken(path string, err error) *strictyaml.Error {
	var e *strictyaml.Error
	if errors.As(err, &e) {
		return e
	}
	return &strictyaml.Error{File: path, Why: err.Error()}
}

// board folds the record, and asks that it is this repository's.
func (g *gathering) board(ctx context.Context) error {
	if g.Log == nil {
		return nil
	}
	b, err := g.folded()
	if err != nil {
		return err
	}
	if err := Ours(ctx, g.Repo, g.Partition, b.Root); err != nil {
		return err
	}
	g.expect(len(b.Tasks))
	for _, t := range b.Tasks {
		if t.Digest == "" && t.State == board.Withdrawn {
			continue // some event names it, and nothing is known of it
		}
		g.say(fromBoard(t))
	}
	g.r.Board = b
	return nil
}

// foldAside folds the record while git is asked: neither needs the other, and what each says
// is of its own carrier. The function that it gives waits for the end.
func (g *gathering) foldAside(ctx context.Context) (wait func()) {
	if g.Log == nil {
		return func() {}
	}
	var b *board.Board
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		b, err = g.fold(ctx)
	}()
	g.folded = func() (*board.Board, error) {
		<-done
		return b, err
	}
	return func() { <-done }
}

// followAside asks git what the target follows while the carriers are read: it is a program of
// its own, and waits for none of them. The function that it gives takes the answer.
func (g *gathering) followAside(ctx context.Context) (take func(context.Context) error) {
	if !g.Follows || g.Head == "" {
		return func(context.Context) error { return nil }
	}
	var f Follows
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.Name, f.Ahead, err = g.Repo.Upstream(ctx, g.Target, g.Head)
	}()
	return func(context.Context) error {
		<-done
		if err == nil {
			g.r.Follows = &f
		}
		return err
	}
}

func (g *gathering) fold(ctx context.Context) (*board.Board, error) {
	f := g.Memory.follow(g.Log, g.Partition)
	if g.Marked {
		return f.Glance(ctx)
	}
	return f.Now(ctx)
}

// states reads this host's state files.
func (g *gathering) states(context.Context) error {
	if g.States == "" {
		g.r.States = map[string]carrier.State{}
		return nil
	}
	states, faults := carrier.ReadStates(g.States)
	g.r.States = states
	for _, s := range states {
		g.say(fromHost(s))
	}
	for _, e := range faults {
		g.fault(Host, Fault{Path: e.File, Task: carrier.StateTask(e.File), Err: e})
	}
	return nil
}

// settle ends the reading: what was said is settled when it is asked for.
func (g *gathering) settle() (*Reading, error) {
	if g.wrong != nil {
		return nil, g.wrong
	}
	if g.Brief {
		g.r.brief = g
	}
	slices.SortFunc(g.r.Faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Err.Error(), b.Err.Error()))
	})
	return g.r, nil
}
