package decide

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"torve/internal/lang"
	"torve/internal/law"
	"torve/internal/village"
)

// questions is how many times a day each villager is asked.
const questions = 4

// each stands the world at every question of the day, in order: every villager, by id, and at
// the last tick every one again without a schema.
func (b *bench) each(ctx context.Context, visit func(v village.Villager, schema bool) error) error {
	for i := 1; i <= questions; i++ {
		if err := b.until(ctx, b.first+i*b.thought.Every); err != nil {
			return err
		}
		for _, v := range b.world.Villagers() {
			if err := visit(v, true); err != nil {
				return err
			}
		}
	}
	for _, v := range b.world.Villagers() {
		if err := visit(v, false); err != nil {
			return err
		}
	}
	return nil
}

// tally is what a day comes to.
type tally struct {
	calls, same, accepted, refused, checks, authored int
	by                                               map[string]int
	odd                                              []string // prompts that are not the recorded bytes, and what was expected of the recording
}

// day judges every recorded answer. It is ErrOdd when a prompt that is rendered here is not
// the recorded bytes.
func (b *bench) day(ctx context.Context) error {
	b.title("the recorded day")
	b.blank()
	b.line("  %-7s %4s %-6s %5s %5s %4s  %-8s %-9s %s", "who", "tick", "schema", "steps", "span", "run", "verdict", "failed", "reason")
	t := tally{by: map[string]int{}}
	err := b.each(ctx, func(v village.Villager, schema bool) error { return b.judgeCall(ctx, v, schema, &t) })
	if err != nil {
		return err
	}
	b.blank()
	return b.totals(t)
}

// judgeCall judges one answer of the day and prints its row.
func (b *bench) judgeCall(ctx context.Context, v village.Villager, schema bool, t *tally) error {
	q, err := b.question(v)
	if err != nil {
		return err
	}
	t.calls++
	a, err := b.Recorded.Answer(ctx, b.call(q, schema))
	switch {
	case errors.Is(err, lang.ErrOtherPrompt), errors.Is(err, lang.ErrNotRecorded):
		t.odd = append(t.odd, err.Error())
		b.line("  %-7s %4d %-6s %5s %5s %4s  %-8s %-9s %s", v.Name, q.Tick, yesNo(schema), "-", "-", "-", "-", "-", strings.TrimPrefix(err.Error(), "lang: "))
		return nil
	case err != nil:
		return err
	}
	t.same++
	k := read(q, a)
	if a.Model == Authored {
		t.authored++
	}
	steps, span, j, err := b.judgeAnswer(v, k)
	if err != nil {
		return err
	}
	t.count(j)
	verdict := "accepted"
	if !j.OK {
		verdict = "refused"
	}
	b.line("  %-7s %4d %-6s %5s %5s %4d  %-8s %-9s %s", v.Name, q.Tick, yesNo(schema), steps, span, j.asked, verdict, orDash(j.Failed), orDash(cut(bare(j.Why), 58)))
	return nil
}

// judgeAnswer judges an answer at this boundary. One that is no plan costs one check in
// either order: there is nothing to hand to the others.
func (b *bench) judgeAnswer(v village.Villager, k asked) (steps, span string, j judged, err error) {
	if k.err != nil {
		return "-", "-", judged{k.unread(), 1, []string{law.OnShape}}, nil
	}
	r, err := b.world.Reading(v.ID)
	if err != nil {
		return "", "", judged{}, err
	}
	return fmt.Sprint(len(k.plan.Steps)), fmt.Sprint(k.plan.Span()), b.judge(k.proposal(), r), nil
}

func (t *tally) count(j judged) {
	t.checks += j.asked
	if j.OK {
		t.accepted++
		return
	}
	t.refused++
	t.by[j.Failed]++
}

// totals prints what the day comes to.
func (b *bench) totals(t tally) error {
	if len(t.odd) == 0 {
		b.line("  %d calls, %d prompts rendered here and every one the recorded bytes", t.calls, t.same)
	} else {
		b.line("  %d calls, %d prompts rendered here are the recorded bytes and %d are not", t.calls, t.same, len(t.odd))
	}
	var by []string
	for _, check := range law.Checks {
		by = append(by, fmt.Sprintf("%d by %s", t.by[check], check))
	}
	b.line("  %d accepted, %d refused: %s", t.accepted, t.refused, strings.Join(by, ", "))
	b.line("  %d checks run in all, over %d calls, in the order %s", t.checks, t.same, strings.Join(b.order, ", "))
	b.line("  every verdict above is the engine's over the recording; %s", t.words())
	if len(t.odd) > 0 {
		return errors.Join(b.err, fmt.Errorf("%w: %s", ErrOdd, strings.Join(t.odd, "; ")))
	}
	return nil
}

// words says whose the answers are.
func (t tally) words() string {
	switch t.authored {
	case 0:
		return "the words in the answers are the model's"
	case t.same:
		return "the words in the answers are authored, and no model's"
	}
	return fmt.Sprintf("the words in %d of the answers are authored, and in %d the model's", t.authored, t.same-t.authored)
}

func yesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}
