package attempt

import (
	"context"
	"fmt"
	"slices"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/gate"
	"torve/internal/git"
	"torve/internal/truth"
)

// place takes the readings of one attempt: git, and the acceptance run in its room.
type place struct {
	*Station
	job    Job
	base   string                               // the commit that it was cut from
	tree   string                               // its changed tree
	lines  []string                             // acceptance, in order
	room   func(context.Context) (*room, error) // the attempt's own; asked for only when something runs
	passed []board.Judging                      // what was judged of it before
	told   func()                               // waits until the state file says what came before the gate was asked
	asked  asked                                // how its agent was asked

	changed int    // paths that differ from the base
	failed  string // what the line showed that was not green; "" when all were
}

// Changes is the attempt's tree against its base.
func (p *place) Changes(ctx context.Context) ([]gate.Change, error) {
	out, err := p.changes(ctx, p.base, p.tree, p.job.Task.Contract.Budget.Changes, p.lines)
	p.changed = len(out)
	return out, err
}

// Arrival reads the place for the whole proposal: acceptance on its own tree with
// the log in it, and how the target stands to it.
func (p *place) Arrival(ctx context.Context) (gate.Reading, string, error) {
	head, err := p.target(ctx)
	if err != nil {
		return gate.Reading{}, "", err
	}
	now, err := p.task(ctx, p.job.Task.ID)
	if err != nil {
		return gate.Reading{}, "", err
	}
	g, err := p.withLog(ctx, now)
	if err != nil {
		return gate.Reading{}, "", err
	}
	r, err := p.reading(ctx, now, head, g)
	if err != nil || r.Money != "" {
		return r, g, err
	}
	return r, g, p.run(ctx, &r, g)
}

// Due reads the place as the head stands: the merge of both, run unless that very
// tree passed already. Where they do not merge nothing is run.
func (p *place) Due(ctx context.Context, head string) (gate.Reading, string, error) {
	now, err := p.task(ctx, p.job.Task.ID)
	if err != nil {
		return gate.Reading{}, "", err
	}
	work, err := p.withLog(ctx, now)
	if err != nil {
		return gate.Reading{}, "", err
	}
	r, err := p.reading(ctx, now, head, work)
	if err != nil || len(r.Conflicts) > 0 || r.Money != "" {
		return r, "", err
	}
	m, err := p.merged(ctx, head, work)
	if err != nil {
		return r, "", err
	}
	if runs := p.ranOver(m.Tree); runs != nil {
		r.Runs = runs
		return r, m.Tree, nil
	}
	return r, m.Tree, p.run(ctx, &r, m.Tree)
}

// run runs acceptance over a tree in the attempt's own room.
func (p *place) run(ctx context.Context, r *gate.Reading, tree string) error {
	a, err := p.job.about()
	if err != nil {
		return err
	}
	room, err := p.room(ctx)
	if err != nil {
		return err
	}
	r.Runs, p.failed, err = p.accept(ctx, room, tree, p.lines, a)
	p.name(r.Runs)
	return err
}

// name puts the row's name before a line that is a row's check.
func (p *place) name(runs []gate.Ran) {
	for i := range runs {
		runs[i].Line = p.named(runs[i].Line)
	}
}

func (p *place) named(line string) string { return p.job.named(line, p.Settings.Acceptance) }

func (j Job) named(line string, repository []string) string {
	return gate.Named(line, j.Task.Contract, repository, rowsOf(j.Task.Rows))
}

// ranOver is acceptance as it ran, green and whole, over this very tree with these
// very lines; nil when it did not.
func (p *place) ranOver(tree string) []gate.Ran {
	for _, j := range slices.Backward(p.passed) {
		if j.Tree != tree || len(j.Acceptance) != len(p.lines) || len(p.lines) == 0 {
			continue
		}
		green := true
		for i, ran := range j.Acceptance {
			green = green && ran.Why == "" && ran.Line == masked(p.named(p.lines[i])) && ran.Tree == tree
		}
		if green {
			return ranBefore(j.Acceptance)
		}
	}
	return nil
}

// withLog is the attempt's tree with the task's log in it, rendered from the
// record; a task without an entry has none.
func (p *place) withLog(ctx context.Context, now *board.Task) (string, error) {
	return p.logged(ctx, p.tree, p.base, now)
}

func (s *Station) logged(ctx context.Context, tree, base string, now *board.Task) (string, error) {
	log := truth.LogOf(now, base)
	if len(log.Entries) == 0 {
		return tree, nil
	}
	data, err := carrier.WriteLog(log)
	if err != nil {
		return "", fmt.Errorf("rendering the log of %s: %w", now.ID, err)
	}
	id, err := s.Repo.WriteBlob(ctx, data)
	if err != nil {
		return "", fmt.Errorf("storing the log of %s: %w", now.ID, err)
	}
	g, err := s.Repo.EditTree(ctx, tree, git.Edit{Path: carrier.LogPath(now.ID), Mode: "100644", ID: id})
	if err != nil {
		return "", fmt.Errorf("putting the log of %s into its tree: %w", now.ID, err)
	}
	return g, nil
}

// reading is what the last two checks need besides acceptance.
func (p *place) reading(ctx context.Context, now *board.Task, head, work string) (gate.Reading, error) {
	r := gate.Reading{
		Target: p.Settings.Target, Head: head, Money: money(now), Planned: len(p.lines), InForce: now.Digest,
	}
	r.OnTarget = p.base == head
	var err error
	if !r.OnTarget {
		if r.OnTarget, err = p.Repo.IsAncestor(ctx, p.base, head); err != nil {
			return r, fmt.Errorf("asking whether the base is on %s: %w", p.Settings.Target, err)
		}
	}
	if r.OnTarget {
		if err := p.since(ctx, &r, head, work); err != nil {
			return r, err
		}
	}
	if p.job.Landed != nil && len(now.Contract.DependsOn) > 0 {
		if r.Unlanded, err = p.job.Landed(ctx, head, now.Contract.DependsOn); err != nil {
			return r, fmt.Errorf("asking which dependencies have landed: %w", err)
		}
	}
	return r, nil
}

// since is what has come to the target since the base: commits that touched the
// scope, and what does not merge with them.
func (p *place) since(ctx context.Context, r *gate.Reading, head, work string) error {
	if p.base == head {
		return nil
	}
	commits, err := p.Repo.Between(ctx, p.base, head)
	if err != nil {
		return fmt.Errorf("listing what came to %s since the base: %w", p.Settings.Target, err)
	}
	for _, c := range commits {
		if slices.ContainsFunc(c.Paths, func(path string) bool { return admits(p.job.Task.Contract.Scope, path) }) {
			r.Since++
		}
	}
	m, err := p.merged(ctx, head, work)
	if err != nil {
		return err
	}
	r.Conflicts = m.Conflicts
	return nil
}

func admits(s contract.Scope, path string) bool {
	ok, _ := s.Admits(path)
	return ok
}

// merged is head and work merged over the base that the work was cut from.
func (p *place) merged(ctx context.Context, head, work string) (git.Merged, error) {
	if head == p.base {
		return git.Merged{Tree: work}, nil
	}
	m, err := p.Repo.Merge(ctx, p.base, head, work)
	if err != nil {
		return m, fmt.Errorf("merging the work with %s: %w", short(head), err)
	}
	return m, nil
}

// target is the target's head as it is now.
func (p *place) target(ctx context.Context) (string, error) {
	if p.Head == nil {
		return p.job.Head, nil
	}
	head, err := p.Head(ctx)
	if err != nil {
		return "", fmt.Errorf("reading the head of %s: %w", p.Settings.Target, err)
	}
	return head, nil
}

// money is why the budget does not pay for it; empty when it does. Only cost that
// was reported or estimated acts: what is unknown is held by minutes and attempts.
func money(t *board.Task) string {
	most := t.Contract.Budget.USD
	if most <= 0 {
		return ""
	}
	by := board.SpentSince(t).USD
	spent := by["reported"] + by["estimated"]
	if spent < most {
		return ""
	}
	return fmt.Sprintf("$%.2f are spent, and the budget is $%.2f", spent, most)
}
