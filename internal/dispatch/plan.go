package dispatch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/truth"
)

// worst is the worst case of the run: what may start now, and what may start once
// that has landed.
func (r *run) worst(rd *truth.Reading) Worst {
	o := r.Options
	w := Worst{Workers: max(1, o.Workers), Cap: o.USD, Until: o.Until, Escalations: o.StopOnEscalations, Watch: o.Watch}
	timeless := false
	for _, row := range rd.Open(r.Now(), r.Options.Shared) {
		if !r.wanted(row.ID) || r.Options.LandOnly || !r.mayStart(row) {
			continue
		}
		w.Tasks++
		r.addTo(&w, row.Task)
		minutes := row.Contract.Budget.Minutes
		timeless = timeless || minutes == 0
		w.Longest = max(w.Longest, time.Duration(minutes*float64(time.Minute)))
	}
	if timeless {
		w.Longest = 0
	}
	w.Workers = min(w.Workers, max(1, w.Tasks))
	return w
}

// mayStart: queued, or waiting on nothing that a person must free or that this run
// will not take up.
func (r *run) mayStart(row board.Row) bool {
	if r.missing(row.Task) != "" || r.abroad[row.ID] != "" {
		return false
	}
	switch row.State {
	case board.Queued:
		return true
	case board.Waiting:
		return !slices.ContainsFunc(row.Waits, func(w board.Wait) bool {
			return w.Person || (w.For == board.ForDependency && !r.wanted(w.Task))
		})
	}
	return false
}

// unassigned names the tasks that no agent is set for: they are not taken up.
func (r *run) unassigned(rd *truth.Reading) {
	for _, row := range rd.Open(r.Now(), r.Options.Shared) {
		if row.State != board.Queued || !r.wanted(row.ID) || r.Options.LandOnly {
			continue
		}
		if why := r.missing(row.Task); why != "" {
			r.report.Broken = append(r.report.Broken, row.ID+": "+why)
		}
	}
}

func (r *run) addTo(w *Worst, t *board.Task) {
	b := t.Contract.Budget
	if b.Attempts == 0 || b.Minutes == 0 || b.USD == 0 {
		w.Unbounded = true
	}
	left := max(0, b.Attempts-t.Counted)
	w.Attempts += left
	w.Minutes += float64(left) * b.Minutes
	w.USD += max(0, b.USD-spentSince(t))
	if t.Contract.Scope.Everything() {
		w.Everything = append(w.Everything, t.ID)
	}
	agent := r.agentFor(t)
	if !slices.Contains(w.Agents, agent) {
		w.Agents = append(w.Agents, agent)
	}
	if r.Options.Priced == nil || !r.Options.Priced(agent) {
		w.Unpriced = true
		if r.Options.USD > 0 && !slices.Contains(w.Uncapped, agent) {
			w.Uncapped = append(w.Uncapped, agent)
		}
	}
}

// plan says what would start and what waits on what; nothing is written.
func (r *run) plan(ctx context.Context) error {
	rd, err := r.gather(ctx)
	if err != nil {
		return err
	}
	if err := r.survey(ctx, rd, rd.Open(r.Now(), r.Options.Shared)); err != nil {
		return err
	}
	r.broken(rd)
	rows, err := r.rows(ctx, rd)
	if err != nil {
		return err
	}
	for _, row := range r.startable(rd, rows) {
		p := Planned{ID: row.ID, Title: row.Contract.Title}
		switch s := next(row.Task, memory{}); s.do {
		case doLand:
			p.Does = "land"
		case doAgain:
			p.Does = "ask"
		case doAttempt:
			p.Does, p.Agent = s.mode, r.agentFor(row.Task)
		case doEscalate:
			p.Does = "escalate: " + s.raise.Reason
		case doWait:
			p.Does = "wait"
		}
		r.report.Planned = append(r.report.Planned, p)
	}
	r.planMint(rd)
	r.report.To = r.report.From
	for _, row := range rows {
		if row.State != board.Queued || r.abroad[row.ID] != "" {
			r.left(ctx, rd, row)
		}
	}
	return nil
}

// rows are the board's that this run may have something to say of: what is not over, and
// what was named.
func (r *run) rows(ctx context.Context, rd *truth.Reading) ([]board.Row, error) {
	if len(r.Options.Tasks) == 0 {
		return rd.Open(r.Now(), r.Options.Shared), nil
	}
	if err := rd.Read(ctx, r.Options.Tasks...); err != nil {
		return nil, err
	}
	return rd.Rows(r.Now(), r.Options.Shared), nil
}

// planMint adds what a run would mint before it starts: committed on the target, not on
// the board yet; and whether it would start then.
func (r *run) planMint(rd *truth.Reading) {
	if r.Mint == nil {
		r.unminted(rd)
		return
	}
	for _, id := range slices.Sorted(maps.Keys(rd.Contracts)) {
		if r.wanted(id) && rd.Settled(id).State() == truth.Committed {
			r.report.Planned = append(r.report.Planned, r.minting(rd, rd.Contracts[id].Contract))
		}
	}
}

// minting is what would become of a contract that is not minted yet.
func (r *run) minting(rd *truth.Reading, c contract.Contract) Planned {
	p := Planned{ID: c.ID, Title: c.Title, Does: "mint"}
	for _, id := range c.DependsOn {
		if !rd.Landed(id) {
			p.WaitsOn = append(p.WaitsOn, id)
		}
	}
	agent := r.agentFor(&board.Task{Contract: c})
	if len(p.WaitsOn) == 0 && (r.Options.Missing == nil || r.Options.Missing(agent) == "") {
		p.Then, p.Agent = "first", agent
	}
	return p
}

// warnDirty says now what would block a landing at three in the morning: the target
// is checked out, and has an operation in progress or changes where a task may write.
func (r *run) warnDirty(ctx context.Context, rd *truth.Reading) error {
	dir, err := r.Repo.CheckedOut(ctx, rd.Target)
	if err != nil || dir == "" {
		return err
	}
	busy, err := r.Repo.Busy(ctx, dir)
	if err != nil {
		return err
	}
	if busy != "" {
		r.note(Note{Kind: "warn", Text: fmt.Sprintf("%s is in progress in %s: nothing lands on %s until it ends", busy, dir, rd.Target)})
	}
	st, err := r.Repo.Status(ctx, dir)
	if err != nil {
		return err
	}
	for _, row := range r.startable(rd, rd.Open(r.Now(), r.Options.Shared)) {
		if met := inScope(row.Task, st.Paths); len(met) > 0 {
			r.note(Note{Kind: "warn", Task: row.ID, Text: fmt.Sprintf(
				"changed in %s, where it may write: %s; its landing would be blocked. next: git -C %s stash",
				dir, strings.Join(met[:min(3, len(met))], ", "), board.Quoted(dir))})
		}
	}
	return nil
}

func inScope(t *board.Task, paths []string) []string {
	var met []string
	for _, p := range paths {
		if ok, _ := t.Contract.Scope.Admits(p); ok {
			met = append(met, p)
		}
	}
	return met
}
