package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"torve/internal/board"
	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/spec"
	"torve/internal/strictyaml"
	"torve/internal/truth"
)

// Decision is a row that bound a task, as minted, and how it stands today.
type Decision struct {
	ID       string `json:"id"`
	Grade    string `json:"grade"`
	Text     string `json:"text"`
	Today    string `json:"today"` // same, edited, superseded, missing; "" when its specification does not read
	File     string `json:"file"`  // where it stands today
	Line     int    `json:"line"`
	Said     string `json:"said"` // the last entry's action; "" where the log is silent
	Evidence string `json:"evidence"`
	Why      string `json:"why"`
	Proposal string `json:"proposal"`
}

// decided fills the decisions that bound the task.
func (a *WhyAnswer) decided(ctx context.Context, r *truth.Reading, o Options, s truth.Settled, f facts) error {
	if t := s.Board(); t != nil && t.Digest != "" {
		for _, row := range t.Rows {
			a.Decisions = append(a.Decisions, Decision{ID: row.ID, Grade: row.Grade, Text: row.Text})
		}
	} else if f.landing != nil {
		for _, d := range f.landing.Decisions {
			a.Decisions = append(a.Decisions, Decision{ID: d.ID, Grade: d.Grade, Text: d.Text})
		}
	}
	c := corpus{repo: o.Repo, head: r.Head, specs: map[string]*spec.Spec{}}
	for i := range a.Decisions {
		d := &a.Decisions[i]
		if err := c.today(ctx, d); err != nil {
			return err
		}
		for _, e := range slices.Backward(a.Divergences) {
			if e.Decision == d.ID {
				d.Said, d.Evidence, d.Why, d.Proposal = e.Action, e.Evidence, e.Why, e.Proposal
				break
			}
		}
	}
	return nil
}

// corpus reads specifications at a head, each once.
type corpus struct {
	repo  *git.Repo
	head  string
	specs map[string]*spec.Spec // nil: there is none, or it does not read
	files []git.Entry
	asked bool
}

// today says how a decision stands at the head.
func (c *corpus) today(ctx context.Context, d *Decision) error {
	id, row, ok := strings.Cut(d.ID, "/")
	if !ok {
		return nil
	}
	s, file, err := c.read(ctx, id)
	if err != nil {
		return err
	}
	d.File = file
	if s == nil {
		if file == "" {
			d.Today = "missing"
		}
		return nil
	}
	d.Today = "missing"
	for _, now := range s.Decisions {
		if now.ID != row {
			continue
		}
		d.Line = now.Line
		switch {
		case s.Status == "superseded":
			d.Today = "superseded"
		case now.Text == d.Text && now.Grade == d.Grade:
			d.Today = "same"
		default:
			d.Today = "edited"
		}
	}
	return nil
}

// list finds the files of the corpus, once.
func (c *corpus) list(ctx context.Context) error {
	if c.asked || c.head == "" {
		return nil
	}
	files, err := c.repo.Tree(ctx, c.head, spec.Folder+"/")
	if err != nil {
		return fmt.Errorf("listing the specifications: %w", err)
	}
	c.files, c.asked = files, true
	return nil
}

// each hands on every specification, or what is wrong with its file.
func (c *corpus) each(ctx context.Context, take func(path string, s spec.Spec, fault *strictyaml.Error)) error {
	if err := c.list(ctx); err != nil {
		return err
	}
	for _, f := range c.files {
		if !spec.IsFile(f.Path) {
			continue
		}
		data, err := c.repo.Blob(ctx, f.ID)
		if err != nil {
			return fmt.Errorf("reading %s: %w", f.Path, err)
		}
		s, err := spec.Parse(f.Path, data)
		var fault *strictyaml.Error
		if err != nil && !errors.As(err, &fault) {
			return fmt.Errorf("reading %s: %w", f.Path, err)
		}
		take(f.Path, s, fault)
	}
	return nil
}

// read finds a specification by its id; nil when there is none, or when it does
// not read: then the file is named.
func (c *corpus) read(ctx context.Context, id string) (*spec.Spec, string, error) {
	if err := c.list(ctx); err != nil {
		return nil, "", err
	}
	i := slices.IndexFunc(c.files, func(e git.Entry) bool {
		name := strings.TrimPrefix(e.Path, spec.Folder+"/")
		return spec.IsFile(e.Path) && (strings.HasPrefix(name, id+"-") || name == id+".md")
	})
	if i < 0 {
		return nil, "", nil
	}
	path := c.files[i].Path
	if s, read := c.specs[id]; read {
		return s, path, nil
	}
	data, err := c.repo.Blob(ctx, c.files[i].ID)
	if err != nil {
		return nil, "", fmt.Errorf("reading %s: %w", path, err)
	}
	c.specs[id] = nil
	if s, err := spec.Parse(path, data); err == nil {
		c.specs[id] = &s
	}
	return c.specs[id], path, nil
}

// decision answers for one row: its text today, and every task that it bound.
func (a *WhyAnswer) decision(ctx context.Context, r *truth.Reading, o Options, id string) error {
	c := corpus{repo: o.Repo, head: r.Head, specs: map[string]*spec.Spec{}}
	d := Decision{ID: id}
	if r.Board != nil {
		if known, there := r.Board.Decisions[id]; there {
			d.Grade, d.Text = known.Grade, known.Text
		}
	}
	if err := c.today(ctx, &d); err != nil {
		return err
	}
	sid, row, _ := strings.Cut(id, "/")
	s, _, err := c.read(ctx, sid)
	if err != nil {
		return err
	}
	if s != nil {
		for _, now := range s.Decisions {
			if now.ID == row && d.Text == "" {
				d.Grade, d.Text, d.Today = now.Grade, now.Text, "same"
			}
		}
	}
	if d.Text == "" {
		return stranger(ctx, r, o, id)
	}
	a.Decisions = append(a.Decisions, d)
	a.Chain = append(a.Chain, Link{ofDecision, id, d.Text})
	if err := a.bound(ctx, r, id); err != nil {
		return err
	}
	a.Sources["tasks"] = o.source(carrierOf(r), len(a.Tasks))
	a.Sources["decisions"] = o.source(fromGit, 1)
	for _, task := range a.Tasks[:min(len(a.Tasks), 1)] {
		a.Next = append(a.Next, Step{"torve why " + task, ""})
	}
	return nil
}

// bound lists the tasks that a decision bound, and what their logs say of it.
func (a *WhyAnswer) bound(ctx context.Context, r *truth.Reading, id string) error {
	seen := map[string]bool{}
	add := func(task string) {
		if !seen[task] {
			seen[task] = true
			a.Tasks = append(a.Tasks, task)
		}
	}
	if r.Board != nil {
		var bound []*board.Task
		err := r.Board.Each(ctx, func(t *board.Task) {
			if t.Digest != "" && boundBy(t, id) {
				bound = append(bound, t)
			}
		})
		if err != nil {
			return err
		}
		slices.SortFunc(bound, func(a, b *board.Task) int { return cmp.Compare(a.ID, b.ID) })
		for _, t := range bound {
			add(t.ID)
			for _, e := range truth.EntriesOf(t) {
				if e.Decision == id {
					a.Divergences = append(a.Divergences, e)
				}
			}
		}
	}
	for _, f := range r.Landings {
		if r.Recorded(f.Task) {
			continue
		}
		l, err := f.Load(ctx)
		if err != nil {
			return fmt.Errorf("reading the landing %s: %w", f.Path, err)
		}
		for _, d := range l.Decisions {
			if d.ID == id {
				add(f.Task)
			}
		}
		for _, e := range l.Entries {
			if e.Decision == id {
				add(f.Task)
				a.Divergences = append(a.Divergences, e)
			}
		}
	}
	return nil
}

// boundBy reports whether a decision binds a task, or its log speaks of it.
func boundBy(t *board.Task, id string) bool {
	return slices.ContainsFunc(t.Rows, func(row record.Row) bool { return row.ID == id }) ||
		slices.ContainsFunc(t.Log, func(n board.Noted) bool { return n.Decision == id })
}
