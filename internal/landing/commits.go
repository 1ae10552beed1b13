package landing

import (
	"context"
	"fmt"
	"strings"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/git"
	"torve/internal/truth"
)

const plain = "100644"

// build writes W, L and M, which no ref holds yet. A signature that cannot be made is
// an error here, before the lock.
func (s *Station) build(ctx context.Context, j Job, head string, yes judged) (landable, error) {
	t, a, err := s.asked(ctx, j, yes)
	if err != nil {
		return landable{}, err
	}
	l := landable{
		grounds: yes, task: t.ID, attempt: a.N, digest: t.Digest, base: a.Finished.Base, onto: head, at: s.now(),
	}
	l.path = carrier.LandingPath(t.ID, t.Contract.Spec, a.N, l.at)
	if l.parent, l.work, err = s.work(ctx, t, a, head, l); err != nil {
		return landable{}, err
	}
	account, err := s.account(ctx, t, a, l)
	if err != nil {
		return landable{}, err
	}
	if l.commit, err = s.merge(ctx, t, l, account); err != nil {
		return landable{}, err
	}
	return l, s.sound(ctx, l)
}

// asked is the task and its attempt as the record has them now, the gate's due answer
// about this very tree the last of them.
func (s *Station) asked(ctx context.Context, j Job, yes judged) (*board.Task, *board.Attempt, error) {
	t, err := s.task(ctx, j.Task.ID)
	if err != nil {
		return nil, nil, err
	}
	a := t.Attempt(j.Attempt.N)
	if a == nil || a.Finished == nil || a.Finished.Head == "" {
		return nil, nil, fmt.Errorf("the record holds no kept work of attempt %d", j.Attempt.N)
	}
	if last := a.Last(); last == nil || last.Moment != "due" || last.Verdict != "accepted" || last.Tree != yes.g {
		return nil, nil, fmt.Errorf("the record holds no due yes of attempt %d about tree %.7s", a.N, yes.g)
	}
	return t, a, nil
}

// work writes W: a child of the base with exactly the attempt's changed tree. Where the
// base is no longer on the target's line, W is cut again on the head, so that
// nothing that was taken off the line comes back with it.
func (s *Station) work(ctx context.Context, t *board.Task, a *board.Attempt, head string, l landable) (parent, id string, err error) {
	base, tree := a.Finished.Base, a.Finished.Tree
	on, err := s.Repo.IsAncestor(ctx, base, head)
	if err != nil {
		return "", "", err
	}
	if !on {
		m, err := s.Repo.Merge(ctx, base, head, a.Finished.Head)
		if err != nil {
			return "", "", err
		}
		if m.Tree == "" {
			return "", "", fmt.Errorf("the base %.7s is not on the line, and the work does not merge: %s", base, strings.Join(m.Conflicts, ", "))
		}
		base, tree = head, m.Tree
	}
	id, err = s.commit(ctx, l, tree, workMessage(t, a), base)
	return base, id, err
}

// account writes L: an ordinary commit on top of W with log.yaml, when it has an entry,
// and the landing file. (A file that only a merge commit holds is dropped by pull --rebase.)
func (s *Station) account(ctx context.Context, t *board.Task, a *board.Attempt, l landable) (string, error) {
	tree, err := s.Repo.TreeID(ctx, l.work)
	if err != nil {
		return "", err
	}
	f := s.facts(l)
	f.Due = &a.Last().Judged
	landing, err := carrier.WriteLanding(truth.LandingOf(t, *a, f))
	if err != nil {
		return "", err
	}
	files := map[string][]byte{l.path: landing}
	if log := truth.LogOf(t, a.Finished.Base); len(log.Entries) > 0 {
		if files[carrier.LogPath(t.ID)], err = carrier.WriteLog(log); err != nil {
			return "", err
		}
	}
	if tree, err = s.withFiles(ctx, tree, files); err != nil {
		return "", err
	}
	return s.commit(ctx, l, tree, "Record the landing of "+t.ID+"\n", l.work)
}

// merge writes M, which has no content of its own.
func (s *Station) merge(ctx context.Context, t *board.Task, l landable, account string) (string, error) {
	m, err := s.Repo.Merge(ctx, l.parent, l.onto, account)
	if err != nil {
		return "", err
	}
	if m.Tree == "" {
		return "", fmt.Errorf("the gate said yes to a merge that conflicts now: %s", strings.Join(m.Conflicts, ", "))
	}
	return s.commit(ctx, l, m.Tree, fmt.Sprintf("Land %s: %s\n", t.ID, subject(t)), l.onto, account)
}

func (s *Station) withFiles(ctx context.Context, tree string, files map[string][]byte) (string, error) {
	var edits []git.Edit
	for path, data := range files {
		id, err := s.Repo.WriteBlob(ctx, data)
		if err != nil {
			return "", err
		}
		edits = append(edits, git.Edit{Path: path, Mode: plain, ID: id})
	}
	return s.Repo.EditTree(ctx, tree, edits...)
}

func (s *Station) commit(ctx context.Context, l landable, tree, message string, parents ...string) (string, error) {
	return s.Repo.WriteCommit(ctx, git.Commit{
		Tree: tree, Parents: parents, Author: s.Person, Committer: s.Person, At: l.at, Message: message,
	}, s.Sign)
}

// workMessage is W's: the title, and the trailers that find it again after a rebase.
func workMessage(t *board.Task, a *board.Attempt) string {
	agent := a.Finished.Agent.Adapter
	if m := a.Finished.Agent.Model; m != "" {
		agent += "@" + m
	}
	return fmt.Sprintf("%s\n\nTorve-Task: %s\nTorve-Attempt: %d\nTorve-Agent: %s\nTorve-Contract: %s\n",
		subject(t), t.ID, a.N, agent, t.Digest)
}

// subject is the title on one line; a commit's subject is never empty.
func subject(t *board.Task) string {
	title := strings.Join(strings.Fields(t.Contract.Title), " ")
	if title == "" {
		return t.ID
	}
	return title
}
