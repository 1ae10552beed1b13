package view

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/truth"
)

// How the work of a landing was found.
const (
	bySHA      = "sha"      // its commit, as the landing file names it
	byTrailer  = "trailers" // a commit on the line whose trailers name the task: it was rebased
	byLanding  = "landing"  // only the commit that added the landing file
	notLanding = ""
)

// notHere is said when only the landing file tells of the work.
const notHere = "landed; its work commit is not in this clone"

// Work is a task's work as git holds it: what to look at, and the one command
// that looks at it.
type Work struct {
	Task    string `json:"task"`
	Kind    string `json:"kind"` // landed or kept
	Ref     string `json:"ref"`  // the kept ref; "" for what landed
	From    string `json:"from"` // the commit that the work is seen against; "" when it has none
	To      string `json:"to"`
	Found   string `json:"found"` // sha, trailers or landing; "" for what is kept
	Command string `json:"command"`
	Note    string `json:"note"`
	By      string `json:"by"` // whose commit it is; "" for what is kept
	Attempt int    `json:"attempt"`
}

// Look finds the landed work of a task, else the newest that is kept.
func Look(ctx context.Context, r *truth.Reading, o Options, task string) (Work, error) {
	if err := r.Read(ctx, task); err != nil {
		return Work{}, err
	}
	s := r.Settled(task)
	if err := s.Err(); err != nil {
		return Work{}, err
	}
	if !s.Known() {
		return Work{}, &Unknown{Subject: task, Why: "no carrier knows this task", Hint: "torve status"}
	}
	if file := s.Landing(); file != nil {
		f, err := factsOf(ctx, s, true)
		if err != nil {
			return Work{}, err
		}
		return landedWork(ctx, o.Repo, r.Head, *f.landed, task, file.Attempt)
	}
	return o.kept(ctx, s)
}

// landedWork finds the work commit of a landing: by its sha, else by its
// trailers, else by the commit that first added the landing file.
func landedWork(ctx context.Context, repo *git.Repo, head string, l Landed, task string, attempt int) (Work, error) {
	w := Work{Task: task, Kind: "landed", Attempt: attempt}
	c, how, err := findWork(ctx, repo, head, l, task, attempt)
	if err != nil {
		return Work{}, err
	}
	w.Found = how
	if how == notLanding {
		w.Note = notHere
		return w, nil
	}
	w.To, w.By, w.Command = c.ID, c.Author.Name, "git show "+Short(c.ID)
	if len(c.Parents) > 0 {
		w.From = c.Parents[0]
	}
	if how == byLanding {
		w.Note = notHere
	}
	return w, nil
}

// onLine reads a commit, and says whether it is on the line of a head: it may not be in
// this clone at all.
func onLine(ctx context.Context, repo *git.Repo, head, commit string) (git.Commit, bool, error) {
	c, err := repo.ReadCommit(ctx, commit)
	if errors.Is(err, git.ErrNotFound) {
		return c, false, nil
	}
	if err != nil {
		return c, false, fmt.Errorf("reading the work %s: %w", Short(commit), err)
	}
	on, err := repo.IsAncestor(ctx, commit, head)
	return c, on, err
}

func findWork(ctx context.Context, repo *git.Repo, head string, l Landed, task string, attempt int) (git.Commit, string, error) {
	c, on, err := onLine(ctx, repo, head, l.Commit)
	if err != nil || on {
		return c, bySHA, err
	}
	c, err = repo.ByTrailer(ctx, head, "Torve-Task", task)
	if err == nil && attempt > 0 && c.Trailers()["Torve-Attempt"] == strconv.Itoa(attempt) {
		return c, byTrailer, nil
	}
	if err != nil && !errors.Is(err, git.ErrNotFound) {
		return git.Commit{}, notLanding, fmt.Errorf("finding the work of %s: %w", task, err)
	}
	c, err = repo.FirstAdding(ctx, head, l.Path)
	switch {
	case errors.Is(err, git.ErrNotFound):
		return git.Commit{}, notLanding, nil
	case err != nil:
		return git.Commit{}, notLanding, fmt.Errorf("finding what added %s: %w", l.Path, err)
	}
	return c, byLanding, nil
}

// kept is the newest attempt whose tree a ref holds, by the record or by the refs.
func (o Options) kept(ctx context.Context, s truth.Settled) (Work, error) {
	w, repo := Work{Task: s.Task(), Kind: "kept"}, o.Repo
	none := Unknown{Subject: s.Task(), Hint: "torve why " + s.Task()}
	if t := s.Board(); t != nil {
		for _, a := range slices.Backward(t.Attempts) {
			if a.Finished != nil && a.Finished.Ref != "" {
				w.Ref, w.From, w.To, w.Attempt = a.Finished.Ref, a.Finished.Base, a.Finished.Head, a.N
				none.Why = fmt.Sprintf("the work of attempt %d is not in this clone", a.N)
				if record.Shared(o.Log) {
					none.Why, none.Hint = fmt.Sprintf("the work of attempt %d is in %s, and not in this clone", a.N, a.Place()), "there: torve diff "+s.Task()
				}
				break
			}
		}
	}
	if w.Ref == "" {
		if err := w.fromRefs(ctx, repo); err != nil {
			return Work{}, err
		}
	}
	if w.Ref == "" {
		return Work{}, &Unknown{Subject: s.Task(), Why: "no attempt at it has left any work yet", Hint: "torve why " + s.Task()}
	}
	switch _, err := repo.ReadCommit(ctx, w.To); {
	case errors.Is(err, git.ErrNotFound):
		return Work{}, &none
	case err != nil:
		return Work{}, fmt.Errorf("reading the kept work of %s: %w", s.Task(), err)
	}
	w.Command = "git diff " + Short(w.From) + " " + w.Ref
	return w, nil
}

// fromRefs takes the highest attempt that has a ref.
func (w *Work) fromRefs(ctx context.Context, repo *git.Repo) error {
	prefix := "refs/torve/attempts/" + w.Task + "/"
	refs, err := repo.Refs(ctx, prefix)
	if err != nil {
		return fmt.Errorf("listing the kept work of %s: %w", w.Task, err)
	}
	highest := -1
	for name, id := range refs {
		if n, err := strconv.Atoi(strings.TrimPrefix(name, prefix)); err == nil && n > highest {
			highest, w.Ref, w.To, w.Attempt = n, name, id, n
		}
	}
	if w.Ref == "" {
		return nil
	}
	c, err := repo.ReadCommit(ctx, w.To)
	if err != nil {
		return fmt.Errorf("reading the kept work of %s: %w", w.Task, err)
	}
	if len(c.Parents) > 0 {
		w.From = c.Parents[0]
	}
	return nil
}
