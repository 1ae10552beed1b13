package attempt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"torve/internal/failpoint"
	"torve/internal/gate"
	"torve/internal/process"
	"torve/internal/record"
)

// settle makes the files of a room equal to a tree, and runs setup again when a
// lock file differs from the tree that it last ran over. What setup and copy made,
// and worktree.keep, stay. A setup line that does not pass is given back.
func (s *Station) settle(ctx context.Context, r *room, tree, task string, n int) (ranLine, error) {
	stay, err := s.stays(ctx, r)
	if err == nil {
		err = s.sweep(ctx, r)
	}
	if err != nil {
		return ranLine{}, err
	}
	note := func() error { // first: a run that dies leaves them so
		if r.Next == tree {
			return nil
		}
		r.Next = tree
		return r.save()
	}
	if err := s.Repo.EqualNoted(ctx, r.dir, tree, stay, note); err != nil {
		return ranLine{}, fmt.Errorf("making %s equal to %s: %w", r.dir, short(tree), err)
	}
	if len(s.Settings.Setup) == 0 {
		return ranLine{}, nil
	}
	differ, err := s.locksDiffer(ctx, r.SetupTree, tree)
	if err != nil || !differ {
		return ranLine{}, err
	}
	ran, err := s.setup(ctx, r, task, n)
	if err != nil || ran.line != "" {
		return ran, err
	}
	r.SetupTree = tree
	if err := s.sweep(ctx, r); err != nil {
		return ranLine{}, err
	}
	if err := s.Repo.Equal(ctx, r.dir, tree, stay); err != nil {
		return ranLine{}, fmt.Errorf("making %s equal to %s after setup: %w", r.dir, short(tree), err)
	}
	made, err := s.loose(ctx, r)
	if err != nil {
		return ranLine{}, err
	}
	r.Setup = union(r.Setup, made)
	return ranLine{}, r.save()
}

// accept runs acceptance over a tree, in order, and stops at the first line that
// is not green. Evidence is that line and the end of what it printed. Acceptance is the
// agent's code: where it changed what is not its own the error is a *Broken.
func (s *Station) accept(ctx context.Context, r *room, tree string, lines []string, a about) (runs []gate.Ran, evidence string, err error) {
	if len(lines) == 0 {
		return nil, "", nil
	}
	if err := r.putBack(); err != nil { // what a run that died left set aside
		return nil, "", err
	}
	st, err := s.status(ctx, r)
	if err != nil {
		return nil, "", err
	}
	loose := union(st.Untracked, st.Ignored)
	before, err := s.watchOn(ctx, r)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, r.putBack()) }() // when leave has not come to it
	if err := cmp.Or(r.setAside(st.Ignored, s.staysOf(r, loose)), r.setTempsAside()); err != nil {
		return nil, "", err
	}
	failpoint.Hit(failpoint.AttemptAside)
	runs, evidence, err = s.settledLines(ctx, r, tree, lines, a)
	faults, broke := s.broken(context.WithoutCancel(ctx), r, a, before)
	switch {
	case len(faults) > 0:
		return nil, "", &Broken{faults}
	case err != nil || broke != nil:
		return nil, "", errors.Join(err, broke)
	}
	return runs, evidence, s.leave(ctx, r, tree, loose)
}

// settledLines makes the files the tree's and runs the lines over them; a setup line
// that does not pass is the first of them.
func (s *Station) settledLines(ctx context.Context, r *room, tree string, lines []string, a about) ([]gate.Ran, string, error) {
	failed, err := s.settle(ctx, r, tree, a.task, a.n)
	if err != nil {
		return nil, "", err
	}
	if failed.line != "" {
		ran := ranOf(failed.line, tree, failed.res, -1, s.Settings.SetupLimit)
		return []gate.Ran{ran}, shown(failed.line, ran, failed.res), nil
	}
	return s.lineByLine(ctx, r, tree, lines, a.task, a.n)
}

// lineByLine runs the lines where the tree's files stand already.
func (s *Station) lineByLine(ctx context.Context, r *room, tree string, lines []string, task string, n int) (runs []gate.Ran, evidence string, err error) {
	for i, line := range lines {
		t, err := s.try(ctx, r, tree, line, i > 0, task, n)
		if err != nil {
			return nil, "", err
		}
		runs = append(runs, t.Ran)
		if t.Why != "" {
			return runs, t.shown(), nil
		}
	}
	return runs, "", nil
}

// leave notes what acceptance made beside the tree, and the state of the files as
// the host leaves them: whoever changes them later is found out.
//
// Where git sees no difference to the tree that was made there, the tree is noted by its
// name: it is only ever compared with what is taken of the files later.
func (s *Station) leave(ctx context.Context, r *room, tree string, before []string) error {
	if err := r.putBack(); err != nil {
		return err
	}
	st, err := s.status(ctx, r)
	if err != nil {
		return err
	}
	made := slices.DeleteFunc(union(st.Untracked, st.Ignored), func(p string) bool { return slices.Contains(before, p) })
	r.Made = union(r.Made, made)
	if len(st.Changed)+len(st.Untracked) == 0 {
		r.Left = tree
		return r.save()
	}
	if r.Left, err = s.Repo.Snapshot(ctx, r.dir, r.Base, nil); err != nil { // swept by loose
		return fmt.Errorf("noting how the files of %s were left: %w", r.dir, err)
	}
	return r.save()
}

// ranOf is one line as it ran, in the gate's words.
func ranOf(line, tree string, res process.Result, tests int, limit time.Duration) gate.Ran {
	return gate.Ran{
		Line: line, Tree: tree, Exit: res.Exit, Tests: tests, Seconds: res.Took.Seconds(),
		Output: res.SHA256, Last: masked(gate.Telling(line, res.Output, res.Last)), Why: whyNot(line, res, tests, limit),
	}
}

// whyNot is why a line is not green; empty when it is.
func whyNot(line string, res process.Result, tests int, limit time.Duration) string {
	switch {
	case res.End == process.TimedOut:
		return gate.Why(line, res.Exit, tests, limit)
	case res.Signal != "":
		return "was ended by " + res.Signal
	}
	return gate.Why(line, res.Exit, tests, 0)
}

// evidenceCap is how much of a line's output a repair is shown: its end.
const evidenceCap = 8 << 10

// shown is what the place showed: the command, and the end of what it printed. No
// word of a verdict is in it.
func shown(line string, ran gate.Ran, res process.Result) string {
	text := strings.ToValidUTF8(masked(string(res.Output)), "?")
	if len(text) > evidenceCap {
		text = text[len(text)-evidenceCap:]
		if _, rest, cut := strings.Cut(text, "\n"); cut {
			text = rest
		}
		text = "[...]\n" + text
	}
	return "$ " + masked(line) + "\n" + strings.TrimRight(text, "\n") + "\n(" + ran.Why + ")"
}

// ranBefore turns recorded runs into the gate's, as answered over this very tree.
func ranBefore(runs []record.Ran) []gate.Ran {
	out := make([]gate.Ran, 0, len(runs))
	for _, r := range runs {
		out = append(out, gate.Ran{
			Line: r.Line, Why: r.Why, Last: r.Last, Output: r.Output, Tree: r.Tree,
			Exit: r.Exit, Tests: r.Tests, Seconds: r.Seconds, Again: true,
			Flaky: r.Flaky, First: r.First,
		})
	}
	return out
}
