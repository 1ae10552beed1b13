package attempt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"torve/internal/failpoint"
	"torve/internal/git"
	"torve/internal/record"
)

// ref is where the tree of an attempt is kept.
func ref(task string, n int) string { return "refs/torve/attempts/" + task + "/" + strconv.Itoa(n) }

// kept is a tree on its ref.
type kept struct {
	commit, tree, ref string
}

// files is the tree of a room's files, whatever they are: all that the agent left
// but what setup and copy made.
func (s *Station) files(ctx context.Context, r *room) (string, error) {
	if err := s.sweep(ctx, r); err != nil {
		return "", err
	}
	tree, err := s.Repo.Snapshot(ctx, r.dir, r.Base, r.Setup)
	if err != nil {
		return "", fmt.Errorf("taking the files of %s: %w", r.dir, err)
	}
	return tree, nil
}

// keep puts the tree of a room's files on the attempt's ref. The agent's own commits
// hang on the same commit as further parents, so that none of them is lost with
// the worktree.
func (s *Station) keep(ctx context.Context, r *room, tree string, by git.Person, a about, e epitaph) (kept, error) {
	parents, err := s.parents(ctx, r)
	if err != nil {
		return kept{}, err
	}
	commit, err := s.Repo.WriteCommit(ctx, git.Commit{
		Tree: tree, Parents: parents, Author: by, Committer: by, At: s.Now(), Message: e.String(),
	}, false)
	if err != nil {
		return kept{}, fmt.Errorf("writing the kept commit of %s, attempt %d: %w", a.task, a.n, err)
	}
	failpoint.Hit(failpoint.AttemptCommitted)
	hard, err := s.Repo.Harden(ctx, commit, r.Base)
	if err != nil {
		return kept{}, fmt.Errorf("keeping the tree of %s, attempt %d: %w", a.task, a.n, err)
	}
	k := kept{commit: commit, tree: tree, ref: ref(a.task, a.n)}
	if err := s.hold(ctx, k, r.Base, a); err != nil {
		return kept{}, err
	}
	if stands, err := s.Repo.Stands(ctx, hard); err != nil || !stands {
		return kept{}, errors.Join(err, fmt.Errorf("a part of %s was pruned while it was kept", short(commit)))
	}
	failpoint.Hit(failpoint.AttemptKept)
	return k, s.detach(ctx, r)
}

// hold makes the ref, which must be absent. One that is there already is not ours while
// we hold the claim: only its holder makes it, once. What it holds goes aside, so that
// nothing is lost; where it holds a commit of which a part was pruned there is nothing to
// lose. Who has lost the claim moves nothing: the ref is the next holder's.
func (s *Station) hold(ctx context.Context, k kept, base string, a about) error {
	err := s.Repo.UpdateRefs(ctx, git.RefUpdate{Ref: k.ref, New: k.commit})
	if err == nil {
		return nil
	}
	there, read := s.Repo.Refs(ctx, k.ref)
	old := there[k.ref]
	if !errors.Is(err, git.ErrRefMoved) || read != nil || old == "" {
		return fmt.Errorf("keeping the tree on %s: %w", k.ref, err)
	}
	if err := s.holds(ctx, a); err != nil {
		return fmt.Errorf("keeping the tree on %s, which is there: %w", k.ref, err)
	}
	whole, err := s.Repo.Whole(ctx, old, base)
	if err != nil {
		return fmt.Errorf("keeping the tree on %s, which is there: %w", k.ref, err)
	}
	moves := []git.RefUpdate{{Ref: k.ref, Old: old, New: k.commit}}
	if whole && old == k.commit {
		return nil
	}
	aside := "refs/torve/aside/" + strings.TrimPrefix(k.ref, "refs/torve/attempts/") + "/" + short(old)
	if whole {
		moves = append(moves, git.RefUpdate{Ref: aside, New: old})
	}
	if err := s.Repo.UpdateRefs(ctx, moves...); err != nil {
		return fmt.Errorf("keeping the tree on %s, which somebody else had made: %w", k.ref, err)
	}
	return nil
}

// mostParents bounds how many loose ends of the agent's own commits are held.
const mostParents = 24

// parents are the base, and then the agent's own commits that no other of them leads to.
func (s *Station) parents(ctx context.Context, r *room) ([]string, error) {
	parents := []string{r.Base}
	made, err := s.Repo.Visited(ctx, r.dir, r.Base)
	if err != nil {
		return nil, err
	}
	for _, id := range made {
		if len(parents) > mostParents {
			break
		}
		held, err := s.reached(ctx, id, parents)
		if err != nil {
			return nil, err
		}
		if !held {
			parents = append(parents, id)
		}
	}
	return parents, nil
}

// reached reports whether one of the tips leads to the commit.
func (s *Station) reached(ctx context.Context, id string, tips []string) (bool, error) {
	for _, tip := range tips {
		ok, err := s.Repo.IsAncestor(ctx, id, tip)
		if err != nil {
			return false, fmt.Errorf("asking whether %s is held: %w", short(id), err)
		}
		if ok {
			return true, nil
		}
	}
	return false, nil
}

// standing is where the HEAD of a worktree stands, and on which branch; the commit
// is empty where the agent left it unborn, the branch where it is detached.
func (s *Station) standing(ctx context.Context, r *room) (head, branch string, err error) {
	if raw, err := r.head(); err == nil && detached.Match(raw) { // as the host leaves it: no git is asked
		return strings.TrimSpace(string(raw)), "", nil
	}
	out, err := s.Repo.Run(ctx, "-C", r.dir, "rev-parse", "HEAD", "--symbolic-full-name", "HEAD")
	if err != nil {
		if out, err = s.Repo.Run(ctx, "-C", r.dir, "symbolic-ref", "HEAD"); err != nil {
			return "", "", fmt.Errorf("reading the HEAD of %s: %w", r.dir, err)
		}
		return "", strings.TrimSpace(out), nil
	}
	head, branch, _ = strings.Cut(strings.TrimSpace(out), "\n")
	if branch == "HEAD" {
		branch = ""
	}
	return head, branch, nil
}

// head is the text of the worktree's HEAD.
func (r *room) head() ([]byte, error) {
	if r.Link == "" {
		return nil, nil
	}
	return readCapped(filepath.Join(r.admin(), "HEAD"), 1<<12)
}

// detached is a HEAD that names a commit.
var detached = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})\n$`)

// detach puts HEAD back to the base, whatever branch or commit the agent left it
// at; no file changes. Its commits are held by then.
func (s *Station) detach(ctx context.Context, r *room) error {
	head, branch, err := s.standing(ctx, r)
	if err != nil || head == r.Base && branch == "" {
		return err
	}
	if _, err := s.Repo.Run(ctx, "-C", r.dir, "update-ref", "--no-deref", "HEAD", r.Base); err != nil {
		return fmt.Errorf("putting the worktree's HEAD back to its base: %w", err)
	}
	return nil
}

// epitaph is the message of a kept commit: the attempt's own account.
type epitaph struct {
	task, title, agent, contract string
	n                            int
	end, why, summary            string
	took                         time.Duration
	usage                        record.Usage
}

// String is a subject, a paragraph for people, and the trailers that readers look for.
func (e epitaph) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n", e.task, oneLine(e.title))
	fmt.Fprintf(&b, "Attempt %d by %s, %s after %s.", e.n, e.agent, e.end, seconds(e.took))
	if e.why != "" {
		fmt.Fprintf(&b, " %s.", strings.TrimSuffix(oneLine(e.why), "."))
	}
	b.WriteString("\n")
	if e.summary != "" {
		fmt.Fprintf(&b, "\n%s\n", indented(e.summary))
	}
	b.WriteString("\n")
	fmt.Fprintf(&b, "Torve-Task: %s\nTorve-Attempt: %d\nTorve-Agent: %s\nTorve-Contract: %s\nTorve-End: %s\nTorve-Usage: %s\n",
		e.task, e.n, e.agent, e.contract, e.end, usageLine(e.usage))
	return b.String()
}

// usageLine says what it cost; what is unknown is left out and never zero.
func usageLine(u record.Usage) string {
	var parts []string
	if u.TokensIn != nil {
		parts = append(parts, fmt.Sprintf("tokens_in=%d", *u.TokensIn))
	}
	if u.TokensOut != nil {
		parts = append(parts, fmt.Sprintf("tokens_out=%d", *u.TokensOut))
	}
	if u.USD != nil {
		parts = append(parts, fmt.Sprintf("usd=%.4f", *u.USD))
	}
	return strings.Join(append(parts, "usd_source="+u.Source), " ")
}

// seconds is a duration for people: 0.8 s, 19 s, 4 min 12 s.
func seconds(d time.Duration) string {
	switch {
	case d < 50*time.Millisecond:
		return "<0.1 s"
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	d = d.Round(time.Second)
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}
