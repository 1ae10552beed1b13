package decide

import (
	"encoding/json"
	"fmt"
	"strconv"

	"torve/internal/law"
	"torve/internal/record"
	"torve/internal/sim"
	"torve/internal/village"
)

// row is the ledger's row of a verdict: of a plan when it was asked, of a step when it is due.
// A step's repeats what is its plan's.
func (k asked) row(kind string, tick int, v law.Verdict) (record.Proposal, error) {
	settings, err := json.Marshal(k.a.Settings)
	if err != nil {
		return record.Proposal{}, fmt.Errorf("the row of %s at tick %d: %w", k.q.Villager.Name, tick, err)
	}
	row := record.Proposal{
		Actor: k.q.Villager.Name, Tick: int64(tick), Kind: kind,
		Model: k.a.Model, Digest: k.a.Digest, Settings: settings, Prompt: k.q.SHA256,
		Grounding: numbers(k.q.Set), Answer: k.a.Text,
		Verdict: "accepted", Failed: v.Failed, Reason: v.Why,
	}
	if !v.OK {
		row.Verdict = "refused"
	}
	if k.cut == nil { // of what was cut off nobody counted the tokens
		in, out := int64(k.a.TokensIn), int64(k.a.TokensOut)
		row.TokensIn, row.TokensOut = &in, &out
	}
	return row, nil
}

func numbers(ids []sim.EntityID) []string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = strconv.Itoa(int(id))
	}
	return all
}

// memories are a stream's rows as the table of memory has them.
func memories(who string, rows []village.Row) []record.Memory {
	all := make([]record.Memory, len(rows))
	for i, r := range rows {
		all[i] = record.Memory{Villager: who, Tick: int64(r.Tick), Register: r.Register, Text: r.Text}
	}
	return all
}

// title is what is run, and under what.
func (b *bench) title(what string, a ...any) {
	b.line("decide, mode %s: %s", b.Mode, fmt.Sprintf(what, a...))
	b.line("  a plan has at most %d steps and %d ticks, and is refused when it is older than %d ticks", b.terms.Caps.Steps, b.terms.Caps.Horizon, b.terms.Stale)
	if _, none := b.Law.(law.Lawless); none {
		b.line("  the law has no clause: it permits everything")
	} else {
		b.line("  the law is the one that ships, configs/law.json")
	}
	if b.Reversed {
		b.line("  the checks run in reverse order, which is not how they are meant to")
	}
}

// asks prints what a villager is asked, and out of what.
func (b *bench) asks(v village.Villager, q village.Question) {
	b.line("  %s's eyes at the boundary of tick %d: %s", v.Name, b.world.Tick(), b.eyes(v.ID))
	b.line("  the grounding set, stored with the proposal: %s", b.calledAll(q.Set))
}

// eyes are those whom a body's eyes find, where they stand and how far off.
func (b *bench) eyes(id sim.EntityID) string {
	self, found := b.world.Body(id), ""
	for i, other := range b.world.Sees(id) {
		if o := b.world.Body(other); i > 0 {
			found += fmt.Sprintf("; %s on %s, %.1f cells off", b.called(other), cell(o.Cell()), self.Away(o))
		} else {
			found = fmt.Sprintf("%s on %s, %.1f cells off", b.called(other), cell(o.Cell()), self.Away(o))
		}
	}
	return orNobody(found)
}

// answered prints the prompt in one line, the answer's bytes and what was read out of them.
func (b *bench) answered(k asked, v voice) {
	in, out := strconv.Itoa(k.a.TokensIn), strconv.Itoa(k.a.TokensOut)
	if k.cut != nil {
		in, out = tokens(nil), tokens(nil)
	}
	b.line("  the prompt: %d bytes, sha256 %s, %s tokens in, %s out, stopped because: %s", len(k.q.Prompt), digits(k.q.SHA256), in, out, shown(k.a.Stopped))
	b.line("  %s", v.answered)
	b.quote(string(k.a.Text))
	if k.err != nil {
		b.line("  read strictly: %s", shown(k.err.Error()))
		return
	}
	b.line("  read strictly: an object of %d step(s)", len(k.plan.Steps))
	b.plan(k.plan, v)
}

// judgement prints a reading and what the checks said over it.
func (b *bench) judgement(r law.Reading, j judged) {
	b.reading(r)
	b.line("  the six checks, in order, over the whole plan")
	b.checks(j)
}

// voice is how the answer is spoken of.
func (k asked) voice() voice { return voiceOf(k.a) }
