package attempt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/gate"
	"torve/internal/git"
	"torve/internal/process"
	"torve/internal/record"
)

// Crashed takes over the attempt that a dead holder left: what it left running is
// ended, the files of its worktree are kept on its ref, and the attempt is recorded
// as crashed, under the claim that the task has now. A task whose last attempt has
// ended, or that has none, has nothing to take over: the result has no end.
func (s *Station) Crashed(ctx context.Context, t board.Task) (Result, error) {
	st, there, err := s.read(t.ID)
	if err != nil {
		s.note("warn", t.ID, 0, err.Error())
	}
	if there {
		s.endLeft(st)
		s.unstarted(ctx, st)
	}
	a := unfinished(t)
	if a == nil {
		return Result{}, nil
	}
	j := Job{Task: t, N: a.N}
	by, err := j.about()
	if err != nil {
		return Result{N: a.N}, err
	}
	k, why, err := s.rescue(ctx, t, *a)
	if err != nil {
		return Result{N: a.N}, err
	}
	f, err := s.crashed(ctx, t, *a, k, why)
	if err != nil {
		return Result{N: a.N}, err
	}
	if err := s.append(ctx, by, station(), f); err != nil {
		return Result{N: a.N}, err
	}
	s.moved(t.ID, a.N, "claimed", "attempt "+fmt.Sprint(a.N)+" crashed; its tree is kept")
	return Result{
		N: a.N, End: endCrashed, Why: f.Why, Base: f.Base, Kept: k.commit, Ref: k.ref, Worktree: a.Started.Worktree,
	}, nil
}

// unfinished is the attempt that was started and never ended; nil when there is none.
func unfinished(t board.Task) *board.Attempt {
	for i := len(t.Attempts) - 1; i >= 0; i-- {
		if t.Attempts[i].Finished == nil {
			return &t.Attempts[i]
		}
	}
	return nil
}

// endLeft ends what a dead run left running on this host since it last booted. A
// pid that is another's by now is told by its start time.
func (s *Station) endLeft(st carrier.State) {
	if st.Host != s.Host || st.Boot != process.Self().Boot {
		return
	}
	n := 0
	if st.PGID != 0 {
		n = process.EndGroup(st.PGID, st.StartedAt, s.Settings.Grace)
	}
	if st.Run != "" {
		n += process.EndMarked(st.Run, s.Settings.Grace)
	}
	if n > 0 {
		s.note("warn", st.Task, st.Attempt, fmt.Sprintf("ended %d processes that attempt %d left running", n, st.Attempt))
	}
}

// unstarted takes back an attempt that no agent was ever started for, as a crash while
// the base was asked leaves it: its room goes, and its number is free again. What an
// agent is given was not written there yet.
func (s *Station) unstarted(ctx context.Context, st carrier.State) {
	r, err := known(st.Worktree)
	if err != nil {
		return
	}
	if free, err := absent(filepath.Join(r.side, givenName)); err != nil || !free {
		return
	}
	if err := s.clear(ctx, r); err != nil {
		s.note("warn", st.Task, st.Attempt, "the worktree "+r.dir+" stays: "+err.Error())
		return
	}
	if err := s.unopen(st); err != nil {
		s.note("warn", st.Task, st.Attempt, err.Error())
	}
}

// unopen puts the state file back to what it said before the run of it was opened.
func (s *Station) unopen(st carrier.State) error {
	begun := len(st.History) - 1
	for begun >= 0 && !strings.HasPrefix(st.History[begun].Fact, cutFact(st.Attempt)) {
		begun--
	}
	switch {
	case begun < 0: // another torve's: it stays as it is
		return nil
	case begun == 0:
		return carrier.RemoveState(s.Settings.States, st.Task)
	}
	last := st.History[begun-1]
	return carrier.WriteState(s.Settings.States, carrier.State{
		Task: st.Task, Run: st.Run, State: last.To, Attempt: st.Attempt - 1, Boot: st.Boot, Host: st.Host,
		Agent: st.Agent, Started: last.At, Updated: last.At, History: st.History[:begun],
	})
}

// rescue finds the tree of a dead attempt: on its ref, else in its worktree. Why is
// empty, or says that nothing could be kept.
func (s *Station) rescue(ctx context.Context, t board.Task, a board.Attempt) (k kept, why string, err error) {
	name := ref(t.ID, a.N)
	commit, err := s.Repo.Resolve(ctx, name)
	switch {
	case err == nil:
		tree, err := s.Repo.TreeID(ctx, commit)
		return kept{commit: commit, tree: tree, ref: name}, "", err
	case !errors.Is(err, git.ErrNotFound):
		return kept{}, "", fmt.Errorf("looking for the kept tree of %s, attempt %d: %w", t.ID, a.N, err)
	}
	r, err := known(a.Started.Worktree)
	if err != nil {
		return kept{}, "its worktree is not on this host", nil
	}
	run := &run{Station: s, room: r}
	for _, fault := range run.relink() {
		s.note("warn", t.ID, a.N, fault)
	}
	tree, err := s.files(ctx, r)
	if err != nil {
		return kept{}, "", err
	}
	person, err := s.Repo.Identity(ctx)
	if err != nil {
		return kept{}, "", fmt.Errorf("asking git who commits here: %w", err)
	}
	k, err = s.keep(ctx, r, tree, person, epitaph{
		task: t.ID, title: t.Contract.Title, n: a.N, agent: a.Started.Agent.Adapter, contract: a.Started.Contract,
		end: endCrashed, why: crashedWhy, usage: record.Usage{Source: "unknown"},
	})
	return k, "", err
}

const crashedWhy = "torve or the machine died while it ran"

// crashed is the attempt's end as the record has it. What it cost is unknown.
func (s *Station) crashed(ctx context.Context, t board.Task, a board.Attempt, k kept, why string) (record.Finished, error) {
	f := record.Finished{
		End: endCrashed, Exit: -1, Base: a.Started.Base, Head: k.commit, Tree: k.tree, Ref: k.ref,
		Usage: record.Usage{Source: "unknown"}, Agent: a.Started.Agent, Why: joinedWhy(crashedWhy, why),
		Regime: s.regime(a.Started.Contract, a.Started.Agent),
	}
	if k.tree == "" {
		return f, nil
	}
	changes, _, err := s.outline(ctx, a.Started.Base, k.tree)
	f.Changes, f.Lines = len(changes), gate.Lines(changes)
	return f, err
}

func joinedWhy(a, b string) string {
	if b == "" {
		return a
	}
	return a + "; " + b
}
