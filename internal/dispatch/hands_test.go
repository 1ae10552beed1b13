package dispatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"torve/internal/board"
	"torve/internal/git"
	"torve/internal/record"
)

// scripted are the hands of one process.
type scripted struct {
	f   *field
	log record.Log
}

// next takes the next turn of a task off a script.
func (h *scripted) next(script map[string][]turn, j Job, did string) turn {
	h.f.mu.Lock()
	defer h.f.mu.Unlock()
	h.f.did = append(h.f.did, did)
	h.f.jobs = append(h.f.jobs, j)
	list := script[j.Task.ID]
	if len(list) == 0 {
		return turn{}
	}
	script[j.Task.ID] = list[1:]
	return list[0]
}

func (h *scripted) append(ctx context.Context, j Job, actor string, p record.Payload) error {
	claim := j.Task.Claim.ID
	e, err := record.New(p, h.f.tick(), record.Envelope{Task: j.Task.ID, Claim: claim, Attempt: j.N, Host: here, Actor: record.Actor{Kind: actor}})
	if err == nil {
		_, err = h.log.Append(ctx, part, record.Holding(j.Task.ID, claim), e)
	}
	return err
}

func (h *scripted) running(task string, by int) {
	h.f.mu.Lock()
	defer h.f.mu.Unlock()
	h.f.live[task] += by
	h.f.now += by
	h.f.most = max(h.f.most, h.f.now)
	if h.f.live[task] > 1 {
		h.f.Errorf("%s is attempted twice at once", task)
	}
}

// attempt does what the attempt station does: start, keep the tree, finish, judge.
func (h *scripted) attempt(ctx context.Context, j Job) (Ended, error) {
	did := fmt.Sprintf("attempt %s %d %s", j.Task.ID, j.N, j.Mode)
	t := h.next(h.f.script, j, did)
	if t.red != "" {
		return Ended{End: "base_red", BaseRed: t.red, BaseOwn: t.own, Mend: t.mend}, nil
	}
	if t.err != nil {
		return Ended{}, t.err
	}
	h.running(j.Task.ID, 1)
	defer h.running(j.Task.ID, -1)
	agent := record.Agent{Adapter: j.Agent}
	err := h.append(ctx, j, record.ByAttempt, record.Started{
		Mode: j.Mode, Agent: agent, Base: j.Head, From: j.From, Worktree: "/w", Walls: "none", Contract: j.Task.Digest, Prompt: j.Task.Digest,
	})
	if err != nil {
		return Ended{}, err
	}
	if t.do != nil {
		t.do()
	}
	if t.stopped {
		<-j.Stop
	}
	if t.boom {
		panic("a fault of ours")
	}
	if ctx.Err() != nil {
		t.end = "interrupted"
	}
	return h.finish(context.WithoutCancel(ctx), j, t, agent)
}

func (h *scripted) finish(ctx context.Context, j Job, t turn, agent record.Agent) (Ended, error) {
	end := cmp.Or(t.end, "done")
	fin := record.Finished{End: end, Seconds: new(2.0), Base: j.Head, Agent: agent, Regime: j.Task.Digest, Usage: record.Usage{Source: "unknown"}}
	if end != "done" {
		fin.Why = "it ended " + end
	}
	if t.usd > 0 {
		fin.Usage = record.Usage{USD: &t.usd, Source: cmp.Or(t.source, "reported")}
	}
	if !t.unkept {
		var err error
		if fin.Head, fin.Tree, err = h.keep(ctx, j); err != nil {
			return Ended{}, err
		}
		fin.Ref = fmt.Sprintf("refs/torve/attempts/%s/%d", j.Task.ID, j.N)
	}
	if err := h.append(ctx, j, record.ByAttempt, fin); err != nil {
		return Ended{}, err
	}
	if end == "crashed" {
		fin.Seconds = nil
	}
	e := Ended{End: end, Why: fin.Why, Kept: fin.Head, Until: t.until, Escalate: t.escalates, USD: fin.Usage.USD}
	if end != "done" {
		return e, nil
	}
	return h.judge(ctx, j, t, e, "arrival", fin.Tree)
}

// keep writes the attempt's tree on its ref: one file more.
func (h *scripted) keep(ctx context.Context, j Job) (commit, tree string, err error) {
	if tree, err = h.f.repo.TreeID(ctx, j.Head); err != nil {
		return "", "", err
	}
	blob, err := h.f.repo.WriteBlob(ctx, fmt.Appendf(nil, "attempt %d\n", j.N))
	if err != nil {
		return "", "", err
	}
	if tree, err = h.f.repo.EditTree(ctx, tree, git.Edit{Path: j.Task.ID + "/work.txt", Mode: "100644", ID: blob}); err != nil {
		return "", "", err
	}
	if commit, err = h.f.repo.WriteCommit(ctx, h.commit(tree, j.Head), false); err != nil {
		return "", "", err
	}
	ref := fmt.Sprintf("refs/torve/attempts/%s/%d", j.Task.ID, j.N)
	return commit, tree, h.f.repo.UpdateRefs(ctx, git.RefUpdate{Ref: ref, New: commit})
}

func (h *scripted) commit(tree string, parents ...string) git.Commit {
	p := git.Person{Name: "Ada Example", Email: "ada@example.com"}
	return git.Commit{Tree: tree, Parents: parents, Author: p, Committer: p, At: noon, Message: "Work\n"}
}

// judge records the six answers and says them.
func (h *scripted) judge(ctx context.Context, j Job, t turn, e Ended, moment, tree string) (Ended, error) {
	if t.broke {
		e.End, e.Why = "isolation", "acceptance: hooks/pre-commit was added"
		return e, nil
	}
	rec := record.Judged{Moment: moment, Tree: tree, Head: j.Head, Contract: j.Task.Digest, Verdict: "accepted", Conflicts: t.conflicts}
	said := "yes"
	for _, check := range record.Checks {
		a := record.Answer{Check: check, Said: said}
		if check == t.check {
			a.Said, a.Note, said = "no", t.reason, "-"
			rec.Verdict, rec.Check, rec.Reason = "refused", check, t.reason
		}
		rec.Checks = append(rec.Checks, a)
	}
	if t.check == "reach" {
		rec.Acceptance = []record.Ran{{Line: "go test ./...", Exit: 1, Why: "exited 1", Last: t.reason, Tests: 3, Output: j.Task.Digest, Tree: tree}}
	}
	e.Accepted, e.Check, e.Reason, e.Paths = rec.Verdict == "accepted", rec.Check, rec.Reason, append(t.paths, t.conflicts...)
	if len(t.paths) > 0 {
		e.Escalate = "scope"
	}
	return e, h.append(ctx, j, record.ByAttempt, rec)
}

// asked puts kept work to the gate again.
func (h *scripted) asked(ctx context.Context, j Job) (Ended, error) {
	t := h.next(h.f.again, j, fmt.Sprintf("again %s %d", j.Task.ID, j.N))
	if t.err != nil {
		return Ended{}, t.err
	}
	a := j.Task.Attempt(j.N)
	return h.judge(ctx, j, t, Ended{End: "done", Kept: a.Finished.Head}, "arrival", a.Finished.Tree)
}

// land asks when due and moves main with a landing file, as the landing station does.
func (h *scripted) land(ctx context.Context, j Job) (Landed, error) {
	t := h.next(h.f.due, j, "land "+j.Task.ID)
	a := j.Task.Attempt(j.N)
	switch {
	case t.err != nil:
		return Landed{}, t.err
	case t.boom:
		panic("a fault of ours")
	case t.lost:
		h.f.append(j.Task.ID, j.Task.Claim.ID, 0, record.ByDispatch, record.Released{Why: "died"})
		return Landed{}, fmt.Errorf("the claim is lost: %w", record.ErrMoved)
	case t.blocked != "":
		return Landed{Blocked: t.blocked, Next: "git -C x stash && torve land " + j.Task.ID, Escalate: t.escalate}, nil
	}
	e, err := h.judge(ctx, j, t, Ended{}, "due", a.Finished.Tree)
	if err != nil || t.check != "" {
		return Landed{Check: e.Check, Reason: e.Reason, Paths: t.conflicts}, err
	}
	return h.move(ctx, j, a)
}

// landingText is a landing file as the landing station would write it, no longer than
// a reader needs.
func landingText(j Job, a *board.Attempt) string {
	return fmt.Sprintf(`schema: torve/landing/v1
task: %s
title: %s
attempt: %d
at: 2026-01-31T12:00:00Z
target: main
base: %s
commit: %s
contract: %s
agent: {adapter: fake}
decisions: []
entries: []
gate: {asked: 6, checks: [], acceptance: []}
spent: {attempts: 1, refused: 0, seconds: 1, usd_source: unknown}
`, j.Task.ID, j.Task.Contract.Title, j.N, a.Finished.Base, a.Finished.Head, j.Task.Digest)
}

func (h *scripted) move(ctx context.Context, j Job, a *board.Attempt) (Landed, error) {
	path := fmt.Sprintf(".torve/execution/%s-%d-20260131T120000Z.yaml", j.Task.ID, j.N)
	blob, err := h.f.repo.WriteBlob(ctx, []byte(landingText(j, a)))
	if err != nil {
		return Landed{}, err
	}
	for {
		head, err := h.f.repo.Resolve(ctx, "refs/heads/main")
		if err != nil {
			return Landed{}, err
		}
		m, err := h.f.repo.Merge(ctx, a.Finished.Base, head, a.Finished.Head)
		if err != nil {
			return Landed{}, err
		}
		tree, err := h.f.repo.EditTree(ctx, m.Tree, git.Edit{Path: path, Mode: "100644", ID: blob})
		if err != nil {
			return Landed{}, err
		}
		commit, err := h.f.repo.WriteCommit(ctx, h.commit(tree, head, a.Finished.Head), false)
		if err != nil {
			return Landed{}, err
		}
		err = h.f.repo.UpdateRefs(ctx, git.RefUpdate{Ref: "refs/heads/main", Old: head, New: commit})
		if errors.Is(err, git.ErrRefMoved) {
			continue
		}
		if err == nil {
			err = h.append(ctx, j, record.ByLanding, record.Landed{
				Path: path, Target: "main", Onto: head, Commit: a.Finished.Head, Head: commit, Contract: j.Task.Digest,
			})
		}
		return Landed{Commit: a.Finished.Head, Head: commit}, err
	}
}
