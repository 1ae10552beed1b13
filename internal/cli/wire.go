package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"torve/internal/agent"
	"torve/internal/answer"
	"torve/internal/attempt"
	"torve/internal/board"
	"torve/internal/dispatch"
	"torve/internal/gate"
	"torve/internal/landing"
	"torve/internal/mint"
	"torve/internal/process"
	"torve/internal/record"
	"torve/internal/truth"
	"torve/internal/workload"
)

// The stations never import one another; here, and only here, one is handed to the
// next as a function value.

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:8]
}

// agents are the configuration's agents as the adapters take them.
func (s *session) agents() map[string]agent.Setting {
	m := map[string]agent.Setting{}
	for name, c := range s.cfg.Agents {
		patches := c.Patches
		if patches != "" && !filepath.IsAbs(patches) {
			patches = filepath.Join(s.root(), patches)
		}
		m[name] = agent.Setting{
			Adapter: c.Adapter, Run: c.Run, Model: c.Model, Args: c.Args, Env: c.Env,
			Slots: c.Slots, Prompt: c.Prompt, Patches: patches,
		}
	}
	return m
}

// lone is the one agent that the settings define, for advice that can be pasted; NAME where
// they define none or several.
func (s *session) lone() string {
	names := slices.Collect(maps.Keys(s.cfg.Agents))
	if len(names) != 1 {
		return "NAME"
	}
	return names[0]
}

// law is the repository's own law, as the fourth check asks it.
func (s *session) law() gate.Law {
	return gate.Repository{
		Protect: s.cfg.Law.Protect, Secrets: s.cfg.Law.Secrets == "on",
		SecretsAllow: s.cfg.Law.SecretsAllow,
		Reaches:      s.a.holds,
	}
}

func (s *session) attemptSettings() attempt.Settings {
	root := s.cfg.Worktree.Root
	switch {
	case root == "":
		root = s.stateHome("XDG_STATE_HOME", ".local/state")
	case !filepath.IsAbs(root):
		root = filepath.Join(first(s.repo.Main, s.repo.Common), root)
	}
	w, l := s.cfg.Worktree, s.cfg.Limits
	return attempt.Settings{
		Root: root, States: s.states(), Telemetry: s.telemetry(), Caches: s.stateHome("XDG_CACHE_HOME", ".cache"),
		Target: s.cfg.Target, Setup: w.Setup, Teardown: w.Teardown, Copy: w.Copy, Keep: w.Keep,
		Acceptance: s.cfg.Acceptance,
		SetupLimit: time.Duration(l.Setup), AcceptanceLimit: time.Duration(l.Acceptance),
		Idle: time.Duration(l.Idle), Grace: time.Duration(l.Grace),
		Terms:  gate.Terms{Law: s.law(), Stale: s.cfg.Law.Stale},
		Agents: s.agents(), Default: s.cfg.Agent.Default, Walls: "none",
	}
}

func (s *session) attempts(note func(attempt.Note)) *attempt.Station {
	return &attempt.Station{
		Repo: s.repo, Log: s.log, Partition: s.named.partition, Host: s.host(),
		Now: s.a.now, Note: note, Head: s.head, Settings: s.attemptSettings(), Board: s.board,
	}
}

func (s *session) minter(ctx context.Context) (*mint.Station, error) {
	head, err := s.head(ctx)
	if err != nil {
		return nil, err
	}
	settings, src := s.agents(), s.sources(head)
	src.Marked = !s.a.verbose // of what has landed no title is told
	return &mint.Station{
		Log: s.log, Partition: s.named.partition, Host: s.host(), By: s.by(ctx), Now: s.a.now,
		Sources: src, Repository: s.cfg.Acceptance,
		Known: func(name string) error { _, err := agent.Find(name, settings, process.Look); return err },
	}, nil
}

// by names the person in the record; a repository with no identity can still mint.
func (s *session) by(ctx context.Context) string {
	p, err := s.identity(ctx)
	if err != nil {
		return "unknown"
	}
	return first(p.Name, p.Email)
}

func (s *session) lander(ctx context.Context) (*landing.Station, error) {
	p, err := s.identity(ctx)
	if err != nil {
		return nil, err
	}
	sign, err := s.signs(ctx)
	if err != nil {
		return nil, err
	}
	return &landing.Station{
		Repo: s.repo, Log: s.log, Partition: s.named.partition, Host: s.host(), Now: s.a.now,
		Target: s.cfg.Target, Push: s.cfg.Landing.Push, Sign: sign, Person: p, Board: s.board,
	}, nil
}

// signs asks landing.sign; inherit is git's own commit.gpgSign.
func (s *session) signs(ctx context.Context) (bool, error) {
	if s.cfg.Landing.Sign != "inherit" {
		return s.cfg.Landing.Sign == "on", nil
	}
	out, err := s.repo.Run(ctx, "config", "--type=bool", "--default=false", "--get", "commit.gpgSign")
	return out == "true\n" || out == "true", broken("reading commit.gpgSign", "", err)
}

func (s *session) answerer(ctx context.Context) *answer.Station {
	return &answer.Station{
		Repo: s.repo, Log: s.log, Partition: s.named.partition, Host: s.host(), By: s.by(ctx), Now: s.a.now,
		Target: s.cfg.Target, Push: s.cfg.Landing.Push, States: s.states(),
		Lives:  s.stationHere().Lives,
		Gather: func(ctx context.Context) (*truth.Reading, error) { return s.gather(ctx, true) },
		Facts: func(ctx context.Context, task string) (record.Minted, string, error) {
			m, err := s.minter(ctx)
			if err != nil {
				return record.Minted{}, "", err
			}
			facts, r, err := m.Facts(ctx, task)
			if r.Outcome == "" {
				r.Why = ""
			}
			return facts, r.Why, err
		},
		Remint: func(ctx context.Context, task string) error {
			m, err := s.minter(ctx)
			if err == nil {
				_, err = m.Pass(ctx, task)
			}
			return err
		},
	}
}

// self is this process as its claims name it.
func self() record.Claimed {
	id := process.Self()
	return record.Claimed{Boot: id.Boot, PID: id.PID, Start: id.Start}
}

// lives asks the platform whether a claim's holder runs on this host.
func lives(c record.Claimed) bool {
	return process.Identity{PID: c.PID, Start: c.Start, Boot: c.Boot}.Alive()
}

// stationHere is the station that is asked where a claim was made, and whether its holder lives.
func (s *session) stationHere() *dispatch.Station {
	return &dispatch.Station{Repo: s.repo, Log: s.log, Host: s.host(), Alive: lives}
}

// died reports whether the process of a claim is gone; of another host's nobody can say.
func (s *session) died(c *board.Claim) bool {
	return c.Host == s.host() && s.stationHere().MadeHere(c) && !lives(c.Claimed)
}

// leases reads those of the record, by claim; nil where its store offers none.
func (s *session) leases() func(context.Context) (map[string]record.Lease, error) {
	store, shared := s.log.(record.Leases)
	if !shared {
		return nil
	}
	return func(ctx context.Context) (map[string]record.Lease, error) {
		all, err := store.Leases(ctx, s.named.partition)
		out := make(map[string]record.Lease, len(all))
		for _, l := range all {
			out[l.Claim] = l
		}
		return out, broken("reading the leases", s.mends(false, err), err)
	}
}

// apart says what of a task is in another clone alone; nil where no other shares the record.
func (s *session) apart() func(context.Context, *truth.Reading, *board.Task) (string, bool, error) {
	if !record.Shared(s.log) {
		return nil
	}
	var of *truth.Reading
	var here truth.Here
	return func(ctx context.Context, r *truth.Reading, t *board.Task) (why string, pull bool, err error) {
		if of != r {
			if here, err = r.Here(ctx, s.repo, s.log); err != nil {
				return "", false, broken("asking what other clones have", "", err)
			}
			of = r
		}
		why, pull, err = dispatch.Apart(ctx, here, r, t)
		return why, pull, broken("asking what another clone has of "+t.ID, "", err)
	}
}

// runs reports whether the process of a claim lives on this host.
func (s *session) runs(c *board.Claim) bool { return c.Host == s.host() && lives(c.Claimed) }

// noSecrets takes the values of secrets in this environment out of a text to be recorded.
func noSecrets(text string) string { return string(process.Masked([]byte(text), os.Environ())) }

// hands joins attempts and landings to dispatch.
type hands struct {
	s        *session
	attempts *attempt.Station
	lander   *landing.Station
	passed   *passed
}

// passed remembers what mint did, and what the gate ran on each tree that became the
// target's.
type passed struct {
	minted []mint.Result
	mu     sync.Mutex
	runs   map[string][]gate.Ran // by the target's head
}

func (p *passed) add(head string, runs []gate.Ran) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.runs == nil {
		p.runs = map[string][]gate.Ran{}
	}
	p.runs[head] = runs
}

func (h hands) all() dispatch.Hands {
	return dispatch.Hands{
		Attempt: h.attempt, Again: h.again, Land: h.land, Repair: h.lander.Repair,
		Crashed: func(ctx context.Context, t board.Task) error { _, err := h.attempts.Crashed(ctx, t); return err },
		Done:    h.attempts.Done, Tidy: h.attempts.Tidy, Green: h.green,
	}
}

// green runs the repository's own acceptance on the head that a run came to.
func (h hands) green(ctx context.Context, head string) (red string, err error) {
	runs, base, err := h.attempts.Green(ctx, head)
	if err != nil {
		return "", err
	}
	if base != nil {
		return base.Line + " " + base.Why, nil
	}
	h.passed.add(head, runs)
	return "", nil
}

func (h hands) job(j dispatch.Job) attempt.Job {
	return attempt.Job{
		Task: j.Task, Head: j.Head, N: j.N, Mode: j.Mode, From: j.From, Evidence: j.Evidence, Agent: j.Agent,
		Stop: j.Stop, // of torve stop; the first Ctrl-C lets it finish, the second ends the context
		Landed: func(ctx context.Context, head string, ids []string) ([]string, error) {
			return h.s.memory.Unlanded(ctx, h.s.repo, head, ids)
		},
	}
}

func (h hands) attempt(ctx context.Context, j dispatch.Job) (dispatch.Ended, error) {
	r, err := h.attempts.Run(ctx, h.job(j))
	return endedOf(r), err
}

func (h hands) again(ctx context.Context, j dispatch.Job) (dispatch.Ended, error) {
	of, err := attemptOf(j.Task, j.N)
	if err != nil {
		return dispatch.Ended{}, err
	}
	r, err := h.attempts.Again(ctx, h.job(j), of)
	return endedOf(r), err
}

func (h hands) land(ctx context.Context, j dispatch.Job) (dispatch.Landed, error) {
	of, err := attemptOf(j.Task, j.N)
	if err != nil {
		return dispatch.Landed{}, err
	}
	due := func(ctx context.Context, head string) (workload.Judged, error) {
		return h.attempts.Due(ctx, h.job(j), of, head)
	}
	o, err := h.lander.Land(ctx, landing.Job{Task: j.Task, Claim: j.Task.Claim.ID, Attempt: of, Due: due})
	var broken *attempt.Broken
	if errors.As(err, &broken) { // no verdict, and waiting mends nothing
		return dispatch.Landed{Blocked: "acceptance: " + broken.Error(), Escalate: "isolation_broken"}, nil
	}
	if err != nil {
		return dispatch.Landed{}, err
	}
	if o.Landed != nil {
		h.passed.add(o.Landed.Head, o.Landed.Judged.Acceptance)
	}
	return landedOf(o), nil
}

func attemptOf(t board.Task, n int) (board.Attempt, error) {
	for _, a := range t.Attempts {
		if a.N == n {
			return a, nil
		}
	}
	return board.Attempt{}, usage("asking kept work", "torve why "+t.ID, "%s has no attempt %d", t.ID, n)
}

// endedOf says an attempt's result in dispatch's words.
func endedOf(r attempt.Result) dispatch.Ended {
	e := dispatch.Ended{
		N: r.N, End: r.End, Why: r.Why, Counts: r.Counts, Kept: r.Kept, Evidence: r.Evidence,
		Escalate: r.Reason, USD: r.Usage.USD, Until: r.Until, Missing: r.Missing,
	}
	if j := r.Judged; j != nil {
		e.Accepted, e.Check, e.Reason = j.Verdict.OK, j.Verdict.Failed, j.Verdict.Reason
		e.Paths = append(j.Outside, j.Conflicts...)
		if len(j.Outside) > 0 {
			e.Escalate = "scope"
		}
	}
	if r.Red != nil {
		e.BaseRed, e.BaseOwn, e.Mend = r.Red.Line+" "+r.Red.Why, r.Red.Own, r.Red.Mend
	}
	return e
}

func landedOf(o landing.Outcome) dispatch.Landed {
	switch {
	case o.Landed != nil:
		return dispatch.Landed{Commit: o.Landed.Work, Head: o.Landed.Head}
	case o.Refused != nil:
		v := o.Refused.Verdict
		return dispatch.Landed{Check: v.Failed, Reason: v.Reason, Paths: o.Refused.Conflicts, Evidence: o.Refused.Evidence}
	case o.Blocked != nil:
		return dispatch.Landed{Blocked: o.Blocked.Why, Next: o.Blocked.Next, Escalate: o.Blocked.Escalate}
	case o.Already != nil:
		return dispatch.Landed{Already: o.Already.Path, Commit: o.Already.Commit}
	}
	return dispatch.Landed{}
}
