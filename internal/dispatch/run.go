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
	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/truth"
)

// ErrUnknown is returned when a named task is known to no carrier.
var ErrUnknown = errors.New("no such task")

// run is one dispatch: one goroutine claims, one drives each claim.
type run struct {
	*Station
	report  Report
	stuck   map[string]bool   // claims of dead runs that could not be taken over
	skipped map[string]string // task → the head on which it is not taken up again
	landed  map[string]bool   // heads that landings of this run made
	said    map[string]bool   // what is said once
	redHead string            // the head whose base is red
	results chan result
	running int
	err     error
	saying  sync.Mutex

	claims claims
	tally  tally
	places places
	ears   ears
	leases leases

	abroad map[string]string       // task → what of it is in another clone alone, as of the last survey
	last   *truth.Reading          // of the last look for something to start
	others []*board.Task           // that others hold, as of it
	theirs map[string]record.Lease // of others' claims, where one cannot be asked for here; nil before the end
	wake   time.Time               // the next time that a task waits for; zero: none
	begun  bool                    // the worst case was said
	passed string                  // the head that a watch is up to date with
	ill    time.Time               // since when a watch cannot read the carriers; zero: it can
}

// Run drives what is ready until nothing more can start, or a limit of the run is
// reached: it mints, repairs the record from git, takes over what died, lands what is
// accepted, and then claims in the order of the board's view. A watch stays, and does so
// again when something has changed. Its error is of the record or the repository, or
// ErrUnknown; the report then holds what was done before.
func (s *Station) Run(ctx context.Context) (Report, error) {
	began := s.Now()
	r := &run{
		Station: s, stuck: map[string]bool{}, skipped: map[string]string{}, landed: map[string]bool{}, said: map[string]bool{},
		claims:  claims{mine: map[string]bool{}, fell: map[string]bool{}},
		results: make(chan result), ears: ears{stirred: make(chan struct{}, 1)}, places: places{most: s.Options.Slots},
	}
	defer r.lease(ctx)()
	err := r.open(ctx)
	switch {
	case ctx.Err() != nil: // a second Ctrl-C before anything was claimed, whether a step fell over it or not
		r.report.Interrupted, err = true, nil
	case err != nil:
	case s.Options.DryRun:
		err = r.plan(ctx)
	default:
		deafen := r.listen(ctx, r.last.Board.Seq+1)
		r.loop(ctx)
		deafen()
		err = errors.Join(r.err, r.close(ctx))
	}
	r.report.Took = s.Now().Sub(began)
	return r.report, err
}

// open brings the record up to date before anything is claimed. A dry run writes
// nothing, and so reads the record as it is.
func (r *run) open(ctx context.Context) error {
	if r.Mint != nil && !r.Options.DryRun {
		if _, err := r.mint(ctx); err != nil {
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
	if err := r.named(rd); err != nil {
		return err
	}
	if err := r.survey(ctx, rd, rd.Open(r.Now(), r.Options.Shared)); err != nil {
		return err
	}
	r.last, r.passed = rd, rd.Head
	r.begin(rd)
	return r.warnDirty(ctx, rd)
}

// begin says the worst case, where there is something to start.
func (r *run) begin(rd *truth.Reading) {
	r.report.Worst = r.worst(rd)
	if r.report.Worst.Tasks == 0 {
		return
	}
	r.begun = true
	if r.Begin != nil {
		r.Begin(r.report.Worst)
	}
}

// mint is the mint pass; it reports whether a contract came into force. What a pass of a
// watch finds again (a contract that is broken, a draft) is said once.
func (r *run) mint(ctx context.Context) (minted bool, err error) {
	notes, err := r.Mint(ctx)
	if err != nil {
		return false, fmt.Errorf("minting first: %w", err)
	}
	for _, n := range notes {
		if n.Outcome == "unchanged" {
			continue
		}
		minted = minted || n.Outcome == "minted" || n.Outcome == "reminted"
		r.once("mint "+n.Text, Note{Kind: "minted", Task: n.ID, Text: n.Text})
	}
	return minted, nil
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
	r.report.Broken = nil
	for _, f := range rd.Faults {
		if !f.Uncommitted && strings.HasPrefix(f.Path, ".torve/") {
			r.report.Broken = append(r.report.Broken, f.Err.Error())
		}
	}
	r.unassigned(rd)
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

// gather reads the carriers; a run without a record is a wiring fault. What another
// git has locked for a moment is read again.
func (r *run) gather(ctx context.Context) (*truth.Reading, error) {
	rd, err := r.Gather(ctx)
	for n := 1; n < tries && errors.Is(err, git.ErrLocked); n++ {
		if !pause(ctx, r.backoff(n)) {
			break
		}
		rd, err = r.Gather(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("reading where the tasks stand: %w", err)
	}
	if rd.Board == nil && r.Options.DryRun {
		rd.Board = &board.Board{} // none is there yet, and a dry run makes none
	}
	if rd.Board == nil {
		return nil, errors.New("dispatch needs a record, and none was read")
	}
	return rd, nil
}

// loop keeps the workers busy until nothing runs, nothing can start, and nothing is
// waited for.
func (r *run) loop(ctx context.Context) {
	for {
		r.pass(ctx)
		for r.idle(ctx) && r.start(ctx) {
		}
		if r.running == 0 && !r.goesOn(ctx) {
			return
		}
		r.await(ctx)
	}
}

// start claims the next task and drives it; false when none can start now.
func (r *run) start(ctx context.Context) bool {
	if r.closed() {
		return false
	}
	h, err := r.take(ctx)
	if err != nil {
		r.trouble(ctx, err)
	} else {
		r.ill = time.Time{}
	}
	if h == nil {
		return false
	}
	r.running++
	d := &drive{r: r, h: h, before: -1, stop: r.ears.of(h.id)}
	go func() { r.results <- d.drive(ctx) }()
	return true
}

func (r *run) wanted(task string) bool {
	return len(r.Options.Tasks) == 0 || slices.Contains(r.Options.Tasks, task)
}

// took takes in what a claim came to.
func (r *run) took(ctx context.Context, res result) {
	r.running--
	if res.err != nil && r.err == nil {
		r.trouble(ctx, res.err)
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
	if res.onto != "" {
		r.landed[res.onto] = true
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

// note tells people, a line at a time.
func (r *run) note(n Note) {
	if r.Note == nil {
		return
	}
	r.saying.Lock()
	defer r.saying.Unlock()
	r.Note(n)
}
