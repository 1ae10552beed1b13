// Package law decides over plans: what a plan may say, and six checks in a fixed order, of
// which the last two ask the world, as a reading of it at one tick. It knows coordinates and
// bodies, and nothing else of this module: no model, no store, no clock.
package law

import (
	"torve/internal/beast"
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

// The checks, by name.
const (
	OnShape     = "shape"
	OnVerb      = "verb"
	OnGrounding = "grounding"
	OnLaw       = "law"
	OnReach     = "reach"
	OnFreshness = "freshness"
)

// Checks is their order.
var Checks = [6]string{OnShape, OnVerb, OnGrounding, OnLaw, OnReach, OnFreshness}

// Plan is what a villager proposes.
type Plan struct {
	Steps []Step `json:"steps"`
}

// Step is one part of it.
type Step struct {
	Reason string       `json:"reason"`
	Verb   string       `json:"verb"`
	Where  *sim.Coord   `json:"where,omitempty"`
	Who    sim.EntityID `json:"who,omitempty"`   // 0 names nobody
	Grams  float64      `json:"grams,omitempty"` // of a hand or a take
	Line   string       `json:"line,omitempty"`  // of a say
}

// Caps bounds a plan: how many steps, and how many ticks in all.
type Caps struct{ Steps, Horizon int }

// Verdict is an answer: a yes, or the check that said no and why.
type Verdict struct {
	OK             bool
	Failed, Reason string
}

// Proposal is a plan with what is beside it: when it was asked, whom it could know, and
// whose law it is under.
type Proposal struct {
	Plan    Plan
	Asked   int
	Set     []sim.EntityID
	Profile string
}

// Terms is what a proposal is judged under. Stale is in ticks.
type Terms struct {
	Caps  Caps
	Law   Law
	Stale int
}

// Law is asked by the fourth check whether a profile may propose a step, and which clause
// says so.
type Law interface {
	Permits(profile string, s Step) (clause string, ok bool)
}

// Lawless is the law of no clauses: it permits everything.
type Lawless struct{}

// Body is a living body in a reading.
type Body struct {
	Cell  sim.Coord
	Grams float64
}

// Reading is the world between two ticks, as the last two checks need it. It is kept for
// one verdict: Actor and View are the world's own.
type Reading struct {
	Tick   int
	Actor  *beast.Beast
	View   *beast.View
	Sees   []sim.EntityID
	Bodies map[sim.EntityID]Body
}

// Permits everything, naming nothing.
func (Lawless) Permits(string, Step) (string, bool) { return "", true }

// Accepted is a yes.
func Accepted() Verdict { return Verdict{OK: true} }

// Refused is a no of a check.
func Refused(check, reason string) Verdict { return Verdict{Failed: check, Reason: reason} }

// String is "accepted", or "refused by <check>: <reason>".
func (v Verdict) String() string { panic("unwritten") }

// Span is how many ticks a step of a verb takes; false for a verb that is not in the table.
func Span(verb string) (ticks int, ok bool) { panic("unwritten") }

// Span is how many ticks the steps take together.
func (p Plan) Span() int { panic("unwritten") }

func ShapeOf(p Plan, c Caps) Verdict                                     { panic("unwritten") }
func VerbsOf(p Plan, c Caps) Verdict                                     { panic("unwritten") }
func GroundingOf(p Plan, set []sim.EntityID) Verdict                     { panic("unwritten") }
func LawOf(p Plan, profile string, l Law) Verdict                        { panic("unwritten") }
func ReachOf(n int, s Step, r Reading, placed bool) Verdict              { panic("unwritten") }
func FreshnessOf(n int, s Step, asked int, r Reading, stale int) Verdict { panic("unwritten") }
func Run(check string, p Proposal, t Terms, r Reading) Verdict           { panic("unwritten") }
func InOrder(order []string, p Proposal, t Terms, r Reading) Verdict     { panic("unwritten") }
func Validate(p Proposal, t Terms, r Reading) Verdict                    { panic("unwritten") }
func Due(n int, p Proposal, t Terms, r Reading) Verdict                  { panic("unwritten") }
func Next(s Step, r Reading) beast.Act                                   { panic("unwritten") }
func Turn(b *beast.Beast, c sim.Coord) (beast.Act, bool)                 { panic("unwritten") }
func Within(a, b sim.Coord, n int) bool                                  { panic("unwritten") }

// Code is a law of profiles and clauses, as a file holds it.
type Code struct{}

// ParseCode reads a law out of its file's bytes, strictly.
func ParseCode(text []byte) (Code, error) { panic("unwritten") }

// Permits asks the clauses of the profile, in their order.
func (c Code) Permits(profile string, s Step) (string, bool) { panic("unwritten") }
