package attempt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"torve/internal/contract"
	"torve/internal/gate"
	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/seam"
	"torve/internal/workload"
)

// HereOptions is the gate asked by hand, in CI, or by an agent before it stops: of
// the files as they stand. Nothing is recorded.
type HereOptions struct {
	Repo     *git.Repo
	Dir      string             // root of the work tree that is asked about
	Base     string             // what it is asked against: a revision
	Contract *contract.Contract // nil: only the repository's own law and acceptance
	Rows     []record.Row       // that bind it
	Given    *Assignment        // from inside an attempt; it stands in the place of the three above
	Settings Settings
	Cheap    bool   // the first four alone: nothing is run
	Head     string // the target's head; "": the base stands for it
	Now      func() time.Time
	Landed   func(ctx context.Context, head string, ids []string) ([]string, error) // as a job's; nil: dependencies are not asked about
}

// HereResult is what the gate said.
type HereResult struct {
	Judged   workload.Judged
	Base     string             // the commit that the tree was asked against
	Contract *contract.Contract // nil: there was none
	NotAsked map[string]string  // by check: what of it was not asked; what was not is never a yes
}

// Here asks the gate of a work tree against a base. An error is a place that could
// not be read, and no verdict.
func Here(ctx context.Context, o HereOptions) (HereResult, error) {
	h, err := newHere(ctx, o)
	if err != nil {
		return HereResult{}, err
	}
	j, err := h.ask(ctx)
	return HereResult{Judged: j, Base: h.base, Contract: h.o.Contract, NotAsked: h.notAsked()}, err
}

// here is a work tree as a place: acceptance runs where it stands.
type here struct {
	*Station
	o          HereOptions
	job        Job
	base, tree string
	raw        []byte
}

func newHere(ctx context.Context, o HereOptions) (*here, error) {
	given := Assignment{Base: o.Base, Rows: o.Rows}
	if o.Given != nil {
		given = *o.Given
		o.Contract, o.Rows = &given.Contract, given.Rows
	}
	h := &here{Station: &Station{Repo: o.Repo, Settings: o.Settings, Now: o.Now}, o: o}
	h.job.Landed = o.Landed
	if c := o.Contract; c != nil {
		h.job.Task.ID, h.job.Task.Contract, h.job.Task.Rows = c.ID, *c, o.Rows
		h.job.Task.Digest = c.Digest()
	}
	var err error
	if h.base, err = o.Repo.Resolve(ctx, given.Base); err != nil {
		return nil, fmt.Errorf("finding the base %s: %w", given.Base, err)
	}
	if h.tree, err = o.Repo.Snapshot(ctx, o.Dir, h.base, given.Made); err != nil {
		return nil, fmt.Errorf("taking the files of %s: %w", o.Dir, err)
	}
	return h, h.listen(ctx, given.Report)
}

// listen reads what was said so far at the path of a report, notes with it.
func (h *here) listen(ctx context.Context, report string) error {
	if report == "" {
		return nil
	}
	a, err := h.account(ctx, roomOf(report), h.tree, h.job.Task.ID, 0)
	h.raw = a.raw
	return err
}

// notAsked says what of each check is left out: without a contract there is no
// scope, no cap and no decision to ask about; in short form nothing is run.
func (h *here) notAsked() map[string]string {
	not := map[string]string{}
	if h.o.Contract == nil {
		not[seam.OnShape] = "no contract: caps"
		not[seam.OnVerb] = "no contract: verbs and lines"
		not[seam.OnGrounding] = "no contract: decisions"
		not[seam.OnLaw] = "no contract: scope, protected paths and decisions"
		not[seam.OnFreshness] = "no contract: staleness and dependencies"
	}
	if h.o.Cheap {
		not[seam.OnReach] = "the tests run when the attempt ends"
		not[seam.OnFreshness] = "the target is read when the attempt ends"
	}
	return not
}

func (h *here) ask(ctx context.Context) (workload.Judged, error) {
	a := h.asProposal(ctx, h.job, h.base, h.raw, h.tree)
	if h.o.Cheap {
		changes, err := h.Changes(ctx)
		if err != nil {
			return workload.Judged{}, err
		}
		return workload.First(a, changes, h.Settings.Terms), nil
	}
	j, err := workload.Code(a, h, h.Settings.Terms).Arrive(ctx)
	if err != nil {
		return j, fmt.Errorf("asking the gate of %s: %w", h.o.Dir, err)
	}
	return j, nil
}

func (h *here) lines() []string {
	read, _ := workload.Report(h.raw, nil)
	return gate.Acceptance(h.job.Task.Contract, h.Settings.Acceptance, rowsOf(h.job.Task.Rows), read)
}

// Changes is the work tree against its base.
func (h *here) Changes(ctx context.Context) ([]gate.Change, error) {
	return h.changes(ctx, h.base, h.tree, h.job.Task.Contract.Budget.Changes, h.lines())
}

// Arrival runs acceptance in place, and reads how the base stands to the target.
func (h *here) Arrival(ctx context.Context) (gate.Reading, string, error) {
	p := &place{Station: h.Station, job: h.job, base: h.base, tree: h.tree, lines: h.lines()}
	head := h.o.Head
	if head == "" {
		head = h.base
	}
	r, err := p.reading(ctx, &h.job.Task, head, h.tree)
	if err != nil {
		return r, "", err
	}
	r.Runs, _, err = h.lineByLine(ctx, &room{dir: h.o.Dir}, h.tree, p.lines, "", 0)
	p.name(r.Runs)
	return r, h.tree, err
}

// Due is asked of no work tree by hand: what lands is asked by the landing.
func (h *here) Due(context.Context, string) (gate.Reading, string, error) {
	return gate.Reading{}, "", errors.New("a work tree asked about by hand is not due")
}
