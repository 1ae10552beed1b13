package landing

import (
	"context"
	"errors"
	"fmt"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/failpoint"
	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/truth"
)

// NotAllowed is returned when the task's state, or the commit, does not allow an
// attestation.
type NotAllowed struct {
	Task  string
	State board.State
	Why   string
	Hint  string // a command to paste
}

// Error says why.
func (e *NotAllowed) Error() string { return e.Why }

// Attest lands nothing new: it writes the landing file of work that a person did by
// hand, whose commit is on the target's line, and records the person's answer. The
// error is a *NotAllowed when the state or the commit does not allow it.
func (s *Station) Attest(ctx context.Context, t board.Task, sha string) (Outcome, error) {
	if err := mayAttest(&t); err != nil {
		return Outcome{}, err
	}
	for lost := 0; lost < most; lost++ {
		out, moved, err := s.attestOnce(ctx, &t, sha)
		if err != nil || !moved {
			return out, err
		}
	}
	return Outcome{Blocked: &Blocked{
		Why: s.Target + " keeps moving", Next: fmt.Sprintf("torve land %s --as %s", t.ID, sha),
	}}, nil
}

// mayAttest: what is being worked on, what landed and what was never minted is not attested.
func mayAttest(t *board.Task) error {
	no := func(why, hint string) error {
		return &NotAllowed{Task: t.ID, State: t.State, Why: why, Hint: hint}
	}
	switch {
	case t.Digest == "":
		return no(t.ID+" was never minted: there is no contract to land it under", "torve mint "+t.ID)
	case t.State == board.Landed || t.State == board.Reverted:
		return no(fmt.Sprintf("%s is %s", t.ID, t.State), "torve why "+t.ID)
	case t.State == board.Withdrawn:
		return no(t.ID+" is withdrawn: its contract is gone from the target", "torve why "+t.ID)
	case t.Claim != nil:
		return no(fmt.Sprintf("%s is %s, held on %s", t.ID, t.State, t.Claim.Host), "torve status "+t.ID)
	}
	return nil
}

// attestOnce is one try over one head; moved says that the head was lost to another.
func (s *Station) attestOnce(ctx context.Context, t *board.Task, sha string) (out Outcome, moved bool, err error) {
	head, err := s.head(ctx)
	if err != nil {
		return out, false, err
	}
	if out.Already, err = s.already(ctx, head, t.ID); err != nil || out.Already != nil {
		return out, false, err
	}
	work, err := s.named(ctx, t, head, sha)
	if err != nil {
		return out, false, err
	}
	l, err := s.attestation(ctx, t, head, work)
	if err != nil {
		return out, false, fmt.Errorf("attesting %s: %w", t.ID, err)
	}
	release, err := s.lock(ctx)
	if err != nil {
		return out, false, err
	}
	defer release()
	blocked, moved, err := s.advance(ctx, l)
	if err != nil || moved || blocked != nil {
		return Outcome{Blocked: blocked}, moved, err
	}
	if err := s.answered(ctx, l); err != nil {
		return out, false, fmt.Errorf("%s is on %s, and not in the record yet: %w", l.path, s.Target, err)
	}
	return Outcome{Landed: &Landed{
		Work: work, Head: l.commit, Onto: l.onto, Path: l.path, Tree: l.grounds.tree(), At: l.at,
	}}, false, nil
}

// named is the commit that a person names, which must be on the target's line.
func (s *Station) named(ctx context.Context, t *board.Task, head, sha string) (string, error) {
	no := func(why string) error {
		return &NotAllowed{Task: t.ID, State: t.State, Why: why, Hint: "git log --oneline " + s.Target}
	}
	work, err := s.Repo.Resolve(ctx, sha+"^{commit}")
	if errors.Is(err, git.ErrNotFound) {
		return "", no("there is no commit " + sha)
	}
	if err != nil {
		return "", err
	}
	on, err := s.Repo.IsAncestor(ctx, work, head)
	if err == nil && !on {
		err = no(fmt.Sprintf("%.7s is not on %s's line", work, s.Target))
	}
	return work, err
}

// attestation writes the commit of the landing file alone.
func (s *Station) attestation(ctx context.Context, t *board.Task, head, work string) (landable, error) {
	g, err := s.Repo.TreeID(ctx, head)
	if err != nil {
		return landable{}, err
	}
	word := attested{person: s.Person, sha: work, g: g}
	l := landable{grounds: word, task: t.ID, digest: t.Digest, work: work, onto: head, at: s.now()}
	l.path = carrier.LandingPath(t.ID, t.Contract.Spec, 0, l.at)
	f := s.facts(l)
	f.Attested = word.by()
	data, err := carrier.WriteLanding(truth.LandingOf(t, board.Attempt{}, f))
	if err != nil {
		return landable{}, err
	}
	id, err := s.Repo.WriteBlob(ctx, data)
	if err != nil {
		return landable{}, err
	}
	tree, err := s.Repo.EditTree(ctx, g, git.Edit{Path: l.path, Mode: plain, ID: id})
	if err != nil {
		return landable{}, err
	}
	message := fmt.Sprintf("Record that %s landed by hand as %.7s\n", t.ID, work)
	if l.commit, err = s.commit(ctx, l, tree, message, head); err != nil {
		return landable{}, err
	}
	return l, s.sound(ctx, l)
}

// by names the person who gives the word.
func (a attested) by() string { return fmt.Sprintf("%s <%s>", a.person.Name, a.person.Email) }

// answered records the landing and the person's answer in one append.
func (s *Station) answered(ctx context.Context, l landable) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), swapTime)
	defer cancel()
	p := s.payload(l)
	p.Attested = l.grounds.(attested).by()
	landed, err := record.New(p, l.at, s.envelope(l.task, 0, "", record.ByPerson))
	if err != nil {
		return err
	}
	said := record.Resolved{Answer: "landed", Note: fmt.Sprintf("by hand, as %.7s", l.work)}
	answer, err := record.New(said, l.at, s.envelope(l.task, 0, "", record.ByPerson))
	if err != nil {
		return err
	}
	for {
		known, last, err := s.known(ctx, l.task, l.path)
		if err != nil {
			return err
		}
		events := []record.Event{landed, answer}
		if known { // another dispatch has seen it in git meanwhile
			events = events[1:]
		}
		_, err = s.Log.Append(ctx, s.Partition, record.TaskAt(l.task, last), events...)
		if !errors.Is(err, record.ErrMoved) {
			failpoint.Hit(failpoint.LandingAttested)
			return err
		}
	}
}
