package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"torve/internal/board"
	"torve/internal/record"
)

// unstated is how long a quota is waited for whose time the provider did not state: five
// minutes, and twice as long after each further one in a row, at most an hour.
func unstated(n int) time.Duration { return min(time.Hour, 5*time.Minute<<min(max(n-1, 0), 4)) }

// land lands accepted work, or leaves it to a person where landings are by hand.
func (d *drive) land(ctx context.Context, t *board.Task, s step) (result, bool) {
	if d.r.Options.Manual && !d.r.Options.LandOnly {
		d.r.note(Note{Kind: "ready", Task: t.ID, Attempt: s.of, Text: fmt.Sprintf("attempt %d is accepted; landings are by hand here", s.of)})
		return d.end(ctx, IsReady, "", "torve land "+t.ID, record.Released{Why: "ready"}), true
	}
	l, err := try(ctx, d.r.Hands.Land, Job{Task: *t, Head: d.rd.Head, N: s.of})
	if err != nil {
		return d.fault(ctx, t, err)
	}
	d.m.faults = 0
	return d.landed(ctx, t, s.of, l)
}

// landed takes in how a landing ended.
func (d *drive) landed(ctx context.Context, t *board.Task, n int, l Landed) (result, bool) {
	switch {
	case l.Already != "":
		d.out.Commit, d.out.Check = l.Commit, ""
		d.r.note(Note{Kind: "landed", Task: t.ID, Text: "landed before: " + l.Already})
		d.r.putAway(ctx, t)
		return d.end(ctx, IsLanded, "landed before: "+l.Already, "", record.Released{Why: "landed"}), true
	case l.Commit != "":
		return d.won(ctx, t, n, l), true
	case l.Blocked != "" && l.Escalate != "":
		d.out.Judged = true
		return d.escalate(ctx, t, record.Escalation{Reason: l.Escalate, Detail: l.Blocked}), true
	case l.Blocked != "":
		d.out.Judged, d.out.Blocked, d.out.Check = true, true, ""
		d.r.note(Note{Kind: "blocked", Task: t.ID, Attempt: n, Text: l.Blocked})
		res := d.end(ctx, IsReady, l.Blocked, orElse(l.Next, "torve land "+t.ID), record.Released{Why: "ready"})
		res.skip = true
		return res, true
	case l.Check == "":
		return d.fault(ctx, t, errors.New("the landing gave no answer"))
	}
	d.out.Judged = true
	d.out.Check, d.out.Reason = l.Check, l.Reason
	d.m.last = &Ended{N: n, Check: l.Check, Reason: l.Reason, Paths: l.Paths, Evidence: l.Evidence}
	d.r.note(Note{Kind: "refused", Task: t.ID, Attempt: n, Text: fmt.Sprintf("attempt %d when due, %s: %s", n, l.Check, l.Reason)})
	return result{}, false
}

// won puts away what the attempt used and says what landed.
func (d *drive) won(ctx context.Context, t *board.Task, n int, l Landed) result {
	d.out.Judged, d.out.Commit, d.out.Check, d.onto = true, l.Commit, "", l.Head
	d.r.note(Note{Kind: "landed", Task: t.ID, Attempt: n, Text: fmt.Sprintf("attempt %d as %.7s", n, l.Commit), Out: d.out})
	d.r.putAway(ctx, t)
	return d.end(ctx, IsLanded, "", "git show "+fmt.Sprintf("%.7s", l.Commit), record.Released{Why: "landed"})
}

// escalate raises the reason and lets go.
func (d *drive) escalate(ctx context.Context, t *board.Task, e record.Escalation) result {
	e.Detail = orElse(e.Detail, e.Reason)
	d.needs(e)
	d.r.tally.escalate()
	d.r.note(Note{Kind: "escalated", Task: t.ID, Attempt: d.out.Attempt, Text: e.Reason + ": " + e.Detail})
	return d.let(ctx, e.Detail, board.First(t.ID, e), record.Released{Why: "escalated"}, &e)
}

// needs names the outcome of an escalation: refused where a check's no is the cause.
func (d *drive) needs(e record.Escalation) {
	d.out.Why, d.out.Check, d.out.Outcome = e.Reason, e.Check, IsEscalated
	switch e.Reason {
	case "scope", "refused", "merge_conflict":
		d.out.Outcome = IsRefused
	}
}

// wait lets go until a time, a dependency or the next head.
func (d *drive) wait(ctx context.Context, t *board.Task, p record.Released) result {
	if d.m.unlanded {
		return d.end(ctx, IsWaiting, "what it depends on is not landed", "", p)
	}
	if !p.NotBefore.After(d.r.Now()) {
		p.NotBefore = d.r.Now().Add(unstated(inARow(t.Attempts, "quota")))
	}
	why := "the agent's limit, until " + p.NotBefore.UTC().Format(time.RFC3339)
	d.r.note(Note{Kind: "waits", Task: t.ID, Text: "the agent's limit", Until: p.NotBefore})
	d.out.Until = p.NotBefore
	return d.end(ctx, IsWaiting, why, "", p)
}

// baseRed: a line of the contract's own escalates the task; a line of the repository's
// is one fact of the run, and the task waits for the next head.
func (d *drive) baseRed(ctx context.Context, t *board.Task, head string, e Ended) result {
	detail := e.BaseRed
	if e.Mend != "" {
		detail += "; likely mend: " + e.Mend
	}
	if e.BaseOwn {
		return d.escalate(ctx, t, record.Escalation{Reason: "base_red", Detail: detail})
	}
	why := fmt.Sprintf("base %.7s is red: %s", head, detail)
	d.r.note(Note{Kind: "waits", Task: t.ID, Text: why})
	d.out.Person = true
	res := d.end(ctx, IsWaiting, why, "", record.Released{Why: "waiting"})
	res.skip, res.red, res.mend, res.head = true, e.BaseRed, e.Mend, head
	return res
}

// interrupted lets go of a task that a person stopped; its tree is kept and nothing counts.
func (d *drive) interrupted(ctx context.Context, why string) result {
	if t, err := d.look(context.WithoutCancel(ctx)); err == nil && t == nil {
		return d.lost()
	}
	res := d.end(ctx, IsInterrupted, why, "torve dispatch", record.Released{Why: "interrupted"})
	res.skip = true
	return res
}

// lost: another holds the task now, and what this run knows of it is not written.
func (d *drive) lost() result {
	d.r.drop(d.h)
	d.r.leases.release(d.h.id)
	d.out.ID = d.h.task
	d.out.Outcome, d.out.Reason, d.out.Next = IsWaiting, "its claim was lost to another run", "torve status"
	return result{out: d.out, skip: true}
}

// broken leaves the claim open: its lock goes, and the next dispatch takes it over.
func (d *drive) broken(err error) result {
	d.r.claims.drop(d.h.id)
	d.r.leases.leave(d.h.id)
	d.h.unlock()
	d.out.ID = d.h.task
	d.out.Outcome, d.out.Reason, d.out.Why, d.out.Next = IsWaiting, err.Error(), "infrastructure", "torve dispatch"
	return result{out: d.out, skip: true, err: err}
}

// end releases the claim and names the outcome.
func (d *drive) end(ctx context.Context, outcome, reason, nextCmd string, p record.Released) result {
	d.out.Outcome = outcome
	return d.let(ctx, reason, nextCmd, p, nil)
}

func (d *drive) let(ctx context.Context, reason, nextCmd string, p record.Released, raise *record.Escalation) result {
	d.out.ID, d.out.Reason, d.out.Next = d.h.task, reason, nextCmd
	err := d.r.release(ctx, d.h, p, raise, d.out.Attempt)
	if err == nil || errors.Is(err, record.ErrMoved) {
		d.r.leases.release(d.h.id)
	} else {
		d.r.leases.leave(d.h.id)
	}
	switch {
	case errors.Is(err, record.ErrMoved) && d.out.Outcome != IsLanded:
		d.out.Outcome, d.out.Reason, d.out.Next = IsWaiting, "its claim was lost to another run", "torve status"
		return result{out: d.out, skip: true}
	case err != nil && !errors.Is(err, record.ErrMoved):
		return result{out: d.out, skip: true, err: err}
	}
	return result{out: d.out, head: headOf(d), onto: d.onto}
}

func headOf(d *drive) string {
	if d.rd == nil {
		return ""
	}
	return d.rd.Head
}
