package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"torve/internal/board"
	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/truth"
)

const keptRefs = "refs/torve/attempts/"

// askKept asks that each attempt whose tree was kept has its ref, at that commit, with
// that tree and an account that agrees; and names refs that the record does not know.
func (i *inquiry) askKept(ctx context.Context) (int, error) {
	refs, err := i.Repo.Refs(ctx, keptRefs)
	if err != nil {
		return 0, err
	}
	of, known := 0, map[string]bool{}
	var heads []string
	i.attempts(func(t *board.Task, a *board.Attempt) {
		known[keptRefs+t.ID+"/"+strconv.Itoa(a.N)] = true
		if a.Finished != nil && a.Finished.Ref != "" {
			known[a.Finished.Ref] = true
			heads = append(heads, a.Finished.Head)
		}
	})
	there, err := i.Repo.Present(ctx, heads)
	if err != nil {
		return 0, err
	}
	i.attempts(func(t *board.Task, a *board.Attempt) {
		if err != nil || a.Finished == nil || a.Finished.Ref == "" {
			return
		}
		if refs[a.Finished.Ref] == "" && !i.ours(a) {
			i.away++
			return
		}
		of++
		if i.keptAt(t, a, refs[a.Finished.Ref], there[a.Finished.Head] == "commit") {
			err = i.keptAs(ctx, t, a)
		}
	})
	if err != nil {
		return of, err
	}
	i.strangers(refs, known)
	switch {
	case i.away == 1:
		i.note("1 attempt was made in another clone, and its ref is asked for there")
	case i.away > 1:
		i.note("%d attempts were made in other clones, and their refs are asked for there", i.away)
	}
	if len(i.tidied) > 0 {
		i.note("kept no longer, as the work has landed: %s", listed(i.tidied))
	}
	return of, nil
}

// ours reports whether an attempt was made in this clone. In a record that no other shares
// each was.
func (i *inquiry) ours(a *board.Attempt) bool {
	return !record.Shared(i.Log) || truth.MadeIn(a, i.Host, i.Repo.Common, i.Root)
}

// keptAt asks where an attempt's ref stands; true when it is where the record says. Once
// a task has landed, the refs of what led to it may be put away.
func (i *inquiry) keptAt(t *board.Task, a *board.Attempt, at string, there bool) bool {
	f := a.Finished
	switch {
	case at == "" && a.N <= i.story.landed[t.ID]:
		i.tidied = append(i.tidied, fmt.Sprintf("%s/%d", t.ID, a.N))
	case !there:
		i.differ("gone", t.ID, "attempt %d was kept as %s, and git has no such commit any more", a.N, short(f.Head)).
			by("fetch " + f.Ref + " from a clone that has it")
	case at == "":
		i.differ("missing", t.ID, "attempt %d is kept on %s, and git has no such ref", a.N, f.Ref).
			mends(func(ctx context.Context, _ Hands) (string, error) {
				err := i.Repo.UpdateRefs(ctx, git.RefUpdate{Ref: f.Ref, New: f.Head})
				return fmt.Sprintf("put %s back at %s", f.Ref, short(f.Head)), err
			})
	case at != f.Head:
		i.differ("moved", t.ID, "attempt %d is kept as %s, and %s is at %s", a.N, short(f.Head), f.Ref, short(at)).
			by(fmt.Sprintf("git update-ref %s %s %s", f.Ref, short(f.Head), short(at)))
	default:
		return true
	}
	return false
}

// keptAs asks that a kept commit has the tree that the record names, and that its
// trailers are the record's.
func (i *inquiry) keptAs(ctx context.Context, t *board.Task, a *board.Attempt) error {
	f := a.Finished
	c, err := i.Repo.ReadCommit(ctx, f.Head)
	if err != nil {
		return err
	}
	if c.Tree != f.Tree {
		i.differ("tree", t.ID, "attempt %d is kept with tree %s, and %s has tree %s", a.N, short(f.Tree), short(f.Head), short(c.Tree)).
			by("git show " + short(f.Head))
		return nil
	}
	if why := disagree(c.Trailers(), t.ID, a.N, a.Started.Contract); why != "" {
		i.differ("trailers", t.ID, "attempt %d is kept as %s, and %s", a.N, short(f.Head), why).by("git show " + short(f.Head))
	}
	return nil
}

// disagree says which trailer of a commit is not that of an attempt; "" when all are. The
// contract is asked where it is known.
func disagree(trailers map[string]string, task string, n int, contract string) string {
	for _, want := range []struct{ key, value string }{
		{"Torve-Task", task}, {"Torve-Attempt", strconv.Itoa(n)}, {"Torve-Contract", contract},
	} {
		if got := trailers[want.key]; got != want.value && want.value != "" {
			return fmt.Sprintf("its trailer %s is %q", want.key, got)
		}
	}
	return ""
}

// strangers counts the refs of attempts that the record does not know: whoever fetched
// them has them, and nothing is wrong with that.
func (i *inquiry) strangers(refs map[string]string, known map[string]bool) {
	var loose []string
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		if !known[ref] {
			loose = append(loose, strings.TrimPrefix(ref, keptRefs))
		}
	}
	if len(loose) > 0 {
		i.note("kept and not in this record: %s", listed(loose))
	}
}

// listed names at most four of a list and counts the rest.
func listed(list []string) string {
	const most = 4
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

// tasks are the board's, in id order.
func (i *inquiry) tasks() []*board.Task {
	var out []*board.Task
	for _, id := range slices.Sorted(maps.Keys(i.r.Board.Tasks)) {
		out = append(out, i.r.Board.Tasks[id])
	}
	return out
}

// attempts visits every attempt of the board, in order.
func (i *inquiry) attempts(visit func(*board.Task, *board.Attempt)) {
	for _, t := range i.tasks() {
		for n := range t.Attempts {
			visit(t, &t.Attempts[n])
		}
	}
}

// missing reports whether an error says that something is not there.
func missing(err error) bool { return errors.Is(err, git.ErrNotFound) }
