package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"torve/internal/board"
	"torve/internal/record"
	"torve/internal/truth"
)

// ErrUnknown is returned when a named task is known to no carrier.
var ErrUnknown = errors.New("no such task")

// run is one dispatch: one goroutine claims, one drives each claim.
type run struct {
	*Station
	report  Report
	mine    map[string]bool   // claims of this run
	stuck   map[string]bool   // claims of dead runs that could not be taken over
	skipped map[string]string // task → the head on which it is not taken up again
	redHead string            // the head whose base is red
	results chan result
	running int
	err     error
	saying  sync.Mutex
}

// Run drives what is ready until nothing more can start: it mints, repairs the
// record from git, takes over what died, lands what is accepted, and then claims in
// the order of the board's view. Its error is of the record or the repository, or
// ErrUnknown; the report then holds what was done before.
func (s *Station) Run(ctx context.Context) (Report, error) {
	began := s.Now()
	r := &run{
		Station: s, mine: map[string]bool{}, stuck: map[string]bool{}, skipped: map[string]string{},
		results: make(chan result),
	}
	err := r.open(ctx)
	switch {
	case err != nil:
	case s.Options.DryRun:
		err = r.plan(ctx)
	default:
		r.loop(ctx)
		err = errors.Join(r.err, r.close(ctx))
	}
	r.report.Took = s.Now().Sub(began)
	return r.report, err
}

// open brings the record up to date before anything is claimed. A dry run writes
// nothing, and so reads the record as it is.
func (r *run) open(ctx context.Context) error {
	if r.Mint != nil && !r.Options.DryRun {
		if err := r.mint(ctx); err != nil {
			return err
		}
	}
	rd, err := r.gather(ctx)
	if err != nil {
		return err
	}
	r.report.From = rd.Head
	if !r.Options.DryRun {
		if rd, err = r.mendRecord(ctx, rd); err != nil {
			return err
		}
		r.tidy(ctx, rd)
	}
	r.broken(rd)
	if err := r.named(rd); err != nil {
		return err
	}
	r.unassigned(rd)
	r.report.Worst = r.worst(rd)
	if r.Begin != nil && r.report.Worst.Tasks > 0 {
		r.Begin(r.report.Worst)
	}
	return r.warnDirty(ctx, rd)
}

func (r *run) mint(ctx context.Context) error {
	notes, err := r.Mint(ctx)
	if err != nil {
		return fmt.Errorf("minting first: %w", err)
	}
	for _, n := range notes {
		if n.Outcome != "unchanged" {
			r.note(Note{Kind: "minted", Task: n.ID, Text: n.Text})
		}
	}
	return nil
}

// mendRecord appends landings that only git holds, and takes over the claims of the dead.
func (r *run) mendRecord(ctx context.Context, rd *truth.Reading) (*truth.Reading, error) {
	var mended []string
	if r.Hands.Repair != nil {
		var err error
		if mended, err = r.Hands.Repair(ctx, rd.Board); err != nil {
			return nil, fmt.Errorf("repairing the record from git: %w", err)
		}
	}
	if len(mended) > 0 {
		r.note(Note{Kind: "warn", Text: "landed in git and not in the record; it is there now: " + strings.Join(mended, ", ")})
	}
	took, err := r.takeOver(ctx, rd.Board)
	if err != nil || (!took && len(mended) == 0) {
		return rd, err
	}
	return r.gather(ctx)
}

// tidy ends what runs that died did not come to. What cannot be put away is said, and
// keeps nothing from starting.
func (r *run) tidy(ctx context.Context, rd *truth.Reading) {
	r.sweepLocks(rd.Board)
	if r.Hands.Tidy == nil {
		return
	}
	if err := r.Hands.Tidy(ctx, rd); err != nil {
		r.note(Note{Kind: "warn", Text: "putting in order what earlier runs left: " + err.Error()})
	}
}

// putAway puts away what the attempts of a landed task used on this host.
func (r *run) putAway(ctx context.Context, t *board.Task) {
	if r.Hands.Done == nil {
		return
	}
	if err := r.Hands.Done(context.WithoutCancel(ctx), t.ID, t.NextAttempt()-1); err != nil {
		r.note(Note{Kind: "warn", Task: t.ID, Text: "putting its worktree away: " + err.Error()})
	}
}

// broken names what does not read on the target; a draft in the work tree is mint's to tell.
func (r *run) broken(rd *truth.Reading) {
	for _, f := range rd.Faults {
		if !f.Uncommitted && strings.HasPrefix(f.Path, ".torve/") {
			r.report.Broken = append(r.report.Broken, f.Err.Error())
		}
	}
}

// named asks that every task named is known to some carrier.
func (r *run) named(rd *truth.Reading) error {
	known := rd.Tasks()
	for _, id := range r.Options.Tasks {
		if !slices.Contains(known, id) {
			return fmt.Errorf("%w: %s", ErrUnknown, id)
		}
	}
	return nil
}

// gather reads the carriers; a dispatch without a record is a wiring fault.
func (r *run) gather(ctx context.Context) (*truth.Reading, error) {
	rd, err := r.Gather(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading where the tasks stand: %w", err)
	}
	if rd.Board == nil {
		return nil, errors.New("dispatch needs a record, and none was read")
	}
	return rd, nil
}

// loop keeps the workers busy until nothing runs and nothing can start.
func (r *run) loop(ctx context.Context) {
	for {
		for r.running < max(1, r.Options.Workers) {
			if !r.start(ctx) {
				break
			}
		}
		if r.running == 0 {
			if r.waitForQuota(ctx) {
				continue
			}
			return
		}
		r.took(ctx, <-r.results)
	}
}

// start claims the next task and drives it; false when none can start now.
func (r *run) start(ctx context.Context) bool {
	if r.err != nil || r.stopping(ctx) {
		return false
	}
	h, err := r.take(ctx)
	if err != nil && ctx.Err() == nil {
		r.err = err
	}
	if h == nil {
		return false
	}
	r.running++
	d := &drive{r: r, h: h, before: -1}
	go func() { r.results <- d.finish(ctx) }()
	return true
}

// take claims the next task that may start; nil when there is none. A lost race
// means that another took one, and the board is folded again.
func (r *run) take(ctx context.Context) (*held, error) {
	for ctx.Err() == nil {
		rd, err := r.gather(ctx)
		if err != nil {
			return nil, err
		}
		took, err := r.takeOver(ctx, rd.Board)
		if err != nil {
			return nil, err
		}
		if took {
			continue
		}
		list := r.startable(rd)
		if len(list) == 0 {
			return nil, nil
		}
		h, err := r.claim(ctx, rd.Board, list[0].Task, r.running+1)
		if err == nil {
			r.mine[h.id] = true
			return h, nil
		}
		if !errors.Is(err, record.ErrMoved) {
			return nil, err
		}
	}
	return nil, nil
}

// startable is what may start now, in order: accepted work first, then the queue.
func (r *run) startable(rd *truth.Reading) []board.Row {
	var ready, queue []board.Row
	for _, row := range rd.Rows(r.Now(), r.Options.Shared) {
		if !r.wanted(row.ID) || r.skipped[row.ID] == rd.Head || row.Claim != nil {
			continue
		}
		switch {
		case row.State == board.Ready && (!r.Options.Manual || r.Options.LandOnly):
			ready = append(ready, row)
		case row.State == board.Queued && !r.Options.LandOnly && rd.Head != r.redHead && r.missing(row.Task) == "":
			queue = append(queue, row)
		}
	}
	slices.SortFunc(ready, func(a, b board.Row) int { return int(a.MintSeq - b.MintSeq) })
	slices.SortFunc(queue, func(a, b board.Row) int { return a.Order - b.Order })
	return append(ready, queue...)
}

func (r *run) wanted(task string) bool {
	return len(r.Options.Tasks) == 0 || slices.Contains(r.Options.Tasks, task)
}

// took takes in what a claim came to.
func (r *run) took(ctx context.Context, res result) {
	r.running--
	if res.err != nil && r.err == nil {
		r.err = res.err
	}
	if res.red != "" {
		r.redHead, r.report.BaseRed, r.report.Mend = res.head, res.red, res.mend
	}
	if res.skip {
		r.skipped[res.out.ID] = res.head
	}
	if res.out.Outcome == IsInterrupted {
		r.report.Interrupted = r.report.Interrupted || ctx.Err() != nil
		r.report.Stopped = true
	}
	r.report.Attempts += res.out.Attempts
	r.add(res.out)
}

// stopping reports whether nothing more may start.
func (r *run) stopping(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	case <-r.Options.Stop: // a nil channel never answers
		return true
	default:
		return false
	}
}

// sleep waits; false when a person stopped the run meanwhile.
func (r *run) sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-r.Options.Stop:
		return false
	case <-timer.C:
		return true
	}
}

// note tells people, a line at a time.
func (r *run) note(n Note) {
	if r.Note == nil {
		return
	}
	r.saying.Lock()
	defer r.saying.Unlock()
	r.Note(n)
}
