package law

import (
	"math"

	"torve/internal/sim"
)

// The verbs of a step.
const (
	Go    = "go"
	Wait  = "wait"
	Watch = "watch"
	Hand  = "hand"
	Take  = "take"
	Say   = "say"
)

// Plan is what a villager proposes.
type Plan struct {
	Steps []Step `json:"steps"`
}

// Step is one part of it. Reason is what a model says of itself; nothing here reads it.
type Step struct {
	Reason string       `json:"reason"`
	Verb   string       `json:"verb"`
	Where  *sim.Coord   `json:"where,omitempty"` // of a go
	Who    sim.EntityID `json:"who,omitempty"`   // 0 names nobody
	Grams  float64      `json:"grams,omitempty"` // of a hand or a take
	Line   string       `json:"line,omitempty"`  // of a say
}

// Caps bounds a plan: how many steps, and how many ticks in all. A cap of 0 lets no plan
// through.
type Caps struct{ Steps, Horizon int }

// Proposal is a plan with what is beside it, none of it a model's: the tick of the question,
// the grounding set that the prompt was rendered from, and the profile whose law it is under.
type Proposal struct {
	Plan    Plan
	Asked   int
	Set     []sim.EntityID
	Profile string
}

// entry is a row of the table of verbs: for how many ticks a step of it is posted, and which
// arguments are its own.
type entry struct {
	verb  string
	ticks int
	takes args
}

// args is a set of arguments.
type args struct{ where, who, grams, line bool }

// table is what the second check calls the table.
var table = [...]entry{
	{Go, 40, args{where: true}},
	{Wait, 20, args{}},
	{Watch, 20, args{who: true}},
	{Hand, 40, args{who: true, grams: true}},
	{Take, 40, args{who: true, grams: true}},
	{Say, 10, args{who: true, line: true}},
}

// row finds a verb in the table.
func row(verb string) (entry, bool) {
	for _, e := range table {
		if e.verb == verb {
			return e, true
		}
	}
	return entry{}, false
}

// Span is how many ticks a step of a verb takes; false for a verb that is not in the table.
func Span(verb string) (ticks int, ok bool) {
	e, ok := row(verb)
	return e.ticks, ok
}

// Span is how many ticks the steps take together. A verb that is not in the table takes
// none.
func (p Plan) Span() int {
	sum := 0
	for _, s := range p.Steps {
		ticks, _ := Span(s.Verb)
		sum += ticks
	}
	return sum
}

// has says which arguments a step carries.
func (s Step) has() args {
	return args{where: s.Where != nil, who: s.Who != 0, grams: s.Grams != 0, line: s.Line != ""}
}

// amount reports whether the grams of a step can be handed at all: more than none, and a
// number.
func (s Step) amount() bool { return s.Grams > 0 && !math.IsInf(s.Grams, 0) }
