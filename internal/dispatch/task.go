package dispatch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"torve/internal/board"
	"torve/internal/record"
	"torve/internal/truth"
)

// drive takes one claimed task from step to step until it is released.
type drive struct {
	r      *run
	h      *held
	m      memory
	before int // attempts that the task had when it was claimed; -1 before the first look
	out    Outcome
	rd     *truth.Reading
	stop   <-chan struct{} // closed when a person stops the task
	onto   string          // the head that its landing made; "" when it did not land
}

// result is what a claim came to.
type result struct {
	out  Outcome
	skip bool   // not again on this head
	red  string // the repository's own acceptance fails on head: the line and why
	mend string
	head string
	onto string // the head that its landing made
	err  error  // the record or the repository could not be used: the run ends
}

// drive is finish whose panic is this job's and nobody else's: the claim is taken over as
// if the run had died.
func (d *drive) drive(ctx context.Context) (res result) {
	defer func() {
		if p := recover(); p != nil {
			d.r.note(Note{Kind: "warn", Task: d.h.task, Text: fmt.Sprintf("the run broke: %v", p)})
			res = d.broken(fmt.Errorf("the run broke: %v", p))
			res.err, res.head = nil, headOf(d)
		}
		d.r.free(d.h.task)
	}()
	return d.finish(ctx)
}

// finish drives the claim to its release. Its error is of the record or the
// repository, and ends the run; the claim then waits to be taken over.
func (d *drive) finish(ctx context.Context) result {
	for {
		t, err := d.surely(ctx)
		switch {
		case err == nil && t != nil && ctx.Err() != nil:
			return d.interrupted(ctx, stopped)
		case err != nil:
			return d.broken(err)
		case t == nil:
			return d.lost()
		}
		if res, over := d.closed(ctx, t); over {
			return res
		}
		if n := unended(t); n > d.m.rescued && d.r.Hands.Crashed != nil {
			d.m.rescued = n
			if err := d.r.Hands.Crashed(ctx, *t); err != nil {
				if res, over := d.fault(ctx, t, err); over {
					return res
				}
			}
			continue
		}
		if isClosed(d.stop) {
			return d.escalate(ctx, t, record.Escalation{Reason: "killed", Detail: "stopped by a person"})
		}
		if res, over := d.step(ctx, t, next(t, d.m)); over {
			return res
		}
	}
}

// unended is the attempt that was started and whose end could not be recorded (the disk
// was full); 0 when there is none. Nothing of it runs any more, and its tree is kept
// before another attempt is bought.
func unended(t *board.Task) int {
	if n := len(t.Attempts); n > 0 && t.Attempts[n-1].Finished == nil {
		return t.Attempts[n-1].N
	}
	return 0
}

// stopped is why an interrupted task was let go.
const stopped = "stopped by a person; what it did is kept"

// surely is look, tried again where the carriers could not be read: they could when the
// run began.
func (d *drive) surely(ctx context.Context) (t *board.Task, err error) {
	for n := 1; ; n++ {
		t, err = d.look(context.WithoutCancel(ctx))
		if err == nil || n >= tries || !pause(ctx, d.r.backoff(n), d.r.Options.Stop) {
			return t, err
		}
	}
}

// look folds the board again; nil when the claim is no longer ours.
func (d *drive) look(ctx context.Context) (*board.Task, error) {
	rd, err := d.r.gather(ctx)
	if err != nil {
		return nil, err
	}
	d.rd = rd
	t := rd.Board.Tasks[d.h.task]
	if t == nil || t.Claim == nil || t.Claim.ID != d.h.id {
		return nil, nil
	}
	d.m.unlanded = false
	for _, id := range t.Contract.DependsOn {
		d.m.unlanded = d.m.unlanded || !rd.Landed(id)
	}
	d.account(t)
	return t, nil
}

// account says what the task cost in this claim, from the record alone.
func (d *drive) account(t *board.Task) {
	if d.before < 0 {
		d.before = len(t.Attempts)
	}
	o := &d.out
	o.ID, o.Title = t.ID, t.Contract.Title
	o.Attempts, o.Seconds, o.USD, o.Unknown, o.Source = 0, nil, nil, 0, ""
	if n := len(t.Attempts); n > 0 {
		o.Attempt = t.Attempts[n-1].N
	}
	total, lasted, timeless, dollars := 0.0, 0.0, false, 0.0
	for _, a := range t.Attempts[min(d.before, len(t.Attempts)):] {
		o.Attempts++
		if a.Finished == nil {
			o.Unknown, timeless = o.Unknown+1, true
			continue
		}
		timeless = timeless || a.Finished.Seconds == nil
		if !timeless {
			lasted += *a.Finished.Seconds
		}
		if a.Finished.Usage.USD == nil {
			o.Unknown++
			continue
		}
		if source := a.Finished.Usage.Source; source == "reported" || source == "estimated" {
			dollars += *a.Finished.Usage.USD
		}
		if total += *a.Finished.Usage.USD; o.Source != a.Finished.Usage.Source {
			o.Source = mixed(o.Source, a.Finished.Usage.Source, o.Attempts-o.Unknown > 1)
		}
	}
	if o.Attempts > 0 && !timeless {
		o.Seconds = &lasted
	}
	if o.Attempts > 0 && o.Unknown == 0 {
		o.USD = &total
	}
	d.r.tally.saw(t.ID, dollars, d.r.need(t))
}

// mixed is the source of two figures together; before says that there was one already.
func mixed(was, now string, before bool) string {
	if before && was != now {
		return ""
	}
	return now
}

// closed lets go of a task that someone else brought to an end meanwhile.
func (d *drive) closed(ctx context.Context, t *board.Task) (result, bool) {
	switch t.State {
	case board.Landed, board.Reverted:
		if t.Landing != nil {
			d.out.Commit = t.Landing.Commit
		}
		d.r.putAway(ctx, t)
		return d.end(ctx, IsLanded, "landed by another", "", record.Released{Why: "landed"}), true
	case board.Abandoned, board.Withdrawn:
		d.out.Person = true
		return d.end(ctx, IsWaiting, string(t.State)+" meanwhile", "torve why "+t.ID, record.Released{Why: "withdrawn"}), true
	case board.Escalated:
		d.needs(t.Escalation.Escalation)
		return d.end(ctx, d.out.Outcome, t.Escalation.Detail, board.First(t.ID, t.Escalation.Escalation), record.Released{Why: "escalated"}), true
	}
	return result{}, false
}

// step does one thing; over says that the claim is released.
func (d *drive) step(ctx context.Context, t *board.Task, s step) (res result, over bool) {
	switch s.do {
	case doEscalate:
		return d.escalate(ctx, t, s.raise), true
	case doWait:
		return d.wait(ctx, t, s.free), true
	case doLand:
		return d.land(ctx, t, s)
	case doAgain:
		return d.again(ctx, t, s)
	}
	if d.r.stopping(ctx) {
		return d.interrupted(ctx, "stopped before another attempt"), true
	}
	agent := d.r.agentFor(t)
	if !d.r.places.take(ctx, t.ID, agent, d.r.Options.Stop, d.stop) {
		return result{}, false // finish says which it was
	}
	if by := d.r.over(); by != "" || !d.r.tally.hold(t.ID, d.r.need(t), d.r.Options.USD) {
		d.r.note(Note{Kind: "waits", Task: t.ID, Text: beyond[by]})
		return d.end(ctx, IsWaiting, beyond[by], "", record.Released{Why: "waiting"}), true
	}
	return d.attempt(ctx, t, s)
}

// beyond says which limit of the run keeps another attempt from being made.
var beyond = map[string]string{
	"":            "what runs may cost the rest of the run's money",
	ByUSD:         "the run's money is spent",
	ByUntil:       "nothing starts any more in this run",
	ByEscalations: "too many tasks of this run need a person",
}

// attempt makes one more attempt.
func (d *drive) attempt(ctx context.Context, t *board.Task, s step) (result, bool) {
	j := Job{Task: *t, Head: d.rd.Head, Mode: s.mode, Agent: d.r.agentFor(t), Stop: d.stop}
	if from := t.Attempt(s.of); from != nil && (s.mode == "repair" || s.mode == "continue") {
		j.From, j.Evidence = from.Finished.Head, d.m.evidence(from)
	}
	var err error
	if j.N, err = d.r.nextN(ctx, d.rd, t); err != nil {
		return d.fault(ctx, t, err)
	}
	d.r.note(Note{
		Kind: "started", Task: t.ID, Attempt: j.N, Text: fmt.Sprintf("attempt %d by %s (%s)", j.N, j.Agent, j.Mode),
		Limit: time.Duration(t.Contract.Budget.Minutes * float64(time.Minute)),
	})
	e, err := try(ctx, d.r.Hands.Attempt, j)
	e.N = j.N
	return d.ended(ctx, t, j, e, err)
}

// again puts a kept tree to the gate once more.
func (d *drive) again(ctx context.Context, t *board.Task, s step) (result, bool) {
	j := Job{Task: *t, Head: d.rd.Head, N: s.of, Stop: d.stop}
	e, err := try(ctx, d.r.Hands.Again, j)
	e.N = j.N
	return d.ended(ctx, t, j, e, err)
}

// ended takes in how an attempt or a further question ended.
func (d *drive) ended(ctx context.Context, t *board.Task, j Job, e Ended, err error) (result, bool) {
	switch {
	case err != nil:
		return d.fault(ctx, t, err)
	case e.BaseRed != "":
		return d.baseRed(ctx, t, j.Head, e), true
	}
	d.m.last = &e
	switch {
	case e.judged():
		d.out.Judged, d.out.Check, d.out.Reason = true, e.Check, e.Reason
	case e.End == "interrupted":
		d.out.Kept = e.Kept != ""
		return d.interrupted(ctx, stopped), true
	case e.Missing:
		d.m.fault, d.m.why, d.m.faults = faultOf(e.End), e.Why, tries
		return result{}, false
	case e.End == "unavailable" || e.End == "infrastructure":
		return d.retry(ctx, t, faultOf(e.End), orElse(e.Why, e.End))
	}
	d.m.faults = 0
	switch {
	case e.Check != "":
		d.r.note(Note{Kind: "refused", Task: t.ID, Attempt: e.N, Text: fmt.Sprintf("attempt %d, %s: %s", e.N, e.Check, e.Reason)})
	case !e.judged() && e.End != "done":
		d.r.note(Note{Kind: "ended", Task: t.ID, Attempt: e.N, Text: strings.TrimSuffix(fmt.Sprintf("attempt %d, %s: %s", e.N, e.End, e.Why), ": ")})
	}
	return result{}, false
}

// fault counts a try that infrastructure ended. A lost claim is none.
func (d *drive) fault(ctx context.Context, t *board.Task, err error) (result, bool) {
	switch {
	case ctx.Err() != nil:
		return d.interrupted(ctx, stopped), true
	case errors.Is(err, record.ErrMoved):
		return d.lost(), true
	}
	return d.retry(ctx, t, "infrastructure", err.Error())
}

// retry waits before the next try, three in all; the policy escalates after them.
func (d *drive) retry(ctx context.Context, t *board.Task, fault, why string) (result, bool) {
	d.m.fault, d.m.why = fault, why
	if d.m.faults++; d.m.faults >= tries {
		return result{}, false
	}
	rest := d.r.backoff(d.m.faults)
	d.r.note(Note{Kind: "retry", Task: t.ID, Text: fmt.Sprintf("%s; again in %s", why, rest)})
	if !pause(ctx, rest, d.r.Options.Stop, d.stop) && !isClosed(d.stop) {
		return d.interrupted(ctx, why), true
	}
	return result{}, false
}

// backoff is how long the try after the nth waits.
func (s *Station) backoff(n int) time.Duration {
	list := s.Options.Backoff
	if list == nil {
		list = DefaultBackoff[:]
	}
	if len(list) == 0 {
		return 0
	}
	return list[min(n, len(list))-1]
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
