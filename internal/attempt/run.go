package attempt

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"torve/internal/agent"
	"torve/internal/carrier"
	"torve/internal/failpoint"
	"torve/internal/git"
	"torve/internal/process"
	"torve/internal/record"
)

// run is one attempt while it is being made.
type run struct {
	*Station
	job    Job
	about  about
	agent  agent.Adapter
	who    record.Agent
	person git.Person
	cut    cut
	room   *room
	slot   int
	begun  record.Started
	asCut  func() ([]string, error) // the main work tree, read while the room was cut
	before *watch                   // taken where kept work ran its setup before the agent starts
	state  carrier.State
	was    *carrier.State // the state file before this run; nil when there was none
}

func (r *run) warn(text string) { r.note("warn", r.job.Task.ID, r.job.N, text) }

// errStopped is the cause of a context that ended because a person stopped the attempt.
var errStopped = errors.New("stopped by a person")

// Run makes one attempt, records it, and gives its result. An error is
// infrastructure: nothing was judged.
func (s *Station) Run(ctx context.Context, j Job) (Result, error) {
	ctx, cancel := stoppable(ctx, j.Stop)
	defer cancel(nil)
	r, missing, err := s.prepare(ctx, j)
	if err != nil {
		return Result{N: j.N}, err
	}
	if missing != "" {
		return Result{N: j.N, End: endUnavailable, Why: missing, Missing: true}, nil
	}
	slot, free := s.slots.take()
	defer free()
	r.slot = slot
	red, err := r.cutAndAsk(ctx)
	if err != nil || red != nil {
		return r.nothingPaid(ctx, red, err)
	}
	return r.attempt(ctx)
}

// stoppable is a context that also ends when stop is closed.
func stoppable(ctx context.Context, stop <-chan struct{}) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if stop != nil {
		go func() {
			select {
			case <-stop:
				cancel(errStopped)
			case <-ctx.Done():
			}
		}()
	}
	return ctx, cancel
}

// interruption is how an attempt ends whose context ended, and why, for people and the
// record: a person stopped this very attempt, or the run was interrupted.
func interruption(ctx context.Context) (end, why string) {
	err := cause(ctx)
	switch {
	case errors.Is(err, errStopped):
		return endStopped, err.Error()
	case errors.Is(err, context.Canceled):
		return endInterrupted, "the run was interrupted"
	}
	return endInterrupted, err.Error()
}

// prepare asks what must hold before anything is made: the claim, who commits, and
// that the agent can be started here.
func (s *Station) prepare(ctx context.Context, j Job) (r *run, missing string, err error) {
	r = &run{Station: s, job: j}
	if r.about, err = j.about(); err != nil {
		return nil, "", err
	}
	if r.person, err = s.Repo.Identity(ctx); err != nil {
		return nil, "", fmt.Errorf("asking git who commits here: %w", err)
	}
	name := j.Agent
	if name == "" {
		name = s.Settings.Default
	}
	if r.agent, err = agent.Find(name, s.Settings.Agents, process.Look); err != nil {
		return nil, err.Error(), nil
	}
	if missing := agent.MissingFor(r.agent, j.Task.ID, j.N); missing != "" {
		return nil, missing, nil
	}
	r.who = record.Agent{Adapter: r.agent.Name(), Model: r.agent.Model(), Version: r.agent.Version(ctx)}
	return r, "", nil
}

// cutAndAsk cuts the room, furnishes it and asks the base; then the files are made
// what the attempt starts from.
func (r *run) cutAndAsk(ctx context.Context) (*BaseRed, error) {
	var err error
	if r.cut, err = r.cutFrom(ctx, r.job); err != nil {
		return nil, err
	}
	r.asCut = r.mainSoon(ctx)
	r.room, err = r.cutRoom(ctx, r.about, r.cut.base)
	_, unread := r.asCut() // before anything is written where it looks
	if err := errors.Join(err, unread); err != nil {
		return nil, err
	}
	r.room.slot = r.slot
	if err := together(r.room.save, r.open); err != nil {
		return nil, err
	}
	failpoint.Hit(failpoint.AttemptOpened)
	if red, err := r.furnish(ctx, r.room, r.job.Task.ID, r.job.N); red != nil || err != nil {
		return red, err
	}
	failpoint.Hit(failpoint.AttemptFurnished)
	if red, err := r.askBase(ctx); red != nil || err != nil {
		return red, err
	}
	failpoint.Hit(failpoint.AttemptAsked)
	if r.job.goesOn() { // its setup is the agent's code already
		before, err := r.watch(ctx)
		if err != nil {
			return nil, err
		}
		r.before = &before
	}
	return nil, r.start(ctx)
}

// start makes the files what the attempt starts from: the base again, whatever
// acceptance left, or the kept work. What that run made and git ignores is noted.
func (r *run) start(ctx context.Context) error {
	if r.pristine() {
		return nil
	}
	failed, err := r.settle(ctx, r.room, r.cut.tree, r.job.Task.ID, r.job.N)
	if err != nil {
		return err
	}
	if failed.line != "" { // the kept work broke its own setup: that is the place's word to the repair
		ran := ranOf(failed.line, r.cut.tree, failed.res, -1, r.Settings.SetupLimit)
		r.cut.evidence = joined(r.cut.evidence, shown(failed.line, ran, failed.res))
	}
	loose, err := r.loose(ctx, r.room)
	if err != nil {
		return err
	}
	r.room.Made = loose
	return r.room.save()
}

// nothingPaid is the result when no agent was started: a red base, or a fault. The
// room holds nothing of anybody's, so it goes.
func (r *run) nothingPaid(ctx context.Context, red *BaseRed, err error) (Result, error) {
	res := Result{N: r.job.N, Base: r.cut.base}
	over := context.WithoutCancel(ctx)
	if r.room != nil {
		r.unused(over)
	}
	r.close()
	switch {
	case err != nil && ctx.Err() != nil:
		res.End, res.Why = interruption(ctx)
		return res, nil
	case err != nil:
		return res, err
	}
	res.Red, res.End = red, EndBaseRed
	if red.Own {
		res.End = EndBaseBroken
	}
	res.Why = "base " + short(red.Head) + " is red: " + red.Line + " " + red.Why
	return res, nil
}

// unused takes away a room that no agent was started in.
func (r *run) unused(ctx context.Context) {
	why := ""
	if r.room.used {
		why = r.tearDown(ctx, r.room, r.job.Task.ID, r.job.N)
	}
	if why == "" {
		if err := r.clear(ctx, r.room); err != nil {
			why = err.Error()
		}
	}
	if why != "" {
		r.warn("the worktree of an attempt that did not start is left at " + r.room.dir + ": " + why)
	}
}

// attempt starts the agent, and takes what it left.
func (r *run) attempt(ctx context.Context) (Result, error) {
	landings, err := r.landings(ctx)
	if err != nil {
		return r.nothingPaid(ctx, nil, err)
	}
	text := prompt(brief{
		Contract: r.job.Task.Contract, Rows: r.job.Task.Rows, Acceptance: r.Settings.Acceptance,
		Landings: landings, GoesOn: r.job.goesOn(), Evidence: r.cut.evidence,
	})
	before, err := r.ready(ctx, text)
	if err != nil {
		return r.nothingPaid(ctx, nil, err)
	}
	failpoint.Hit(failpoint.AttemptGiven)
	r.begun = r.started(text)
	if err := r.append(ctx, r.about, station(), r.begun); err != nil {
		return r.nothingPaid(ctx, nil, err)
	}
	failpoint.Hit(failpoint.AttemptStarted)
	r.turned("running", fmt.Sprintf("attempt %d of %s starts", r.job.N, r.agent.Name())) // written with its process, a moment later
	r.note("started", r.job.Task.ID, r.job.N, r.agent.Name())
	var out agent.Outcome
	r.measured(context.WithoutCancel(ctx), r.room.Base, func() { out = r.drive(ctx, text) })
	return r.ended(ctx, before, out)
}

// ready writes what the agent is given, verifies the room one last time, and takes
// what the agent must leave alone.
func (r *run) ready(ctx context.Context, text []byte) (watch, error) {
	if err := os.WriteFile(r.room.prompt(), text, 0o600); err != nil {
		return watch{}, fmt.Errorf("writing the prompt: %w", err)
	}
	temps, err := names(r.room.temp())
	if err != nil {
		return watch{}, err
	}
	r.room.Temps, r.room.Agent = temps, true
	if r.pristine() {
		return r.readyAsCut(ctx)
	}
	if err := together(r.give, r.room.save); err != nil {
		return watch{}, err
	}
	if err := r.verify(ctx); err != nil {
		return watch{}, err
	}
	if r.before != nil {
		return *r.before, nil
	}
	return r.watch(ctx)
}

// readyAsCut is the end of ready where nothing ran since the room was cut: what the agent must
// leave alone is taken while the files are written, and the main work tree was read before.
func (r *run) readyAsCut(ctx context.Context) (before watch, err error) {
	look := func() (err error) {
		if r.before != nil {
			before = *r.before
			return nil
		}
		before, err = r.watchWith(ctx, r.asCut)
		return err
	}
	err = together(r.give, r.room.save, look)
	return before, err
}

// verify asks that the room is what the agent is to find: bound to this repository, HEAD
// at the base, and the files the tree that it starts from.
func (r *run) verify(ctx context.Context) error {
	faults, err := r.Repo.Reattach(ctx, r.room.dir, r.room.Link, r.room.Base, r.room.aside())
	if err == nil && len(faults) > 0 {
		err = errors.New(strings.Join(faults, "; "))
	}
	if err != nil {
		return fmt.Errorf("verifying the worktree %s: %w", r.room.dir, err)
	}
	tree, err := r.files(ctx, r.room)
	if err != nil {
		return fmt.Errorf("verifying the worktree: %w", err)
	}
	if tree != r.cut.tree {
		return fmt.Errorf("verifying the worktree %s: its files are %s, and the attempt starts from %s", r.room.dir, short(tree), short(r.cut.tree))
	}
	head, branch, err := r.standing(ctx, r.room)
	if err != nil {
		return err
	}
	if head != r.room.Base || branch != "" {
		return fmt.Errorf("verifying the worktree %s: HEAD is %s %s, and the base is %s", r.room.dir, short(head), branch, short(r.room.Base))
	}
	return nil
}

// pristine reports whether the room is as it was cut and verified, and the attempt
// starts from just that.
func (r *run) pristine() bool {
	return !r.room.used && len(r.Settings.Copy) == 0 && r.cut.tree == r.room.SetupTree
}

func (r *run) started(text []byte) record.Started {
	sum := sha256.Sum256(text)
	from := ""
	if r.job.goesOn() {
		from = r.job.From
	}
	return record.Started{
		Mode: r.job.Mode, Agent: r.who, Base: r.room.Base, From: from, Worktree: r.room.dir, Clone: r.Repo.Common,
		Walls: r.Settings.Walls, Contract: r.job.Task.Digest, Prompt: hex.EncodeToString(sum[:]),
	}
}

// drive runs the agent with its limits.
func (r *run) drive(ctx context.Context, text []byte) agent.Outcome {
	return r.agent.Run(ctx, agent.Ask{
		Task: r.job.Task.ID, Attempt: r.job.N, Dir: r.room.dir, Prompt: text, PromptFile: r.room.prompt(),
		Report: r.room.report(), Temp: r.room.temp(), Cache: r.Settings.Caches, Slot: r.slot, Mark: r.about.claim,
		Limit: time.Duration(r.job.Task.Contract.Budget.Minutes * float64(time.Minute)),
		Idle:  r.Settings.Idle, Grace: r.Settings.Grace, Begun: r.began,
	})
}

// landings name the landing files of the dependencies in the base's tree.
func (r *run) landings(ctx context.Context) ([]string, error) {
	if len(r.job.Task.Contract.DependsOn) == 0 {
		return nil, nil
	}
	newest := map[string]string{}
	for _, prefix := range carrier.LandingPrefixes() {
		entries, err := r.Repo.Tree(ctx, r.room.Base, prefix)
		if err != nil {
			return nil, fmt.Errorf("listing the landings at %s: %w", short(r.room.Base), err)
		}
		for _, e := range entries {
			if task, _, _, ok := carrier.ParseLandingPath(e.Path); ok {
				newest[task] = e.Path // sorted by path: the last is the newest
			}
		}
	}
	var out []string
	for _, dep := range r.job.Task.Contract.DependsOn {
		if p := newest[dep]; p != "" {
			out = append(out, dep+": "+p)
		}
	}
	return out, nil
}

// regime is what attempts must share for their figures to be added up: the
// contract, the agent, and the settings that an attempt meets.
func (s *Station) regime(digest string, a record.Agent) string {
	set := s.Settings
	data, err := json.Marshal([]any{
		digest, a, set.Setup, set.Copy, set.Keep, set.Acceptance, set.SetupLimit, set.AcceptanceLimit,
		set.Idle, set.Walls, set.Terms.Stale, set.Agents[a.Adapter],
	})
	if err != nil {
		data = []byte(digest) // plain values always encode
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
