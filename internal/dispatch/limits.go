package dispatch

import (
	"math"
	"slices"
	"sync"
	"time"

	"torve/internal/board"
	"torve/internal/truth"
)

// What ends a run before its tasks are done.
const (
	ByQuota       = "quota"       // an agent's own limit, and its time is beyond what the run waits for
	ByUSD         = "usd"         // the run's money is spent
	ByUntil       = "until"       // the time after which nothing starts
	ByEscalations = "escalations" // so many tasks came to need a person
)

// Limit is what ended a run before its tasks were done; By is "" when nothing did.
type Limit struct {
	By          string
	Tasks       int       // that wait for it
	Until       time.Time // of quota: when it ends; of until: when it came
	Agent       string    // of quota: whose it is; "" when it is several agents'
	USD, Spent  float64   // of usd
	Escalations int
}

// tally is what a run spent, what the tasks that it runs may still spend, and how many
// came to need a person. Money is what was reported or estimated; a cost that is notional
// or unknown is none that a cap can hold.
type tally struct {
	mu        sync.Mutex
	shares    map[string]*share // by task
	escalated int
}

type share struct {
	past float64 // dollars of earlier claims of this run
	now  float64 // of this one
	held float64 // what it may still cost
}

func (t *tally) of(task string) *share {
	if t.shares == nil {
		t.shares = map[string]*share{}
	}
	if t.shares[task] == nil {
		t.shares[task] = &share{}
	}
	return t.shares[task]
}

// hold keeps need dollars for a task, where a cap leaves room for them beside what is
// spent and what others hold. While nobody holds any, whatever is left of the cap is
// enough, so that a task which may cost more than all of it comes to its turn. A cap of 0
// is none.
func (t *tally) hold(task string, need, most float64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	spent, others := 0.0, 0.0
	for id, s := range t.shares {
		spent += s.past + s.now
		if id != task {
			others += s.held
		}
	}
	if most > 0 && (spent >= most || others > 0 && need > 0 && spent+others+need > most) {
		return false
	}
	t.of(task).held = need
	return true
}

// saw takes in what a task's attempts of this claim cost by now, and what it may still.
func (t *tally) saw(task string, spent, need float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.of(task)
	s.now = spent
	if s.held > 0 {
		s.held = need
	}
}

// free lets go of what a task held.
func (t *tally) free(task string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.of(task)
	s.past, s.now, s.held = s.past+s.now, 0, 0
}

func (t *tally) spent() float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	sum := 0.0
	for _, s := range t.shares {
		sum += s.past + s.now
	}
	return sum
}

func (t *tally) escalate() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.escalated++
}

func (t *tally) escalations() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.escalated
}

// need is what an attempt at a task may still cost: the rest of its budget. An agent
// whose cost nobody knows takes nothing that could be held.
func (r *run) need(t *board.Task) float64 {
	switch b := t.Contract.Budget; {
	case r.Options.Priced == nil || !r.Options.Priced(r.agentFor(t)):
		return 0
	case b.USD == 0:
		return math.Inf(1)
	default:
		return max(0, b.USD-spentSince(t))
	}
}

// over is the limit that keeps anything more from starting; "" while none does. The
// money that is spent keeps agents from starting, and no landing of what is accepted.
func (r *run) over() string {
	switch o := r.Options; {
	case !o.Until.IsZero() && !r.Now().Before(o.Until):
		return ByUntil
	case o.StopOnEscalations > 0 && r.tally.escalations() >= o.StopOnEscalations:
		return ByEscalations
	case o.USD > 0 && r.tally.spent() >= o.USD:
		return ByUSD
	}
	return ""
}

// closed reports whether not even a landing may start.
func (r *run) closed() bool {
	by := r.over()
	return by == ByUntil || by == ByEscalations
}

// limited says which limit ended the run, where it kept a task from starting.
func (r *run) limited(rd *truth.Reading, rows []board.Row) {
	by := r.over()
	if by == "" || r.report.Limit.By != "" {
		return
	}
	n := 0
	for _, row := range rows {
		if r.wanted(row.ID) && r.skipped[row.ID] != rd.Head && rd.Head != r.redHead && r.heldUp(by, row) {
			n++
		}
	}
	if until, waiting := r.nextTime(rd); n == 0 && len(waiting) > 0 {
		r.quota(waiting, until)
	} else if n > 0 {
		r.report.Limit = Limit{
			By: by, Tasks: n, Until: r.Options.Until, USD: r.Options.USD, Spent: r.tally.spent(), Escalations: r.tally.escalations(),
		}
	}
}

// heldUp reports whether it is the limit that a task waits for, and no time of its own.
func (r *run) heldUp(by string, row board.Row) bool {
	if slices.ContainsFunc(row.Waits, func(w board.Wait) bool { return w.For == board.ForTime }) {
		return false
	}
	buys := next(row.Task, memory{}).do == doAttempt
	return r.mayStart(row) && (by != ByUSD || buys) || row.State == board.Ready && r.abroad[row.ID] == "" && by != ByUSD && !r.Options.Manual
}

// quota says that the run ends because of an agent's limit, where its time is not waited for.
func (r *run) quota(waiting []board.Row, until time.Time) {
	l := Limit{By: ByQuota, Tasks: len(waiting), Until: until}
	var agents []string
	for _, row := range waiting {
		if n := len(row.Attempts); n > 0 && !slices.Contains(agents, row.Attempts[n-1].Started.Agent.Adapter) {
			agents = append(agents, row.Attempts[n-1].Started.Agent.Adapter)
		}
	}
	if len(agents) == 1 {
		l.Agent = agents[0]
	}
	r.report.Limit = l
}
