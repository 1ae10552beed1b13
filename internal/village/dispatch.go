package village

import (
	"fmt"

	"torve/internal/beast"
	"torve/internal/law"
	"torve/internal/sim"
)

// Done is one step of a plan as it went.
type Done struct {
	N       int // from 1
	Step    law.Step
	Due     int
	Verdict law.Verdict // of Due; of a step behind a refused one, the same refusal
	Asked   bool        // false behind a refused one: it was never asked
	Posted  int         // intents put into the slot
	Counts  Counts      // how much each has grown in the step's ticks
	Habit   bool        // the habit had its ticks
	Grams   float64     // that were handed or taken
	From    sim.Coord
	To      sim.Coord
	Before  int // rows pending before the check, and after it
	After   int
}

// Dispatch lives an accepted plan: each step is asked again when it is due, posted for its
// whole span, and once one is refused nothing of the rest is posted and the habit has the
// ticks. It ends early, without an error, when the body dies. With an error comes what was
// done until then.
func (r *Roster) Dispatch(id sim.EntityID, p law.Proposal, t law.Terms) ([]Done, error) {
	d, err := r.Drive(id, p, t)
	if err != nil {
		return nil, err
	}
	for {
		on, err := d.Post()
		if err != nil || !on {
			return d.Done(), err
		}
		r.Step()
	}
}

// Drive is an accepted plan on its way through one body's mailbox. Whoever lets the world
// live calls Post at every boundary, once, and of several drives in any order.
type Drive struct {
	world *Roster
	id    sim.EntityID
	plan  law.Proposal
	terms law.Terms

	done   []Done
	left   int    // ticks of the step that is under way
	start  Counts // of the body when that step came due
	parcel bool   // a hand or a take was posted at the boundary at, and not received
	at     int
	moved  int64 // by this step, from hand to hand
	over   bool
}

// Drive begins a plan at this boundary, where its first step is due. It has posted nothing
// yet. A plan that no verb check has let through is an error.
func (r *Roster) Drive(id sim.EntityID, p law.Proposal, t law.Terms) (*Drive, error) {
	if r.alive(id) == nil {
		return nil, fmt.Errorf("dispatch to body %d at tick %d: it is not in the world", id, r.tick)
	}
	for i, s := range p.Plan.Steps {
		if _, is := law.Span(s.Verb); !is {
			return nil, fmt.Errorf("dispatch to body %d: step %d: %q is not a verb in the table", id, i+1, s.Verb)
		}
	}
	return &Drive{world: r, id: id, plan: p, terms: t}, nil
}

// Post does what the plan does at a boundary: asks the step that comes due, and puts one
// intent into the slot, or leaves it empty to the habit. It is false, and the plan over, when
// its ticks are or its body is.
func (d *Drive) Post() (on bool, err error) {
	d.receive()
	if d.left == 0 && len(d.done) == len(d.plan.Plan.Steps) || d.world.alive(d.id) == nil {
		d.over = true
	}
	if d.over {
		return false, nil
	}
	if d.left == 0 {
		if err := d.begin(); err != nil {
			return false, err
		}
	}
	if now := d.now(); !now.Habit {
		if err := d.post(now); err != nil {
			return false, err
		}
	}
	d.left--
	return true, nil
}

// Done is each step that has come due, as it went until now.
func (d *Drive) Done() []Done {
	d.receive()
	return append([]Done(nil), d.done...)
}

func (d *Drive) now() *Done { return &d.done[len(d.done)-1] }

// receive takes in what the last tick has done for the step that is under way.
func (d *Drive) receive() {
	if len(d.done) == 0 || d.over {
		return
	}
	if d.parcel && d.world.tick > d.at {
		d.moved += d.world.known(d.id).deed.grams
		d.parcel = false
	}
	d.measure(d.now())
}

// measure says how the step has gone until this boundary.
func (d *Drive) measure(now *Done) {
	now.Counts = d.world.Counts(d.id).since(d.start)
	now.To = d.world.known(d.id).Cell()
	now.Grams = sim.Grams(d.moved)
}

// begin asks the next step, which is due; behind a refused one nothing is asked any more.
func (d *Drive) begin() error {
	n := len(d.done) + 1
	s := d.plan.Plan.Steps[n-1]
	next := Done{N: n, Step: s, Due: d.world.tick, From: d.world.alive(d.id).Cell(), Before: d.world.Pending(d.id)}
	if n > 1 && d.now().Habit {
		next.Verdict = d.now().Verdict
	} else {
		reading, err := d.world.Reading(d.id)
		if err != nil {
			return err
		}
		next.Verdict, next.Asked = law.Due(n, d.plan, d.terms, reading), true
	}
	next.Habit = !next.Verdict.OK
	next.After = d.world.Pending(d.id)
	d.left, _ = law.Span(s.Verb)
	d.start, d.moved = d.world.Counts(d.id), 0
	d.done = append(d.done, next)
	d.measure(d.now())
	return nil
}

// post puts the step's next intent into the slot.
func (d *Drive) post(now *Done) error {
	reading, err := d.world.Reading(d.id)
	if err != nil {
		return err
	}
	in := d.intent(now.Step, reading)
	if err := d.world.Post(d.id, in); err != nil {
		return fmt.Errorf("step %d: %w", now.N, err)
	}
	now.Posted++
	d.parcel, d.at = in.Act == beast.Hand || in.Act == beast.Take, d.world.tick
	return nil
}

// intent is the act that the law puts to the world for a step, and with whom. No parcel is
// moved beyond the grams that the step named, and nothing is paid for one while whom it named
// is out of reach.
func (d *Drive) intent(s law.Step, r law.Reading) Intent {
	act := law.Next(s, r)
	if act != beast.Hand && act != beast.Take {
		return Intent{Act: act}
	}
	other, alive := r.Bodies[s.Who]
	near := alive && law.Within(r.Actor.Cell(), other.Cell, int(r.Actor.Kind.Reach))
	if !near || sim.Grams(d.moved+beast.Parcel) > s.Grams {
		return Intent{Act: beast.Rest}
	}
	return Intent{Act: act, Who: s.Who}
}

// since is how much each count has grown.
func (c Counts) since(before Counts) Counts {
	c.Taken -= before.Taken
	c.Habit -= before.Habit
	c.Refused -= before.Refused
	for a := range c.Acts {
		c.Acts[a] -= before.Acts[a]
	}
	return c
}
