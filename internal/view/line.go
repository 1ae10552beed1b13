package view

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"torve/internal/carrier"
	"torve/internal/git"
	"torve/internal/strictyaml"
	"torve/internal/truth"
)

// Line is the commit behind a line, a path or a commit that was asked about.
type Line struct {
	Path   string    `json:"path"`
	N      int       `json:"n"` // 0 when no line was asked about
	Text   string    `json:"text"`
	Commit string    `json:"commit"`
	At     time.Time `json:"at"`
	Author string    `json:"author"`
	Title  string    `json:"title"` // the commit's first line
	Ours   bool      `json:"ours"`  // a landing names the commit

	Uncommitted bool `json:"uncommitted"` // it is in the work tree alone, and no commit is named
}

var (
	taskID     = regexp.MustCompile(`^[A-Z]+-[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$`)
	decisionID = regexp.MustCompile(`^S-\d{4,}/D-\d+$`)
	specID     = regexp.MustCompile(`^S-\d{4,}$`)
	lineOf     = regexp.MustCompile(`^(.+):(\d+)$`)
	objectID   = regexp.MustCompile(`^[0-9a-f]{4,64}$`)
)

// Why answers for a task, a decision, a path with a line, a path, or a commit: in
// that order, the first that is there.
func Why(ctx context.Context, r *truth.Reading, o Options, subject string) (WhyAnswer, error) {
	for _, try := range []func(context.Context, *truth.Reading, Options, string) (*WhyAnswer, error){
		whyTask, whyDecision, whyLine, whyPath, whyCommit,
	} {
		a, err := try(ctx, r, o, subject)
		if err != nil {
			return WhyAnswer{}, err
		}
		if a != nil {
			return *a, nil
		}
	}
	return WhyAnswer{}, stranger(ctx, r, o, subject)
}

func whyTask(ctx context.Context, r *truth.Reading, o Options, subject string) (*WhyAnswer, error) {
	if !taskID.MatchString(subject) || !r.Settled(subject).Known() {
		return nil, nil
	}
	a := newWhy(r, o, subject, ofTask)
	return a, a.task(ctx, r, o, subject)
}

func whyDecision(ctx context.Context, r *truth.Reading, o Options, subject string) (*WhyAnswer, error) {
	if !decisionID.MatchString(subject) {
		return nil, nil
	}
	a := newWhy(r, o, subject, ofDecision)
	return a, a.decision(ctx, r, o, subject)
}

// touching lists the landed tasks whose work changed a path, newest first.
func touching(ctx context.Context, r *truth.Reading, o Options, rev, path string) ([]string, error) {
	out, err := o.Repo.Run(ctx, "log", "--format=%(trailers:key=Torve-Task,valueonly,separator=%x2C)", rev, "--", ":(literal)"+path)
	if err != nil {
		return nil, fmt.Errorf("listing what changed %s: %w", path, err)
	}
	tasks := []string{}
	for id := range strings.FieldsFuncSeq(out, func(r rune) bool { return r == '\n' || r == ',' }) {
		if !slices.Contains(tasks, id) && r.Settled(id).Landing() != nil {
			tasks = append(tasks, id)
		}
	}
	return tasks, nil
}

// behind finds the landing behind the commit of the subject, and with it the task.
func (a *WhyAnswer) behind(ctx context.Context, r *truth.Reading, o Options) error {
	a.Sources["landings"] = o.source(fromGit, len(r.Landings))
	if a.Line.Uncommitted {
		a.Next = []Step{{"git status -- " + o.typed(a.Line.Path), ""}}
		return nil
	}
	a.Chain = append(a.Chain, Link{ofCommit, a.Line.Commit, a.Line.Title})
	task, err := landingBehind(ctx, r, o, a.Line.Commit)
	if err != nil {
		return err
	}
	if task == "" {
		a.Next = []Step{{"git show " + Short(a.Line.Commit), ""}}
		return nil
	}
	a.Line.Ours = true
	if err := a.task(ctx, r, o, task); err != nil {
		return err
	}
	a.Next = []Step{{"torve why " + task, ""}, {"git show " + Short(a.Line.Commit) + o.argument(a.Line.Path), ""}}
	return nil
}

// landingBehind is the task whose landing names a commit: by its trailers, by a
// person's attestation, or by the landing file that the commit itself brought.
func landingBehind(ctx context.Context, r *truth.Reading, o Options, commit string) (string, error) {
	c, err := o.Repo.ReadCommit(ctx, commit)
	if err != nil {
		return "", fmt.Errorf("reading commit %s: %w", Short(commit), err)
	}
	if id := c.Trailers()["Torve-Task"]; id != "" && r.Settled(id).Landing() != nil {
		return id, nil
	}
	for _, f := range r.Landings {
		if f.Attempt != 0 {
			continue
		}
		l, err := f.Load(ctx)
		var broken *strictyaml.Error
		if err != nil && !errors.As(err, &broken) {
			return "", err
		}
		if err == nil && l.Commit == commit { // one that does not read is named by status and landings
			return f.Task, nil
		}
	}
	return broughtBy(ctx, r, o, c)
}

// broughtBy is the task whose landing file a commit added, as a squashed landing
// and the merge of one do.
func broughtBy(ctx context.Context, r *truth.Reading, o Options, c git.Commit) (string, error) {
	args := []string{"diff-tree", "--no-commit-id", "--name-only", "--diff-filter=A", "-r", "-z", "--no-renames", "--root"}
	if len(c.Parents) > 0 {
		args = append(args, c.Parents[0])
	}
	args = append(append(args, c.ID, "--"), carrier.LandingPrefixes()...)
	out, err := o.Repo.Run(ctx, args...)
	if err != nil {
		return "", fmt.Errorf("asking what commit %s brought: %w", Short(c.ID), err)
	}
	for path := range strings.SplitSeq(out, "\x00") {
		if task, _, _, ok := carrier.ParseLandingPath(path); ok && r.Settled(task).Landing() != nil {
			return task, nil
		}
	}
	return "", nil
}
