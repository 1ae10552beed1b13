package attempt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"torve/internal/board"
	"torve/internal/git"
)

// watch is what an agent must leave alone, as it was before it started.
type watch struct {
	guard git.Guard
	main  []string // what had changed in the main work tree already
}

// watch takes it. Where no wall is up it is all that says isolation held.
func (r *run) watch(ctx context.Context) (watch, error) {
	g, err := r.Repo.Guarded(ctx)
	if err != nil {
		return watch{}, fmt.Errorf("taking what the agent must leave alone: %w", err)
	}
	w := watch{guard: g}
	w.main, err = r.mainPaths(ctx)
	return w, err
}

func (r *run) mainPaths(ctx context.Context) ([]string, error) {
	if r.Repo.Main == "" {
		return nil, nil
	}
	st, err := r.Repo.Status(ctx, r.Repo.Main)
	if err != nil {
		return nil, fmt.Errorf("reading the main work tree: %w", err)
	}
	return st.Paths, nil
}

// broken says what the agent changed outside its tree; empty when isolation held.
// The main work tree is reported and never attributed: people edit there.
func (r *run) broken(ctx context.Context, before watch) ([]string, error) {
	faults := r.relink() // first: no git may run over a repository that the agent put there
	now, err := r.Repo.Guarded(ctx)
	if err != nil {
		return nil, fmt.Errorf("comparing what the agent must leave alone: %w", err)
	}
	judge, err := r.explains(ctx)
	if err != nil {
		return nil, err
	}
	faults = append(faults, before.guard.Changed(now, judge.explained)...)
	for _, ref := range judge.left {
		r.warn("the agent left " + ref + " behind")
	}
	main, err := r.mainPaths(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(main, before.main) {
		r.warn("the main work tree changed meanwhile; people edit there, so nothing is made of it")
	}
	return faults, nil
}

// explainer says which refs changed for a reason that is not the agent.
type explainer struct {
	ctx     context.Context
	repo    *git.Repo
	board   *board.Board
	own     map[string]bool // commits made in the attempt's own worktree
	kept    string          // the ref that is ours to make
	left    []string        // branches and tags that the agent made
	targets string
}

func (r *run) explains(ctx context.Context) (*explainer, error) {
	b, err := r.fold(ctx)
	if err != nil {
		return nil, err
	}
	made, err := r.made(ctx, r.room)
	if err != nil {
		return nil, err
	}
	own := map[string]bool{}
	for _, id := range made {
		own[id] = true
	}
	return &explainer{ctx: ctx, repo: r.Repo, board: b, own: own, kept: ref(r.job.Task.ID, r.job.N), targets: "refs/heads/" + r.Settings.Target}, nil
}

// explained is asked of each ref that changed. A ref of torve's is explained by the
// record, the target by a landing, another by its reflog, unless what it moved to was
// made in the attempt's worktree. A branch or tag that is new harms nothing and is told.
func (e *explainer) explained(ref, old, new string) bool {
	switch {
	case strings.HasPrefix(ref, "refs/torve/attempts/"):
		return ref != e.kept && old == "" && e.attempt(ref)
	case strings.HasPrefix(ref, "refs/torve/"):
		return false
	case old == "" && (strings.HasPrefix(ref, "refs/heads/") || strings.HasPrefix(ref, "refs/tags/")):
		if e.own[new] {
			e.left = append(e.left, ref)
		}
		return true
	case e.own[new]:
		return false
	case ref == e.targets && e.landing(new):
		return true
	case strings.HasPrefix(ref, "refs/remotes/") && new == "":
		return true // a fetch that prunes leaves no reflog; what it removes is the remote's
	}
	return e.reflog(ref, old, new)
}

// attempt reports whether the record knows the attempt that a kept ref is named for.
func (e *explainer) attempt(ref string) bool {
	task, n, _ := strings.Cut(strings.TrimPrefix(ref, "refs/torve/attempts/"), "/")
	number, err := strconv.Atoi(n)
	t := e.board.Tasks[task]
	return err == nil && t != nil && t.Attempt(number) != nil
}

// landing reports whether the commit is a landing: its second parent is the landing
// commit, and the work below it names its task.
func (e *explainer) landing(id string) bool {
	c, err := e.repo.ReadCommit(e.ctx, id)
	for range 3 {
		if err != nil {
			return false
		}
		if c.Trailers()["Torve-Task"] != "" {
			return true
		}
		if len(c.Parents) == 0 {
			return false
		}
		c, err = e.repo.ReadCommit(e.ctx, c.Parents[len(c.Parents)-1])
	}
	return false
}

// reflog reports whether the ref's own log leads from the old value to the new.
func (e *explainer) reflog(ref, old, new string) bool {
	if new == "" {
		return false
	}
	out, err := e.repo.Run(e.ctx, "rev-list", "--walk-reflogs", ref)
	if err != nil {
		return false // it has no reflog
	}
	values := strings.Fields(out)
	at := slices.Index(values, new)
	return at >= 0 && (old == "" || slices.Contains(values[at:], old))
}

// relink puts the worktree's link to the repository back when it is not the one
// that was made, so that the files can be taken; what stood there is set aside.
func (r *run) relink() []string {
	link := filepath.Join(r.room.dir, ".git")
	st, err := os.Lstat(link)
	if err == nil && st.Mode().IsRegular() {
		if data, err := os.ReadFile(link); err == nil && string(data) == r.room.Link {
			return nil
		}
	}
	said := []string{"the worktree's .git is not the one that was made"}
	if err == nil {
		if err := os.Rename(link, r.room.aside()); err != nil {
			return append(said, "it could not be set aside: "+err.Error())
		}
	}
	if err := os.WriteFile(link, []byte(r.room.Link), 0o644); err != nil {
		return append(said, "it could not be put back: "+err.Error())
	}
	return said
}
