package view

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"torve/internal/board"
	"torve/internal/git"
	"torve/internal/spec"
	"torve/internal/truth"
)

func whyCommit(ctx context.Context, r *truth.Reading, o Options, subject string) (*WhyAnswer, error) {
	id, err := o.Repo.Resolve(ctx, subject+"^{commit}")
	if errors.Is(err, git.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		if objectID.MatchString(subject) {
			return nil, fmt.Errorf("resolving %s: %w", subject, err)
		}
		return nil, nil // no revision at all
	}
	c, err := o.Repo.ReadCommit(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("reading commit %s: %w", Short(id), err)
	}
	a := newWhy(r, o, subject, ofCommit)
	a.Line = &Line{Commit: c.ID, At: c.At, Author: c.Author.Name, Title: c.Title()}
	return a, a.behind(ctx, r, o)
}

// stranger says why nothing here is called so, and what may have been meant.
func stranger(ctx context.Context, r *truth.Reading, o Options, subject string) *Unknown {
	u := &Unknown{Subject: subject, Hint: "torve status"}
	switch m := lineOf.FindStringSubmatch(subject); {
	case specID.MatchString(subject):
		u.Why, u.Hint = ofSpec(ctx, r, o, subject)
	case decisionID.MatchString(subject):
		u.Why = "no specification on " + r.Target + " has this decision"
	case taskID.MatchString(subject):
		u.Why = "no carrier knows this task"
	case objectID.MatchString(subject):
		if ids := ambiguous(ctx, o.Repo, subject); len(ids) > 1 {
			u.Why, u.Hint = fmt.Sprintf("%s begin so: %s", Count(len(ids), "commit"), strings.Join(ids[:min(len(ids), 4)], ", ")), "torve why "+ids[0]
		}
	case m != nil:
		u.Why, u.Hint = "there is no file "+o.place(m[1])+" here or on "+r.Target, "git log --oneline --all"+o.argument(o.place(m[1]))
	}
	return u
}

// ofSpec says which decision of a specification could be asked about.
func ofSpec(ctx context.Context, r *truth.Reading, o Options, id string) (why, hint string) {
	c := corpus{repo: o.Repo, head: r.Head, specs: map[string]*spec.Spec{}}
	s, file, err := c.read(ctx, id)
	switch {
	case err != nil || file == "":
		return "no specification on " + r.Target + " has this id", "torve status"
	case s == nil || len(s.Decisions) == 0:
		return file + " has no decision that reads", "torve why " + board.Quoted(file)
	}
	return "it is a specification: ask about one of its decisions", "torve why " + id + "/" + s.Decisions[0].ID
}

// ambiguous lists the commits whose ids begin so, a few more digits of each.
func ambiguous(ctx context.Context, repo *git.Repo, prefix string) []string {
	out, err := repo.Run(ctx, "rev-parse", "--disambiguate="+prefix)
	if err != nil {
		return nil
	}
	var ids []string
	for id := range strings.FieldsSeq(out) {
		if _, err := repo.ReadCommit(ctx, id); err == nil {
			ids = append(ids, id[:min(len(id), len(prefix)+6)])
		}
	}
	return ids
}
