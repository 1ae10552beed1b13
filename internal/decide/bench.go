package decide

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"torve/internal/lang"
	"torve/internal/law"
	"torve/internal/sim"
	"torve/internal/village"
)

// How far a run may look.
const (
	longest = 365 * village.Day // from the world's first tick to the question
	latest  = village.Day       // from the question to its answer, or the most that a proposal may age
	part    = 10_000            // ticks that are lived before it is asked whether to go on
)

// bench is one run: where it prints, the world, and what its plans are judged under.
type bench struct {
	page
	Options
	world   *village.Roster
	first   int
	thought village.Thought
	terms   law.Terms
	order   []string
}

// open reads the settings and stands the world at its first tick.
func open(out io.Writer, o Options) (*bench, error) {
	world, err := village.New()
	if err != nil {
		return nil, err
	}
	thought, err := village.ReadThought()
	if err != nil {
		return nil, err
	}
	seam, err := village.ReadSeam()
	if err != nil {
		return nil, err
	}
	b := &bench{page: page{w: out, names: map[sim.EntityID]string{}}, Options: o, world: world, first: world.Tick(), thought: thought}
	for _, v := range world.Villagers() {
		b.names[v.ID] = v.Name
	}
	b.terms = law.Terms{Caps: thought.Caps, Law: o.Law, Stale: seam.Stale}
	if o.Stale != 0 {
		b.terms.Stale = o.Stale
	}
	b.order = slices.Clone(law.Checks[:])
	if o.Reversed {
		slices.Reverse(b.order)
	}
	return b, b.fit()
}

// fit refuses numbers that say nothing to the world.
func (b *bench) fit() error {
	switch {
	case b.Late < 0 || b.Late > latest:
		return unfit("-late 121", "-late %d: an answer may be 0 to %d ticks late", b.Late, latest)
	case b.terms.Stale < 1:
		return unfit("-stale 60", "a staleness cap of %d ticks would refuse every proposal", b.terms.Stale)
	case b.terms.Stale > latest:
		return unfit("-stale 60", "-stale %d: a proposal may age %d ticks at most", b.terms.Stale, latest)
	}
	return nil
}

// stand lives the world on habit to the tick of the question, and finds who is asked.
func (b *bench) stand(ctx context.Context) (village.Villager, error) {
	switch {
	case b.Now < b.first:
		return village.Villager{}, unfit("-now 1400", "-now %d: the world begins at tick %d", b.Now, b.first)
	case b.Now > b.first+longest:
		return village.Villager{}, unfit("-now 1400", "-now %d: the world is lived tick by tick, to tick %d at most", b.Now, b.first+longest)
	}
	if _, known := b.world.Villager(b.Who); !known {
		return village.Villager{}, b.nobody("there is no villager %q", b.Who)
	}
	if err := b.until(ctx, b.Now); err != nil {
		return village.Villager{}, err
	}
	v, alive := b.world.Villager(b.Who)
	if !alive {
		return v, b.nobody("%s is not in the world any more at tick %d", b.Who, b.Now)
	}
	return v, nil
}

func (b *bench) nobody(format string, a ...any) error {
	var names []string
	for _, v := range b.world.Villagers() {
		names = append(names, v.Name)
	}
	hint := ""
	if len(names) > 0 {
		hint = "-who " + names[0]
	}
	return unfit(hint, format+"; there are %s", append(a, orNobody(strings.Join(names, ", ")))...)
}

// until lives on to a tick, and stops between when the run is to end.
func (b *bench) until(ctx context.Context, to int) error {
	for b.world.Tick() < to {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := b.world.Run(min(b.world.Tick()+part, to)); err != nil {
			return err
		}
	}
	return nil
}

// asked is a question with what came back, and the plan that was read out of it.
type asked struct {
	q    village.Question
	a    lang.Answer
	cut  *lang.Cut // the answer did not come to its end
	plan law.Plan
	err  error // why the answer is no plan; nil of one that is
}

// question is what a villager is asked at this boundary. No table takes over what the prompt
// tells, so that it is pending afterwards as it was: a copy of the world is asked.
func (b *bench) question(v village.Villager) (village.Question, error) {
	world, err := village.Restore(b.world.State())
	if err != nil {
		return village.Question{}, err
	}
	return world.Ask(v.ID, b.thought)
}

// call is a question as a mind is asked it.
func (b *bench) call(q village.Question, schema bool) lang.Question {
	c := lang.Question{
		Villager: q.Villager.Name, Tick: q.Tick, Attempt: 1, Prompt: q.Prompt,
		Settings: lang.Settings{Limit: b.thought.Limit, Context: b.thought.Context, Temperature: b.thought.Temperature, Seed: q.Tick + int(q.Villager.ID)},
	}
	if schema {
		c.Schema = village.Schema()
	}
	return c
}

// recall is the villager of the flags at its tick, and what the recording has it answer.
func (b *bench) recall(ctx context.Context) (village.Villager, asked, error) {
	v, err := b.stand(ctx)
	if err != nil {
		return v, asked{}, err
	}
	k, err := b.ask(ctx, v)
	return v, k, err
}

// ask puts a villager's question of this boundary to the recording.
func (b *bench) ask(ctx context.Context, v village.Villager) (asked, error) {
	q, err := b.question(v)
	if err != nil {
		return asked{}, err
	}
	a, err := b.Recorded.Answer(ctx, b.call(q, !b.NoSchema))
	switch {
	case errors.Is(err, lang.ErrNotRecorded):
		return asked{}, b.notRecorded(v, err)
	case errors.Is(err, lang.ErrOtherPrompt):
		return asked{}, errors.Join(ErrOdd, err)
	case err != nil:
		return asked{}, err
	}
	return read(q, a), nil
}

// read reads an answer strictly.
func read(q village.Question, a lang.Answer) asked {
	plan, err := village.ReadPlan(a.Text)
	return asked{q: q, a: a, plan: plan, err: err}
}

// proposal is the plan with what is beside it.
func (k asked) proposal() law.Proposal {
	return law.Proposal{Plan: k.plan, Asked: k.q.Tick, Set: k.q.Set, Profile: k.q.Villager.Profile}
}

// unread is the verdict over an answer that is no plan: the first check's, and no other is
// asked.
func (k asked) unread() law.Verdict {
	if k.cut != nil {
		return law.Refused(law.OnShape, k.cut.Error())
	}
	return law.Refused(law.OnShape, lang.Misread(k.a.Model, k.err).Error())
}

// judged is a verdict and how many checks it took, in which order.
type judged struct {
	law.Verdict
	asked int
	order []string
}

// judge asks the checks of a proposal over a reading.
func (b *bench) judge(p law.Proposal, r law.Reading) judged {
	v, n := law.Count(b.order, p, b.terms, r)
	return judged{v, n, b.order}
}

// said is what one of the checks answered: nothing when a no came before it.
func (j judged) said(i int) string {
	switch {
	case i >= j.asked:
		return "-"
	case i == j.asked-1 && !j.OK:
		return "no: " + j.Why
	}
	return "yes"
}

// notRecorded says which questions of a villager the recording answers.
func (b *bench) notRecorded(v village.Villager, err error) error {
	var ticks []string
	for _, r := range b.Recorded.Rows() {
		if r.Villager == v.Name && r.Schema == !b.NoSchema {
			ticks = append(ticks, strconv.Itoa(r.Tick))
		}
	}
	if len(ticks) == 0 {
		return unfit(dayCommand, "%v, nor at any other", err)
	}
	return unfit("-now "+ticks[0], "%v; recorded are %s", err, strings.Join(ticks, ", "))
}
