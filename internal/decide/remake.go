package decide

import (
	"context"
	"fmt"
	"slices"

	"torve/internal/lang"
	"torve/internal/village"
)

// record asks a model everything that the day asks, in the day's order, and rewrites the
// recording once every answer is there.
func (b *bench) record(ctx context.Context) error {
	b.line("decide, mode %s: the day, asked of %s at %s", b.Mode, b.Live.Model(), b.Live.Server())
	b.blank()
	b.line("  %-7s %4s %-6s %5s %5s %7s  %s", "who", "tick", "schema", "in", "out", "seconds", "against the recording that was")
	var rows []lang.Row
	var changed int
	err := b.each(ctx, func(v village.Villager, schema bool) error {
		q, err := b.question(v)
		if err != nil {
			return err
		}
		call := b.call(q, schema)
		a, err := b.Live.Answer(ctx, call)
		if err != nil {
			return fmt.Errorf("asking for %s at tick %d: %w", v.Name, q.Tick, err)
		}
		row := lang.Record(call, a)
		rows = append(rows, row)
		what := b.against(row)
		if what != sameAnswer {
			changed++
		}
		b.line("  %-7s %4d %-6s %5d %5d %7.3f  %s", v.Name, q.Tick, yesNo(schema), a.TokensIn, a.TokensOut, a.Took.Seconds(), what)
		return b.err
	})
	if err != nil {
		return err
	}
	b.blank()
	if err := b.Write(lang.Write(rows)); err != nil {
		return err
	}
	b.line("  %d answers recorded, %d of them other than before", len(rows), changed)
	return nil
}

const sameAnswer = "the same answer"

// against says what a row changes.
func (b *bench) against(row lang.Row) string {
	old := b.Recorded.Rows()
	i := slices.IndexFunc(old, func(r lang.Row) bool {
		return r.Villager == row.Villager && r.Tick == row.Tick && r.Schema == row.Schema && r.Attempt == row.Attempt
	})
	switch {
	case i < 0:
		return "was not recorded"
	case old[i].Model == Authored:
		return "was authored"
	case old[i].Answer != row.Answer:
		return fmt.Sprintf("another answer: %d bytes, and %d before", len(row.Answer), len(old[i].Answer))
	case old[i].Prompt != row.Prompt:
		return "another prompt, and the same answer"
	}
	return sameAnswer
}

// Rehash gives the recording of the same answers to the prompts as they are rendered now: for
// answers that somebody authored, after a change of the prompt. Each question of the day must
// have its row.
func Rehash(ctx context.Context, o Options) ([]lang.Row, error) {
	o.Mode = "day"
	b, err := open(nil, o)
	if err != nil {
		return nil, err
	}
	var rows []lang.Row
	err = b.each(ctx, func(v village.Villager, schema bool) error {
		q, err := b.question(v)
		if err != nil {
			return err
		}
		call := b.call(q, schema)
		row := lang.Record(call, lang.Answer{Settings: call.Settings})
		old := b.Recorded.Rows()
		i := slices.IndexFunc(old, func(r lang.Row) bool {
			return r.Villager == row.Villager && r.Tick == row.Tick && r.Schema == row.Schema
		})
		if i < 0 {
			return fmt.Errorf("no answer of %s at tick %d is recorded", v.Name, q.Tick)
		}
		if old[i].Model != Authored {
			return fmt.Errorf("the answer of %s at tick %d is a model's, to another prompt", v.Name, q.Tick)
		}
		old[i].Prompt, old[i].Settings = row.Prompt, row.Settings
		rows = append(rows, old[i])
		return nil
	})
	return rows, err
}
