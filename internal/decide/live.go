package decide

import (
	"context"
	"errors"
	"fmt"
	"time"

	"torve/internal/lang"
	"torve/internal/law"
	"torve/internal/record"
	"torve/internal/village"
)

// late is how many ticks of the world an answer took, ten to a second.
func late(took time.Duration) int { return int(took * 10 / time.Second) }

// live asks a model, keeps what the villager remembers, the proposal and a step that is
// refused when due in the store, and reads the ledger back. An answer that was cut off is kept
// as a refused row, and then the run ends with why it was.
func (b *bench) live(ctx context.Context) error {
	v, err := b.stand(ctx)
	if err != nil {
		return err
	}
	if _, err := b.Live.Resident(ctx); err != nil { // nothing is written for a server that does not answer
		return err
	}
	q, err := b.world.Ask(v.ID, b.thought)
	if err != nil {
		return err
	}
	b.title("%s, asked at tick %d, of %s at %s; rows go to %s", v.Name, b.Now, b.Live.Model(), b.Live.Server(), b.At)
	b.asks(v, q)
	if err := b.remember(ctx, v); err != nil {
		return err
	}
	k, err := b.hear(ctx, q)
	if err != nil {
		return err
	}
	took := k.a.Took
	b.answered(k, k.voice())
	b.line("  the call took %v, %d ticks at 10 a second (measured here; yours will differ), so the answer lands at tick %d", took.Round(time.Millisecond), late(took), b.Now+late(took))
	if err := b.until(ctx, b.Now+late(took)); err != nil {
		return errors.Join(err, b.spare(k, k.unread()))
	}
	if err := b.decideLive(ctx, v, k); err != nil {
		return err
	}
	if err := b.look(ctx, v); err != nil {
		return err
	}
	if k.cut != nil {
		return fmt.Errorf("%w; they are kept as a refused row", k.cut)
	}
	b.blank()
	resident, err := b.Live.Resident(ctx)
	if err != nil {
		return err
	}
	b.line("  %s", shown(resident))
	b.line("  and not one number the models answered is on this page")
	return nil
}

// hear asks the model. Of an answer that began and was cut off, what had come is the answer.
func (b *bench) hear(ctx context.Context, q village.Question) (asked, error) {
	call := b.call(q, !b.NoSchema)
	a, err := b.Live.Answer(ctx, call)
	if err == nil {
		return read(q, a), nil
	}
	broken, is := errors.AsType[*lang.Cut](err)
	if !is || ctx.Err() != nil {
		return asked{}, err
	}
	a = lang.Answer{Text: broken.Partial, Model: b.Live.Model(), Digest: broken.Digest, Settings: call.Settings, Stopped: "cut off", Took: broken.Took}
	return asked{q: q, a: a, cut: broken, err: broken}, nil
}

// decideLive judges an answer where it lands, keeps the row, and lives the plan if it is
// accepted.
func (b *bench) decideLive(ctx context.Context, v village.Villager, k asked) error {
	verdict := k.unread()
	if k.err == nil {
		r, err := b.world.Reading(v.ID)
		if err != nil {
			return errors.Join(err, b.spare(k, verdict))
		}
		j := b.judge(k.proposal(), r)
		b.judgement(r, j)
		verdict = j.Verdict
	}
	b.line("  the seam: %s", shown(verdict.String()))
	b.blank()
	row, err := k.row(record.Plan, b.Now, verdict)
	if err != nil {
		return err
	}
	if err := b.propose(ctx, row); err != nil {
		return err
	}
	b.blank()
	if !verdict.OK {
		return nil
	}
	return b.walkLive(ctx, v, k)
}

// walkLive lives the plan, and keeps the row of a step that is refused when due.
func (b *bench) walkLive(ctx context.Context, v village.Villager, k asked) error {
	done, err := b.world.Dispatch(v.ID, k.proposal(), b.terms)
	if err != nil {
		return err
	}
	b.steps(done, k.plan, true)
	if no, is := refusedStep(done); is {
		row, err := k.row(record.Step, no.Due, no.Verdict)
		if err != nil {
			return err
		}
		if err := b.propose(ctx, row); err != nil {
			return err
		}
	}
	b.spent(done, k.plan, true)
	b.blank()
	return nil
}

// propose appends a row, and counts the memory on both sides of it. What the store does not
// take is kept where it can be found.
func (b *bench) propose(ctx context.Context, row record.Proposal) error {
	before, err := b.remembered(ctx, "")
	if err != nil {
		return b.keep(row, fmt.Errorf("counting the memory before the row of %s at tick %d: %w", row.Actor, row.Tick, err))
	}
	id, err := b.Store.Propose(ctx, b.At, row)
	if err != nil {
		return b.keep(row, fmt.Errorf("appending the row of %s at tick %d: %w", row.Actor, row.Tick, err))
	}
	after, err := b.remembered(ctx, "")
	if err != nil {
		return fmt.Errorf("the row is appended as proposal %d; counting the memory after it: %w", id, err)
	}
	b.line("  the row appended as proposal %d, %s; memory rows before it %d, after it %d", id, row.Verdict, len(before), len(after))
	return nil
}

// spare keeps the row of an answer that nothing could be done with.
func (b *bench) spare(k asked, v law.Verdict) error {
	row, err := k.row(record.Plan, b.Now, v)
	if err != nil {
		return err
	}
	return b.keep(row, nil)
}

// keep puts a row where it can be found that the store did not say it has, and says so: a
// store that went away may have taken it.
func (b *bench) keep(row record.Proposal, why error) error {
	size := counted(len(row.Answer), "byte")
	where, err := b.Keep(row)
	switch {
	case err == nil:
		b.line("  the ledger is not known to hold the row; it is kept, with the answer's %s, in %s", size, where)
		return why
	case why == nil:
		return fmt.Errorf("keeping the row, with the answer's %s: %w", size, err)
	}
	return fmt.Errorf("%w; and the row, with the answer's %s, is not kept: %w", why, size, err)
}

// look reads the ledger back.
func (b *bench) look(ctx context.Context, v village.Villager) error {
	var rows []record.Proposal
	for row, err := range b.Store.Proposals(ctx, b.At, v.Name) {
		if err != nil {
			return fmt.Errorf("reading the ledger back: %w", err)
		}
		rows = append(rows, row)
	}
	current, err := b.Store.Current(ctx, b.At, v.Name)
	if err != nil {
		return fmt.Errorf("reading the current plan: %w", err)
	}
	b.readBack(v.Name, rows, current)
	return nil
}
