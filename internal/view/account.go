package view

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/strictyaml"
	"torve/internal/truth"
)

// tried is one attempt that ended as an account counts it, whichever carrier tells of it.
// Where nothing here tells of attempts it is a landing, with all that its file says.
type tried struct {
	task, regime, contract string
	n                      int // of the attempt, where the record tells of it
	agent                  carrier.Agent
	at                     time.Time // zero: not told
	attempts               int       // 1; of a landing file all of its task's, of other money none
	landed, refused        int
	usd                    *float64
	source                 string
	in, out                *int64
	seconds                *float64
	verdict, check         string
}

// told is what one carrier tells of attempts.
type told struct {
	carrier string // record, files, git, or none
	any     bool   // it holds some, be they older than was asked for
	why     string // why it is not the record, where that is not said by how it was named
	rows    []tried
	ledger  Telemetry
	beside  *Source           // the record, where the files spoke and it holds attempts too
	unasked string            // why a record that is named was not asked
	files   []carrier.Landing // all of them, once they were read
	faults  []Fault
}

// fromNone is named where no carrier here holds a block.
const fromNone = "none"

// Telemetry counts this checkout's file of attempts. It is told whatever answered: rows
// that the record does not hold are true, too.
type Telemetry struct {
	Rows       int  `json:"rows"`
	Repeated   int  `json:"repeated"`   // of them told before, and counted once
	Unrecorded *int `json:"unrecorded"` // of them not in the record; null where none was read
}

// attempts are told by the record, those that ended since a time (zero: all); where it
// holds none at all, by this checkout's telemetry.
// Where it is the record that tells all, each of its tasks is also handed on, in no order.
func (o Options) attempts(ctx context.Context, r *truth.Reading, since time.Time, also func(*board.Task)) (told, error) {
	t := told{carrier: fromNone}
	if r.Board != nil {
		var err error
		t.carrier = fromRecord
		t.rows, t.any, err = recordedAttempts(ctx, r, since, also)
		if err != nil || t.any {
			return t, err
		}
	}
	rows, err := o.telemetry(r, &t)
	if err != nil || len(rows) == 0 {
		return t, err
	}
	t.why = "there is no record here"
	if r.Board != nil {
		t.why = "the record holds no attempt"
	}
	t.carrier = fromFiles
	landed := landings(r)
	for _, row := range rows {
		t.rows = append(t.rows, ofRow(row, landed))
	}
	return t, nil
}

// spent is what attempts came to. The file of attempts is counted beside a record; a clone
// that has neither is told by the landing files, of what landed alone.
func (o Options) spent(ctx context.Context, r *truth.Reading, also func(*board.Task)) (told, error) {
	t, err := o.attempts(ctx, r, time.Time{}, also)
	switch {
	case err != nil:
		return told{}, err
	case t.carrier == fromRecord && len(t.rows) > 0:
		_, err = o.telemetry(r, &t)
		return t, err
	}
	if err := o.besides(ctx, &t); err != nil {
		return told{}, err
	}
	if len(t.rows) == 0 {
		return t, t.fromLandings(ctx, r)
	}
	return t, nil
}

// besides counts the attempts of a record that did not speak, as it would tell them.
func (o Options) besides(ctx context.Context, t *told) error {
	t.unasked = o.Unasked
	if o.Beside == nil || o.Beside.Board == nil {
		return nil
	}
	rows, _, err := recordedAttempts(ctx, o.Beside, time.Time{}, nil)
	if err == nil && len(rows) > 0 {
		s := o.source(fromRecord, len(rows))
		t.beside = &s
	}
	return err
}

// landings are the attempts whose work has landed, reverted or not.
func landings(r *truth.Reading) map[tryOf]bool {
	landed := make(map[tryOf]bool, len(r.Landings))
	for _, f := range r.Landings {
		landed[tryOf{f.Task, f.Attempt}] = true
	}
	return landed
}

// tryOf names one attempt.
type tryOf struct {
	task string
	n    int
}

// recordedAttempts are the attempts that the record holds and that ended since a time, each
// as telemetry has it, and the money that belongs to none; and whether it holds any.
func recordedAttempts(ctx context.Context, r *truth.Reading, since time.Time, also func(*board.Task)) (out []tried, any bool, err error) {
	var landed map[tryOf]bool
	byTask, ids := map[string][]tried{}, []string{}
	add := func(t *board.Task) {
		if landed == nil && len(t.Attempts) > 0 {
			landed = landings(r)
		}
		if rows := triedSince(t, since, landed); len(rows) > 0 {
			byTask[t.ID], ids = rows, append(ids, t.ID)
		}
		if also != nil {
			also(t)
		}
	}
	if any, err = eachSince(ctx, r, since, add); err != nil {
		return nil, false, err
	}
	slices.Sort(ids)
	for _, id := range ids {
		out = append(out, byTask[id]...)
	}
	for _, s := range r.Board.Spends {
		out = append(out, tried{usd: s.Usage.USD, source: s.Usage.Source, in: s.Usage.TokensIn, out: s.Usage.TokensOut})
	}
	return out, any || len(out) > 0, nil
}

// eachSince hands on the tasks of which an attempt ended since a time, or that cost other
// money: of no time, all tasks. Any is whether an attempt of any task ended at all.
func eachSince(ctx context.Context, r *truth.Reading, since time.Time, add func(*board.Task)) (any bool, err error) {
	var lately []string
	for id, t := range r.Board.Tasks {
		ended := t.Ended()
		any = any || !ended.IsZero()
		if t.Costs() || !ended.IsZero() && !ended.Before(since) {
			lately = append(lately, id)
		}
	}
	if since.IsZero() {
		return any, r.Board.Each(ctx, add)
	}
	if err := r.Read(ctx, lately...); err != nil {
		return false, err
	}
	for _, id := range lately {
		add(r.Board.Tasks[id])
	}
	return any, nil
}

// triedSince are a task's attempts that ended since a time, and its other spends.
func triedSince(t *board.Task, since time.Time, landed map[tryOf]bool) (out []tried) {
	for _, a := range t.Attempts {
		if row, ended := truth.RowOf(t.ID, a); ended && !a.FinishedAt.Before(since) {
			e := ofRow(row, landed)
			e.contract, e.n = a.Started.Contract, a.N
			out = append(out, e)
		}
	}
	for _, s := range t.Spends {
		out = append(out, tried{task: t.ID, usd: s.Usage.USD, source: s.Usage.Source, in: s.Usage.TokensIn, out: s.Usage.TokensOut})
	}
	return out
}

// ofRow is a row of telemetry. Work that landed in the end was not refused, whatever was
// said when it arrived.
func ofRow(row carrier.Row, landed map[tryOf]bool) tried {
	e := tried{task: row.Task, regime: row.Regime, agent: row.Agent, at: row.At, attempts: 1,
		usd: row.USD, source: row.Source, in: row.TokensIn, out: row.TokensOut, seconds: row.Seconds,
		verdict: row.Verdict, check: row.Check}
	switch {
	case row.Attempt > 0 && landed[tryOf{row.Task, row.Attempt}]:
		e.landed = 1
	case row.Verdict == "refused":
		e.refused = 1
	}
	return e
}

// telemetry reads this checkout's file, counts it, and gives each row once.
func (o Options) telemetry(r *truth.Reading, t *told) ([]carrier.Row, error) {
	if r.Board != nil {
		t.ledger.Unrecorded = new(int)
	}
	if o.Telemetry == "" {
		return nil, nil
	}
	rows, broken, err := carrier.ReadRows(o.Telemetry)
	if err != nil {
		return nil, err
	}
	t.faults = o.faultsOf(broken)
	t.ledger.Rows = len(rows)
	if r.Board != nil {
		held := t.held()
		for _, row := range rows {
			if !held[tryOf{row.Task, row.Attempt}] {
				*t.ledger.Unrecorded++
			}
		}
	}
	once := rows[:0]
	seen := map[rowOf]bool{}
	for _, row := range rows {
		key := rowOf{tryOf{row.Task, row.Attempt}, row.At.UTC()}
		if row.Attempt > 0 && !row.At.IsZero() && seen[key] {
			t.ledger.Repeated++
			continue
		}
		seen[key] = true
		once = append(once, row)
	}
	return once, nil
}

// rowOf names one end of one attempt: two rows of it tell the same.
type rowOf struct {
	tryOf
	at time.Time
}

// held are the attempts whose end the record has: all of them were asked for, or it has none.
func (t *told) held() map[tryOf]bool {
	held := map[tryOf]bool{}
	for _, e := range t.rows {
		if e.n > 0 {
			held[tryOf{e.task, e.n}] = true
		}
	}
	return held
}

// fromLandings takes what the landing files say of their tasks' cost.
func (t *told) fromLandings(ctx context.Context, r *truth.Reading) error {
	if len(r.Landings) == 0 {
		return nil
	}
	if err := t.load(ctx, r); err != nil {
		return err
	}
	t.carrier = fromGit
	for _, l := range t.files {
		s := l.Spent
		t.rows = append(t.rows, tried{task: l.Task, contract: l.Contract, agent: l.Agent, at: l.At, attempts: s.Attempts, landed: 1, refused: s.Refused,
			usd: s.USD, source: s.Source, in: s.TokensIn, out: s.TokensOut, seconds: s.Seconds})
	}
	return nil
}

// load reads every landing file, once. One that does not read is a fault and no gap.
func (t *told) load(ctx context.Context, r *truth.Reading) error {
	if t.files != nil {
		return nil
	}
	t.files = []carrier.Landing{}
	for _, f := range r.Landings {
		l, err := f.Load(ctx)
		var broken *strictyaml.Error
		switch {
		case errors.As(err, &broken):
			t.faults = append(t.faults, Fault{Path: f.Path, Task: f.Task, Error: broken.Error(), Hint: broken.Hint})
			continue
		case err != nil:
			return fmt.Errorf("reading the landing %s: %w", f.Path, err)
		}
		t.files = append(t.files, l)
	}
	return nil
}

// counted is what of it counts where something is unknown: its attempts, else the one
// spend that belongs to none. What a person landed by hand, with no attempt, cost nothing
// that torve could know.
func (e tried) counted() int {
	if e.attempts == 0 && e.landed == 0 {
		return 1
	}
	return e.attempts
}
