package dispatch

import "time"

// The outcomes of one task.
const (
	IsLanded      = "landed"
	IsReady       = "ready"
	IsInReview    = "in_review"
	IsRefused     = "refused"   // needs a person because of a check's no
	IsEscalated   = "escalated" // needs a person for any other reason
	IsWaiting     = "waiting"
	IsInterrupted = "interrupted"
)

// Outcome is one task's end in this run.
type Outcome struct {
	ID      string   `json:"id"`
	Title   string   `json:"-"`
	Attempt int      `json:"attempt"`
	Outcome string   `json:"outcome"` // landed, ready, in_review, refused, escalated, waiting, interrupted
	Check   string   `json:"check"`
	Reason  string   `json:"reason"`
	Commit  string   `json:"commit"`
	Seconds *float64 `json:"seconds"` // nil: no agent ran, or how long one did is unknown
	USD     *float64 `json:"usd"`     // nil: nothing was spent, or what was is unknown (Unknown says which)
	Next    string   `json:"next"`
	WaitsOn []string `json:"-"`

	Why      string `json:"-"` // the reason of the closed list that it was escalated for
	Attempts int    `json:"-"` // agents started for it in this run
	Blocked  bool   `json:"-"` // accepted, and the target could not be moved
	Judged   bool   `json:"-"` // the gate gave an answer in this run
	Person   bool   `json:"-"` // what it waits for needs a person
	Unknown  int    `json:"-"` // attempts of this run whose cost is unknown
	Source   string `json:"-"` // of USD: reported, estimated or notional; "" where they are mixed
	Kept     bool   `json:"-"` // of interrupted: the attempt's tree is kept

	Until time.Time `json:"-"` // the time that it waits for; zero when it is none
}

// NeedsPerson reports whether the task waits on a person: escalated, or accepted
// and blocked.
func (o Outcome) NeedsPerson() bool {
	return o.Outcome == IsRefused || o.Outcome == IsEscalated || o.Blocked
}

// Report is what the run came to.
type Report struct {
	Outcomes    []Outcome // tasks that it acted on, in the order of their ends, then those named
	Waits       []Outcome // what else still waits when the run ends, in id order
	Planned     []Planned // of a dry run: what would start, in order
	From, To    string    // the target's head before and after
	Attempts    int
	Took        time.Duration
	BaseRed     string   // the repository's own acceptance fails on the target: the line and why
	Mend        string   // the likely mend of it
	HeldBy      []string // tasks that another holds, named with their holder
	Broken      []string // contracts on the target that do not parse, and tasks that no agent is set for
	Person      int      // tasks that wait on a person and that the run did not act on
	Interrupted bool     // runs were ended, their trees kept
	Stopped     bool     // nothing more was started, and something could have been
	Limit       Limit    // what ended it before its tasks were done
	Green       Green
	Worst       Worst
}

// Unjudged reports whether infrastructure kept every task of the run from being
// judged: tasks were taken up, none met the gate, and one of them failed for that.
func (r Report) Unjudged() bool {
	failed := false
	for _, o := range r.Outcomes {
		if o.Judged || o.Outcome == IsLanded {
			return false
		}
		failed = failed || o.Why == "infrastructure" || o.Why == "agent_unavailable"
	}
	return failed
}

// NeedsPerson reports whether a task of the run needs a person, the base or what the
// target came to is red, or all that is left waits on such a task.
func (r Report) NeedsPerson() bool {
	if r.BaseRed != "" || r.Green.Red != "" {
		return true
	}
	left, free := 0, 0
	for _, o := range r.Outcomes {
		if o.NeedsPerson() {
			return true
		}
		if o.Outcome == IsWaiting {
			left++
			if !o.Person {
				free++
			}
		}
	}
	for _, o := range r.Waits {
		left++
		if !o.Person {
			free++
		}
	}
	return left > 0 && free == 0
}

// Planned is one task that a dry run would take up.
type Planned struct {
	ID, Title, Agent string
	Does             string // land, ask, first, continue, repair, fresh, mint
	Then             string // of mint: first, where it would start once minted; "" where it would wait
	WaitsOn          []string
}

// Worst is the worst case, said before the start.
type Worst struct {
	Tasks, Workers, Attempts int
	Minutes, USD             float64
	Agents                   []string // of the next attempts, each once
	Everything               []string // tasks whose scope is everything: nothing runs beside them
	Unbounded                bool     // a task among them has no limit on attempts, minutes or money
	Unpriced                 bool     // an agent without a price is among them

	Cap         float64       // the run's money; 0: no cap
	Uncapped    []string      // agents that the cap cannot hold, since their cost is not known
	Until       time.Time     // nothing starts from then on; zero: no such time
	Longest     time.Duration // that an agent may take which starts just before; 0: no limit
	Escalations int           // so many tasks that need a person end the run; 0: any number
	Watch       bool
}
