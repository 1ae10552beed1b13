package dispatch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"torve/internal/board"
	"torve/internal/truth"
)

// add keeps one outcome a task: a task that was taken up again adds to what it cost.
func (r *run) add(o Outcome) {
	i := slices.IndexFunc(r.report.Outcomes, func(was Outcome) bool { return was.ID == o.ID })
	if i < 0 {
		r.report.Outcomes = append(r.report.Outcomes, o)
		return
	}
	was := r.report.Outcomes[i]
	o.Seconds = longer(was, o)
	o.Attempts += was.Attempts
	o.Unknown += was.Unknown
	o.Judged = o.Judged || was.Judged
	o.USD, o.Source = sum(was, o), mixed(was.Source, orElse(o.Source, was.Source), was.USD != nil && o.USD != nil)
	r.report.Outcomes = append(slices.Delete(r.report.Outcomes, i, i+1), o)
}

// longer adds two times; what is unknown in either is unknown in both.
func longer(a, b Outcome) *float64 {
	switch {
	case a.Attempts == 0:
		return b.Seconds
	case b.Attempts == 0:
		return a.Seconds
	case a.Seconds == nil || b.Seconds == nil:
		return nil
	}
	return new(*a.Seconds + *b.Seconds)
}

// sum adds two costs; what is unknown in either is unknown in both.
func sum(a, b Outcome) *float64 {
	switch {
	case a.Unknown > 0 || b.Unknown > 0:
		return nil
	case a.USD == nil:
		return b.USD
	case b.USD == nil:
		return a.USD
	}
	total := *a.USD + *b.USD
	return &total
}

func tasks(n int) string {
	if n == 1 {
		return "1 task waits"
	}
	return fmt.Sprintf("%d tasks wait", n)
}

// close says where everything stands when the run ends.
func (r *run) close(ctx context.Context) error {
	free, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimEnd)
	defer cancel()
	rd, err := r.gather(free)
	if err != nil {
		return err
	}
	if err := r.survey(free, rd, rd.Open(r.Now(), r.Options.Shared)); err != nil {
		return err
	}
	r.report.To = rd.Head
	r.report.HeldBy = nil
	held := claimed(rd.Board)
	r.look(free, held)
	for _, t := range held {
		if !r.holds(t.Claim.ID) && r.wanted(t.ID) {
			r.report.HeldBy = append(r.report.HeldBy, r.heldBy(t))
		}
	}
	rows, err := r.rows(ctx, rd)
	if err != nil {
		return err
	}
	r.broken(rd)
	if r.redHead != rd.Head { // what it says is of another tree
		r.report.BaseRed, r.report.Mend = "", ""
	}
	if !r.stopping(ctx) {
		r.limited(rd, rows)
	}
	for _, row := range rows {
		r.left(ctx, rd, row)
	}
	r.unminted(rd)
	r.green(ctx)
	return nil
}

// unminted says of a task that was named and is not on the board why it is not. Of
// the others it counts those that only a person can put there.
func (r *run) unminted(rd *truth.Reading) {
	if len(r.Options.Tasks) == 0 {
		for _, id := range rd.Tasks() {
			if rd.Board.Tasks[id] == nil && rd.Settled(id).State() == truth.RanHere {
				r.report.Person++
			}
		}
	}
	for _, id := range r.Options.Tasks {
		if rd.Board.Tasks[id] != nil {
			continue
		}
		s := rd.Settled(id)
		r.report.Outcomes = append(r.report.Outcomes, Outcome{
			ID: id, Outcome: IsWaiting, Person: true, Next: "torve mint " + id,
			Reason: fmt.Sprintf("not on the board: %s, %s", s.State(), s.Because()),
		})
	}
}

// left says of one row what it waits for, where it waits or was named, and completes
// the outcome of a task that the run acted on.
func (r *run) left(ctx context.Context, rd *truth.Reading, row board.Row) {
	if (row.State == board.Queued || onlyTime(row)) && r.wanted(row.ID) && r.stopping(ctx) {
		r.report.Stopped = true
	}
	i := slices.IndexFunc(r.report.Outcomes, func(o Outcome) bool { return o.ID == row.ID })
	if i >= 0 {
		if o := &r.report.Outcomes[i]; o.Outcome == IsWaiting && row.State == board.Waiting {
			o.WaitsOn, o.Person = waitsOn(row), r.waitsOnPerson(rd, row)
		}
		return
	}
	named := len(r.Options.Tasks) > 0 && r.wanted(row.ID)
	switch {
	case (row.State == board.Escalated || row.State == truth.Removed) && !named:
		r.report.Person++
		return
	case row.State != board.Waiting && row.State != board.Queued && r.abroad[row.ID] == "" && !named:
		return
	}
	o := r.standing(rd, row)
	if named {
		r.report.Outcomes = append(r.report.Outcomes, o)
		return
	}
	if len(r.Options.Tasks) == 0 {
		r.report.Waits = append(r.report.Waits, o)
	}
}

// standing is the outcome of a task that the run did not act on.
func (r *run) standing(rd *truth.Reading, row board.Row) Outcome {
	o := Outcome{ID: row.ID, Title: row.Contract.Title, Outcome: IsWaiting}
	if n := len(row.Attempts); n > 0 {
		o.Attempt = row.Attempts[n-1].N
	}
	if why := r.abroad[row.ID]; why != "" {
		o.Reason, o.Next = why, "torve why "+row.ID
		return o
	}
	switch row.State {
	case board.Landed, board.Reverted:
		o.Outcome, o.Reason = IsLanded, string(row.State)+" before"
		if row.Landing != nil {
			o.Commit = row.Landing.Commit
		}
	case board.Ready:
		o.Outcome, o.Next = IsReady, "torve land "+row.ID
	case board.InReview:
		o.Outcome = IsInReview
	case board.Escalated:
		d := drive{}
		d.needs(row.Escalation.Escalation)
		o.Outcome, o.Why, o.Check = d.out.Outcome, d.out.Why, d.out.Check
		o.Reason, o.Next = row.Escalation.Detail, board.First(row.ID, row.Escalation.Escalation)
	case board.Abandoned, board.Withdrawn:
		o.Reason, o.Person, o.Next = string(row.State), true, "torve why "+row.ID
	case board.Waiting:
		o.WaitsOn, o.Person, o.Reason, o.Until = waitsOn(row), r.waitsOnPerson(rd, row), waits(row), waitsUntil(row)
	case board.Queued:
		o.Reason, o.Person = "not started", r.report.BaseRed != ""
		if r.report.BaseRed != "" {
			o.Reason = "the base is red: " + r.report.BaseRed
		}
		if why := r.missing(row.Task); why != "" {
			o.Reason, o.Person, o.Next = why, true, "torve agents"
		}
	default:
		if row.Claim != nil {
			o.Reason = r.heldBy(row.Task)
			break
		}
		o.Reason, o.Person, o.Next = string(row.State), true, "torve why "+row.ID // removed, broken
	}
	return o
}

// waitsOn are the dependencies that a row waits for.
func waitsOn(row board.Row) []string {
	var out []string
	for _, w := range row.Waits {
		if w.For == board.ForDependency {
			out = append(out, w.Task)
		}
	}
	return out
}

// waits says all that a row waits for.
func waits(row board.Row) string {
	var out []string
	for _, w := range row.Waits {
		switch w.For {
		case board.ForDependency:
			out = append(out, "on "+w.Task)
		case board.ForScope:
			out = append(out, fmt.Sprintf("scope meets %s: %s", w.Task, w.Glob))
		case board.ForTime:
			out = append(out, "until "+w.Until.UTC().Format(time.RFC3339))
		}
	}
	return strings.Join(out, "; ")
}

// waitsUntil is the time that a row waits for; zero when it waits for something else.
func waitsUntil(row board.Row) time.Time {
	if len(row.Waits) == 1 && row.Waits[0].For == board.ForTime {
		return row.Waits[0].Until
	}
	return time.Time{}
}

// waitsOnPerson reports whether only a person can free what a row waits for; where
// landings are by hand that is accepted work, too.
func (r *run) waitsOnPerson(rd *truth.Reading, row board.Row) bool {
	return slices.ContainsFunc(row.Waits, func(w board.Wait) bool {
		return w.Person || r.Options.Manual && w.For == board.ForDependency && byHand(rd, w.Task, map[string]bool{})
	})
}

// byHand reports whether a task is accepted, or waits for one that is.
func byHand(rd *truth.Reading, id string, seen map[string]bool) bool {
	t := rd.Board.Tasks[id]
	if t == nil || seen[id] || rd.Landed(id) {
		return false
	}
	seen[id] = true
	return t.State == board.Ready || slices.ContainsFunc(t.Contract.DependsOn, func(dep string) bool { return byHand(rd, dep, seen) })
}
