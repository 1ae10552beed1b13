package landing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/git"
	"torve/internal/truth"
	"torve/internal/workload"
)

const plain = "100644"

// errUnlike is returned for a landing that would not be the tree that was judged.
var errUnlike = errors.New("this is not the tree that was judged")

// build writes W, L and M, which no ref holds yet. A signature that cannot be made is
// an error here, before the lock. W's parent is the base; where the work was cut again
// on a later head, it is the one that gives the very tree that was judged.
func (s *Station) build(ctx context.Context, j Job, head string, yes judged) (landable, error) {
	t, a, err := s.asked(ctx, j, yes)
	if err != nil {
		return landable{}, err
	}
	parents, err := s.parents(ctx, a, head)
	if err != nil {
		return landable{}, err
	}
	at, unlike := s.now(), errUnlike
	for _, parent := range parents {
		l := landable{
			grounds: yes, task: t.ID, attempt: a.N, digest: t.Digest, base: a.Finished.Base, parent: parent, onto: head, at: at,
			path: carrier.LandingPath(t.ID, t.Contract.Spec, a.N, at),
		}
		err := s.write(ctx, t, a, &l)
		if !errors.Is(err, errUnlike) {
			return l, err
		}
		unlike = err
	}
	return landable{}, unlike
}

// mended writes anew what was pruned of what the target was just moved to: the same moment
// and the same words give the same commits.
func (s *Station) mended(ctx context.Context, j Job, l landable, due workload.Judged) error {
	yes, _ := accepted(due, l.onto)
	t, a, err := s.asked(ctx, j, yes)
	if err != nil {
		return err
	}
	again := l
	if err = s.write(ctx, t, a, &again); err == nil && again.commit != l.commit {
		err = fmt.Errorf("written anew it is %.7s", again.commit)
	}
	if err != nil {
		return fmt.Errorf("%s is at %.7s, of which a part was pruned: %w", s.Target, l.commit, err)
	}
	return nil
}

// parents are the commits that the work may stand on, the base first, as far as they are
// on the target's line: nothing that was taken off the line comes back with the work.
func (s *Station) parents(ctx context.Context, a *board.Attempt, head string) ([]string, error) {
	asked := []string{a.Finished.Base}
	for _, j := range slices.Backward(a.Judged) {
		if j.Moment == "arrival" && j.Head != "" {
			asked = append(asked, j.Head)
			break
		}
	}
	var on []string
	for _, id := range append(asked, head) {
		if slices.Contains(on, id) {
			continue
		}
		is, err := s.onLine(ctx, id, head)
		if err != nil {
			return nil, err
		}
		if is {
			on = append(on, id)
		}
	}
	return on, nil
}

// write writes the three commits over l's parent, and asks that they are sound.
func (s *Station) write(ctx context.Context, t *board.Task, a *board.Attempt, l *landable) error {
	tree, err := s.changed(ctx, a, l.parent)
	if err != nil {
		return err
	}
	if l.work, err = s.commit(ctx, *l, tree, workMessage(t, a), l.parent); err != nil {
		return err
	}
	account, err := s.account(ctx, t, a, *l, tree)
	if err != nil {
		return err
	}
	if l.commit, err = s.merge(ctx, t, *l, account); err != nil {
		return err
	}
	return s.sound(ctx, *l)
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

// changed is W's tree: exactly the attempt's over its base, else its changes over a
// later commit.
func (s *Station) changed(ctx context.Context, a *board.Attempt, parent string) (string, error) {
	if parent == a.Finished.Base {
		return a.Finished.Tree, nil
	}
	m, err := s.Repo.Merge(ctx, a.Finished.Base, parent, a.Finished.Head)
	if err == nil && m.Tree == "" {
		err = fmt.Errorf("%w: on %.7s the work does not merge: %q", errUnlike, parent, m.Conflicts)
	}
	return m.Tree, err
}

// account writes L: an ordinary commit on top of W with log.yaml, where the tree that
// was judged has one, and the landing file. (A file that only a merge commit holds is
// dropped by pull --rebase.)
func (s *Station) account(ctx context.Context, t *board.Task, a *board.Attempt, l landable, tree string) (string, error) {
	f := s.facts(l)
	f.Due = &a.Last().Judged
	landing, err := carrier.WriteLanding(truth.LandingOf(t, *a, f))
	if err != nil {
		return "", err
	}
	id, err := s.Repo.WriteBlob(ctx, landing)
	if err != nil {
		return "", err
	}
	edits := []git.Edit{{Path: l.path, Mode: plain, ID: id}}
	log, err := s.Repo.Entry(ctx, l.grounds.tree(), carrier.LogPath(t.ID))
	switch {
	case err == nil:
		edits = append(edits, git.Edit{Path: log.Path, Mode: log.Mode, ID: log.ID})
	case !errors.Is(err, git.ErrNotFound):
		return "", err
	}
	if tree, err = s.Repo.EditTree(ctx, tree, edits...); err != nil {
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
		return "", fmt.Errorf("%w: the merge conflicts now: %q", errUnlike, m.Conflicts)
	}
	return s.commit(ctx, l, m.Tree, fmt.Sprintf("Land %s: %s\n", t.ID, subject(t)), l.onto, account)
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
