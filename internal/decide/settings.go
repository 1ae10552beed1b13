package decide

import (
	"context"
	"strings"

	"torve/internal/beast"
	"torve/internal/law"
	"torve/internal/sim"
	"torve/internal/village"
)

// handed is what each check needs and asks, in the words of the settings.
var handed = map[string][2]string{
	law.OnShape:     {"the plan, caps", "at least one step, no more than the cap, a word in every verb slot"},
	law.OnVerb:      {"the table, caps", "every verb in the table with its own argument; the spans within the horizon"},
	law.OnGrounding: {"the set", "every body named is in the set stored with the proposal"},
	law.OnLaw:       {"the law", "every step is one the profile's law permits; the clause is the reason"},
	law.OnReach:     {"the world", "the target is where the action needs it; the world's own rule on the action"},
	law.OnFreshness: {"the world", "no older than the staleness cap; every body named still in the world"},
}

// moments is when the checks run, and what becomes of their verdict.
const moments = `
  the two moments the checks run at
    on arrival   all six, over the whole plan, with the world asked about the first step
    at dispatch  the last two again, over one step, when that step comes due

  a reading of the world, as the last two are handed it
    the tick; the actor's body and the view it stands in; who its eyes returned;
    every living body, with its cell and its grams. Taken at a boundary, kept for one verdict

  what is done with a refusal: the plan is refused whole and dispatches nothing; the
  verdict, the check and the reason go into the ledger beside the answer's bytes;
  the villager runs the habit; and no memory is written about any of it`

// settings prints what the bench runs under.
func (b *bench) settings(context.Context) error {
	b.title("what plans are judged under")
	b.blank()
	b.valley()
	b.verbs()
	b.blank()
	b.acts()
	b.blank()
	b.clauses()
	b.line("  the six checks, in the order they are run, and what each is handed")
	b.line("%4s %-10s %-14s %s", "#", "check", "needs", "asks")
	for i, check := range law.Checks {
		b.line("%4d %-10s %-14s %s", i+1, check, handed[check][0], handed[check][1])
	}
	b.lines(strings.Split(moments, "\n"))
	return nil
}

// valley is the world at its first tick, and how its villagers are asked.
func (b *bench) valley() {
	bed := b.world.Valley().Bed
	b.line("  the valley   %d by %d cells, from tick %d on; ten ticks a second, %d a day", bed.W, bed.H, b.first, village.Day)
	for _, v := range b.world.Villagers() {
		o := b.world.Body(v.ID)
		b.line("    %-10s on %s carrying %.4f grams, under the profile %s", b.called(v.ID), cell(o.Cell()), o.Carrying(), v.Profile)
	}
	b.line("  a prompt     the newest %d rows of memory; an answer of at most %d tokens in a window of %d, temperature %.2f, seed tick + id",
		b.thought.Newest, b.thought.Limit, b.thought.Context, b.thought.Temperature)
	b.line("  a question   every %d ticks; an answer has %d ticks to land in before a whole plan grows stale on its way",
		b.thought.Every, b.terms.Stale-b.terms.Caps.Horizon)
	b.blank()
}

// verbs is the table that the second check asks.
func (b *bench) verbs() {
	b.line("  the verbs, and for how many ticks a step of each is posted")
	b.line("%6s %-6s %5s  %s", "#", "verb", "ticks", "argument")
	for i, v := range [...][2]string{{law.Go, "where"}, {law.Wait, "-"}, {law.Watch, "who"}, {law.Hand, "who, grams"}, {law.Take, "who, grams"}, {law.Say, "who, line"}} {
		ticks, _ := law.Span(v[0])
		b.line("%6d %-6s %5d  %s", i+1, v[0], ticks, v[1])
	}
}

// acts is the action table as a villager pays it.
func (b *bench) acts() {
	b.line("  the acts, and what each costs a villager; the price is put to the store before the act's own test")
	b.line("%6s %-10s %6s", "#", "act", "grams")
	kind := b.world.Bodies()[0].Kind
	for a := beast.Rest; a.Known(); a++ {
		b.line("%6d %-10s %6.4f", a, a, sim.Grams(kind.Price(a)))
	}
}

// clauses are the law's, if it has any.
func (b *bench) clauses() {
	code, is := b.terms.Law.(law.Code)
	if !is {
		return
	}
	b.line("  the law; the first clause that speaks of a step decides, and what none speaks of is permitted")
	b.line("%6s %-20s %-6s %-16s %-8s %s", "#", "clause", "verb", "of", "decides", "says")
	for i, c := range code.Clauses() {
		b.line("%6d %-20s %-6s %-16s %-8s %s", i+1, c.ID, c.Verb, c.Of, map[bool]string{true: "permits", false: "refuses"}[c.Permit], shown(c.Says))
	}
	b.blank()
}
