package attempt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/failpoint"
	"torve/internal/gate"
	"torve/internal/git"
	"torve/internal/process"
	"torve/internal/record"
)

// Crashed takes over the attempt that a dead holder left: what it left running is
// ended, the files of its worktree are kept on its ref, and the attempt is recorded
// as crashed, under the claim that the task has now. A task whose last attempt has
// ended, or that has none, has nothing to take over: the result has no end. What is
// known of the run is the record's; the files that it left beside the worktree, where
// an agent could reach them, only help.
func (s *Station) Crashed(ctx context.Context, t board.Task) (Result, error) {
	st, there, err := s.read(t.ID)
	if err != nil {
		s.note("warn", t.ID, 0, err.Error())
	}
	by, err := Job{Task: t}.about()
	if err != nil {
		return Result{}, err
	}
	s.endLeft(by, st, there)
	if err := s.unstarted(ctx, t, st); err != nil {
		return Result{}, err
	}
	a := unfinished(t)
	if a == nil {
		s.catchUp(t, st, there)
		return Result{}, nil
	}
	by.n = a.N
	k, why, err := s.rescue(ctx, t, *a, by)
	if err != nil {
		return Result{N: a.N}, fmt.Errorf("keeping what attempt %d left in %s: %w", a.N, a.Started.Worktree, err)
	}
	f, err := s.crashed(ctx, *a, k, why)
	if err != nil {
		return Result{N: a.N}, err
	}
	if err := s.append(ctx, by, station(), f); err != nil {
		return Result{N: a.N}, err
	}
	failpoint.Hit(failpoint.AttemptCrashed)
	s.moved(t.ID, a.N, "claimed", "attempt "+fmt.Sprint(a.N)+" crashed; its tree is kept")
	return Result{
		N: a.N, End: endCrashed, Why: f.Why, Base: f.Base, Kept: k.commit, Ref: k.ref, Worktree: a.Started.Worktree,
	}, s.row(ctx, t.ID, a.N)
}

// catchUp brings the state file of a run that died after its attempt had ended up to what
// the record says of it.
func (s *Station) catchUp(t board.Task, st carrier.State, there bool) {
	a := t.Attempt(st.Attempt)
	if !there || a == nil || a.Finished == nil {
		return
	}
	to := "claimed"
	switch j := a.Last(); {
	case j != nil && j.Verdict == "accepted":
		to = "ready"
	case j == nil && a.Finished.End == endDone:
		to = "gated"
	}
	if st.State != to || st.PID != 0 {
		s.moved(t.ID, a.N, to, fmt.Sprintf("attempt %d ended %s, and its run died", a.N, a.Finished.End))
	}
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

// endLeft ends what a dead run left running on this host since it last booted: its
// group, by the state file, and whoever carries the claim's mark. A pid that is another's
// by now is told by its start time.
func (s *Station) endLeft(by about, st carrier.State, there bool) {
	n := 0
	if there && st.PGID != 0 && st.Host == s.Host && st.Boot == process.Self().Boot {
		n = process.EndGroup(st.PGID, st.StartedAt, s.Settings.Grace)
	}
	for _, mark := range union([]string{by.claim}, []string{st.Run}) {
		n += process.EndMarked(mark, s.Settings.Grace)
	}
	if n > 0 {
		s.note("warn", by.task, st.Attempt, fmt.Sprintf("ended %s that its dead run left running", processes(n)))
	}
}

// unstarted takes back what a dead run made before an agent was started, as a crash
// while the base was asked leaves it: the rooms that no agent was given go, and the
// number is free again.
func (s *Station) unstarted(ctx context.Context, t board.Task, st carrier.State) error {
	rooms, err := s.rooms(t.ID, math.MaxInt)
	if err != nil {
		return err
	}
	for _, m := range rooms {
		if a := t.Attempt(m.n); a != nil && a.Finished == nil && !exists(m.dir) && m.lost != nil {
			continue // its registration is all that is left, and may tell of commits
		}
		ours := m.Run == t.Claim.ID || m.Run != "" && m.Run == st.Run
		if m.bare() || m.Going || ours && (!m.Agent || t.Attempt(m.n) == nil) {
			why := s.strange(ctx, m)
			if why == "" {
				why = reason(s.clear(ctx, m.room))
			}
			if why != "" {
				s.note("warn", t.ID, m.n, "the worktree "+m.dir+" stays: "+why)
			}
		}
	}
	if st.Attempt == 0 || t.Attempt(st.Attempt) != nil {
		return nil
	}
	if err := s.unopen(st); err != nil {
		s.note("warn", t.ID, st.Attempt, err.Error())
	}
	return nil
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
func (s *Station) rescue(ctx context.Context, t board.Task, a board.Attempt, by about) (k kept, why string, err error) {
	name := ref(t.ID, a.N)
	commit, err := s.Repo.Resolve(ctx, name)
	switch {
	case err == nil && s.whole(ctx, commit, a.Started.Base):
		tree, err := s.Repo.TreeID(ctx, commit)
		return kept{commit: commit, tree: tree, ref: name}, "", err
	case err != nil && !errors.Is(err, git.ErrNotFound):
		return kept{}, "", fmt.Errorf("looking for the kept tree of %s, attempt %d: %w", t.ID, a.N, err)
	}
	r, why, err := s.leftRoom(t, a)
	if err != nil || why != "" {
		return kept{}, why, err
	}
	gone := !folder(r.dir)
	faults, err := s.Repo.Unblock()
	if err != nil {
		return kept{}, "", err
	}
	bond, err := s.Repo.Reattach(ctx, r.dir, r.Link, r.Base, r.aside())
	if err != nil {
		return kept{}, "", err
	}
	for _, fault := range append(faults, bond...) {
		s.note("warn", t.ID, a.N, fault)
	}
	tree, err := s.leftTree(ctx, r, gone)
	if err != nil || tree == "" {
		return kept{}, "its worktree is gone", err
	}
	person, err := s.Repo.Identity(ctx)
	if err != nil {
		return kept{}, "", fmt.Errorf("asking git who commits here: %w", err)
	}
	k, err = s.keep(ctx, r, tree, person, by, epitaph{
		task: t.ID, title: t.Contract.Title, n: a.N, agent: a.Started.Agent.Adapter, contract: a.Started.Contract,
		end: endCrashed, why: crashedWhy, usage: record.Usage{Source: "unknown"},
	})
	if err == nil && gone { // what git needed of it to be read holds nothing
		err = r.going(true)
	}
	return k, "", err
}

// whole reports whether a ref holds what it is to hold. A power cut may leave one whose
// objects never came to the disk: then the worktree is what there is.
func (s *Station) whole(ctx context.Context, commit, base string) bool {
	whole, err := s.Repo.Whole(ctx, commit, base)
	return err != nil || whole
}

// leftRoom is the room of a dead attempt; why is not empty where it is not on this host.
// Its inventory stands where an agent could write, so that one that is not of this very
// attempt is not believed.
func (s *Station) leftRoom(t board.Task, a board.Attempt) (r *room, why string, err error) {
	dir := a.Started.Worktree
	link, registered, err := s.Repo.LinkOf(dir)
	if err != nil {
		return nil, "", err
	}
	if !registered && !folder(dir) {
		return nil, "its worktree is not on this host", nil
	}
	r, err = known(dir)
	if err == nil && r.Base == a.Started.Base && r.Run == t.Claim.ID && (!registered || r.Link == link) {
		return r, "", nil
	}
	if err == nil && r.Base == a.Started.Base && r.Link == link {
		return r, "", nil
	}
	s.note("warn", t.ID, a.N, "the inventory of "+dir+" is not the one that was made; the record says what it was cut from")
	r = roomAt(dir)
	r.wild = true
	r.Base, r.Link, r.Setup, r.Agent = a.Started.Base, link, s.Settings.Copy, true
	return r, "", nil
}

// leftTree is the tree of what a dead attempt left: its files, or its last commit where
// the worktree itself is gone; "" when there is neither.
func (s *Station) leftTree(ctx context.Context, r *room, gone bool) (string, error) {
	if !gone {
		return s.files(ctx, r)
	}
	made, err := s.Repo.Visited(ctx, r.dir, r.Base)
	if err != nil || len(made) == 0 {
		return "", err
	}
	return s.Repo.TreeID(ctx, made[0])
}

// folder reports whether a path is one, and no link to one.
func folder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

const crashedWhy = "torve or the machine died while it ran"

// crashed is the attempt's end as the record has it. What it cost is unknown.
func (s *Station) crashed(ctx context.Context, a board.Attempt, k kept, why string) (record.Finished, error) {
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

func processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", n)
}
