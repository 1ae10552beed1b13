package upkeep

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"torve/internal/board"
	"torve/internal/git"
	"torve/internal/truth"
)

const (
	keptRefs  = "refs/torve/attempts/"
	asideRefs = "refs/torve/aside/"
)

// Tree is the work of one attempt: on its ref, in its worktree, or in both.
type Tree struct {
	Task, Title  string
	N            int
	Ref          string // "" where only the worktree holds it
	Commit, Base string // of the ref
	Aside        bool   // somebody else's work, found on the attempt's ref and moved aside
	End          string // how the attempt ended, and what the gate said; "" where nobody knows
	At           time.Time
	Changed      int         // files; -1 where it was not counted
	Room         *Room       // nil where no worktree stands on this host
	Loose, Made  []string    // what git ignores in it: what is nowhere else, and what setup, copy and acceptance made
	Unread       string      // why that could not be asked; "" when it was
	State        board.State // of the task; "" when no carrier knows it
	Landed       bool        // the task has landed
	Dead         bool        // its run died, and nobody has taken it over yet
}

// Name is how a person names it: T-0001.2.
func (t Tree) Name() string { return fmt.Sprintf("%s.%d", t.Task, t.N) }

// Trees lists what attempts left, those of landed tasks too: by task and number. What
// runs is left out. It needs no record: a kept commit carries the attempt's own account.
func (h Home) Trees(ctx context.Context, rd *truth.Reading) ([]Tree, error) {
	trees, err := h.refs(ctx, rd)
	if err != nil {
		return nil, err
	}
	rooms, err := h.rooms()
	if err != nil {
		return nil, err
	}
	for _, r := range rooms {
		if !r.Agent || h.running(rd, r) {
			continue // nobody's work is in it, or somebody is at it
		}
		at := slices.IndexFunc(trees, func(t Tree) bool { return t.Task == r.Task && t.N == r.N && !t.Aside })
		if at < 0 {
			trees = append(trees, Tree{Task: r.Task, N: r.N, Title: titleOf(rd, r.Task), Changed: -1})
			at = len(trees) - 1
			c := claimOf(rd, r.Task)
			trees[at].Dead = c != nil && c.ID == r.Run
		}
		t := &trees[at]
		t.Room = &r
		if t.Loose, t.Made, err = h.Hands.Ignored(ctx, r); err != nil {
			t.Unread = err.Error()
		}
	}
	for i := range trees {
		trees[i].State, trees[i].Landed = rd.Settled(trees[i].Task).State(), landed(rd, trees[i].Task)
	}
	slices.SortStableFunc(trees, func(a, b Tree) int {
		return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.N, b.N), cmp.Compare(a.Ref, b.Ref))
	})
	return trees, nil
}

// refs are the trees that a ref holds.
func (h Home) refs(ctx context.Context, rd *truth.Reading) ([]Tree, error) {
	refs, err := h.Repo.Refs(ctx, "refs/torve")
	if err != nil {
		return nil, err
	}
	var out []Tree
	for ref, id := range refs {
		t := Tree{Ref: ref, Commit: id, Changed: -1}
		name, isKept := strings.CutPrefix(ref, keptRefs)
		if !isKept {
			name, t.Aside = strings.CutPrefix(ref, asideRefs)
		}
		task, rest, _ := strings.Cut(name, "/")
		number, _, _ := strings.Cut(rest, "/")
		n, err := strconv.Atoi(number)
		if err != nil || !isKept && !t.Aside {
			t.Task, t.Aside = strings.TrimPrefix(ref, "refs/torve/"), true
		} else {
			t.Task, t.N = task, n
		}
		if err := h.tell(ctx, rd, &t); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// tell fills in what the kept commit and the record say of an attempt.
func (h Home) tell(ctx context.Context, rd *truth.Reading, t *Tree) error {
	c, err := h.Repo.ReadCommit(ctx, t.Commit)
	if err != nil {
		return fmt.Errorf("reading the kept work on %s: %w", t.Ref, err)
	}
	t.At, t.End = c.At, c.Trailers()["Torve-End"]
	if len(c.Parents) > 0 {
		t.Base = c.Parents[0]
	}
	subject, _, _ := strings.Cut(c.Message, "\n")
	t.Title = titleOf(rd, t.Task)
	if title, own := strings.CutPrefix(subject, t.Task+": "); own && t.Title == "" {
		t.Title = title
	}
	if b := rd.Settled(t.Task).Board(); b != nil && !t.Aside {
		if a := b.Attempt(t.N); a != nil {
			t.ended(*a)
		}
	}
	return nil
}

// ended puts the record's words over the commit's.
func (t *Tree) ended(a board.Attempt) {
	if a.Finished == nil {
		return
	}
	t.At, t.End, t.Changed = a.FinishedAt, a.Finished.End, a.Finished.Changes
	if t.End != "done" {
		return
	}
	switch j := a.Last(); {
	case j == nil:
		t.End = "done, not judged"
	case j.Verdict == "accepted":
		t.End = "accepted"
	default:
		t.End = "refused by " + j.Check
	}
}

// Count counts the changed files of a tree that was not counted yet.
func (h Home) Count(ctx context.Context, t *Tree) ([]git.Delta, error) {
	if t.Ref == "" {
		return nil, nil
	}
	changes, err := h.Repo.Diff(ctx, t.Base, t.Commit)
	if err != nil {
		return nil, err
	}
	t.Changed = len(changes)
	return changes, nil
}

func titleOf(rd *truth.Reading, task string) string {
	s := rd.Settled(task)
	if t := s.Board(); t != nil && t.Contract.Title != "" {
		return t.Contract.Title
	}
	if f := s.File(); f != nil {
		return f.Contract.Title
	}
	return ""
}

// OneNamed finds a tree by what a person typed: T-0001, T-0001.2 or a ref, whole or from
// attempts/ on. Of a task it is the newest.
func OneNamed(trees []Tree, name string) (Tree, bool) {
	for _, t := range slices.Backward(trees) {
		if t.Ref != "" && (name == t.Ref || strings.TrimPrefix(t.Ref, "refs/") == name || strings.TrimPrefix(t.Ref, "refs/torve/") == name) {
			return t, true
		}
	}
	for _, t := range slices.Backward(trees) {
		if !t.Aside && (name == t.Task || name == t.Name()) {
			return t, true
		}
	}
	return Tree{}, false
}
