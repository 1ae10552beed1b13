package mint

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/git"
	"torve/internal/truth"
)

// branches is how many local branches are looked at for contracts that are not
// on the target, newest first. To say so is a help and nothing hangs on it.
const branches = 200

// held is a contract's file on a branch.
type held struct{ branch, blob string }

// place is what is checked out where the command runs.
type place struct{ branch, commit string }

func standing(ctx context.Context, repo *git.Repo) (place, error) {
	branch, commit, err := repo.Head(ctx)
	if err != nil && !errors.Is(err, git.ErrUnborn) {
		return place{}, err
	}
	return place{branch: branch, commit: commit}, nil
}

// elsewhere finds the contracts on local branches that the target neither holds
// nor ever held, and that no landing and no record knows; and those that stand
// there under an id which the target gave to another contract.
func (p *pass) elsewhere(ctx context.Context) error {
	p.away, p.clashes = map[string][]held{}, map[string]held{}
	out, err := p.Sources.Repo.Run(ctx, "for-each-ref", fmt.Sprintf("--count=%d", branches), "--sort=-committerdate",
		"--no-merged="+p.r.Head, "--format=%(objectname) %(refname:lstrip=2)", "refs/heads")
	if err != nil {
		return fmt.Errorf("looking for contracts on other branches: %w", err)
	}
	for line := range strings.Lines(out) {
		commit, branch, _ := strings.Cut(strings.TrimSpace(line), " ")
		if err := p.lookAt(ctx, branch, commit); err != nil {
			return fmt.Errorf("looking for contracts on %s: %w", branch, err)
		}
	}
	if len(p.away) == 0 {
		return nil
	}
	gone, err := p.removed(ctx)
	for id := range p.away {
		if gone[contract.PathOf(id)] { // the branch is merely older
			delete(p.away, id)
		}
	}
	return err
}

func (p *pass) lookAt(ctx context.Context, branch, commit string) error {
	entries, err := p.Sources.Repo.Apart(ctx, commit, p.r.Head, contract.Folder)
	if err != nil {
		return err
	}
	base, asked := "", false
	for _, e := range entries {
		if id := p.strange(e.Path); id != "" {
			p.away[id] = append(p.away[id], held{branch: branch, blob: e.ID})
			continue
		}
		f, committed := p.r.Contracts[path.Base(path.Dir(e.Path))]
		if !committed || f.Path != e.Path || f.Blob == e.ID {
			continue
		}
		if !asked {
			if base, err = p.fork(ctx, commit); err != nil {
				return err
			}
			asked = true
		}
		// Where the two lines part without it, each made its own; else one edited it.
		there, err := p.stood(ctx, base, e.Path)
		if err != nil {
			return err
		}
		if !there {
			p.clashes[f.Contract.ID] = held{branch: branch, blob: e.ID}
		}
	}
	return nil
}

// stood reports whether a path was there at a commit; at "", it was not.
func (p *pass) stood(ctx context.Context, commit, path string) (bool, error) {
	if commit == "" {
		return false, nil
	}
	_, err := p.Sources.Repo.Entry(ctx, commit, path)
	if errors.Is(err, git.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// fork is the commit at which another line left the target's; "" where the two have
// nothing in common.
func (p *pass) fork(ctx context.Context, commit string) (string, error) {
	out, err := p.Sources.Repo.Run(ctx, "merge-base", commit, p.r.Head)
	var none *git.Fault
	if errors.As(err, &none) && none.Exit == 1 && none.Words == "" {
		return "", nil
	}
	return strings.TrimSpace(out), err
}

// clashed reports each id that a branch uses for another contract than the target.
func (p *pass) clashed() []Result {
	var results []Result
	for id, h := range p.clashes {
		if len(p.named) > 0 && !slices.Contains(p.named, id) {
			continue
		}
		f := p.r.Contracts[id]
		results = append(results, Result{ID: id, Outcome: Elsewhere, Title: f.Contract.Title,
			Why: fmt.Sprintf("%s has another contract under this id (%s) than %s (%s): an id is never used again",
				h.branch, short(h.blob), p.r.Target, short(f.Blob)),
			Hint: fmt.Sprintf("git diff %s %s -- %s", p.r.Target, h.branch, f.Path)})
	}
	return results
}

// strange is the task of a contract's path when neither the target nor a higher
// carrier knows it; else "".
func (p *pass) strange(file string) string {
	id := strings.TrimSuffix(strings.TrimPrefix(file, contract.Folder+"/"), "/"+contract.FileName)
	s := p.r.Settled(id)
	_, committed := p.r.Contracts[id]
	switch {
	case file != contract.PathOf(id) || !contract.ValidID(id) || committed:
		return ""
	case s.Carrier() == truth.Landing || s.Board() != nil:
		return ""
	}
	for _, f := range p.r.Faults {
		if f.Path == file && !f.Uncommitted {
			return ""
		}
	}
	return id
}

// unmerged answers for what is not on the target: on another branch, or in the
// work tree alone, or edited in either. None of it is minted.
func (p *pass) unmerged(ctx context.Context, s truth.Settled) (Result, error) {
	id := s.Task()
	draft, drafted := p.r.Drafts[id]
	f, committed := p.r.Contracts[id]
	onTarget := committed && drafted && f.Digest == draft.Digest // other comments are no other contract
	switch on := p.away[id]; {
	case onTarget:
		return Result{}, nil
	case len(on) > 0 && (!drafted || slices.ContainsFunc(on, func(h held) bool { return h.blob == draft.Blob })):
		return p.onBranches(ctx, id, on), nil
	case !drafted:
		return Result{}, nil
	case !committed && draft.Staged:
		return p.uncommitted(id, "staged, not committed"), nil
	case !committed:
		return p.uncommitted(id, "written, not committed"), nil
	}
	return p.edited(ctx, id, draft)
}

func (p *pass) onBranches(ctx context.Context, id string, on []held) Result {
	res := Result{Outcome: Elsewhere, Why: fmt.Sprintf("on %s, not on %s: merge it", on[0].branch, p.r.Target), Hint: p.merge(ctx, on[0].branch)}
	for _, h := range on[1:] {
		if h.blob != on[0].blob {
			res.Why = fmt.Sprintf("on %s (%s) and on %s (%s), not the same: give one of them another id",
				on[0].branch, short(on[0].blob), h.branch, short(h.blob))
			res.Hint = fmt.Sprintf("git diff %s %s -- %s", on[0].branch, h.branch, contract.PathOf(id))
			return res
		}
	}
	if on[0].branch == p.r.Target { // the target is a remote's, and this is the local branch of that name
		res.Why, res.Hint = fmt.Sprintf("on %s here, not on %s as it was fetched: push it", on[0].branch, p.r.Target), p.push()
	}
	return res
}

// push is what brings the local branch to the remote's: work that landed there comes
// first.
func (p *pass) push() string {
	remote := strings.TrimSuffix(strings.TrimPrefix(p.Sources.Ref, "refs/remotes/"), "/"+p.r.Target)
	return fmt.Sprintf("git pull --rebase %[1]s %[2]s && git push %[1]s %[2]s", remote, p.r.Target)
}

func (p *pass) merge(ctx context.Context, branch string) string {
	if p.here.branch == p.r.Target {
		return "git merge " + branch
	}
	return board.Merge(p.r.Target, branch, p.Sources.Repo.Elsewhere(ctx, p.r.Target))
}

func (p *pass) uncommitted(id, why string) Result {
	return Result{Outcome: Uncommitted, Why: why, Hint: fmt.Sprintf("git add .torve && git commit -m %q", "Ask for "+id)}
}

// edited tells an edit in the work tree from a branch that has its own edit, and
// both from one that is merely behind the target.
func (p *pass) edited(ctx context.Context, id string, draft truth.File) (Result, error) {
	file := contract.PathOf(id)
	at, err := p.digestAt(ctx, p.here.commit, file)
	if err != nil {
		return Result{}, err
	}
	if p.here.commit == p.r.Head || at != draft.Digest {
		return Result{Outcome: Edited, Why: "edited in the work tree, not committed",
			Hint: fmt.Sprintf("git commit -m %q -- %s", "Edit "+id, file)}, nil
	}
	base, err := p.fork(ctx, p.here.commit)
	if err != nil {
		return Result{}, fmt.Errorf("asking where %s left %s: %w", short(p.here.commit), p.r.Target, err)
	}
	was, err := p.digestAt(ctx, base, file)
	if err != nil || was == draft.Digest {
		return Result{}, err
	}
	where := p.here.branch
	if where == "" {
		where = short(p.here.commit)
	}
	return Result{Outcome: Edited, Why: fmt.Sprintf("edited on %s, not on %s: merge it", where, p.r.Target), Hint: p.merge(ctx, where)}, nil
}

// digestAt is the digest of the contract at a commit; "" when there is none that reads.
func (p *pass) digestAt(ctx context.Context, commit, file string) (string, error) {
	if commit == "" {
		return "", nil
	}
	data, err := p.Sources.Repo.File(ctx, commit, file)
	if errors.Is(err, git.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading %s at %s: %w", file, short(commit), err)
	}
	c, err := contract.Parse(file, data)
	if err != nil {
		return "", nil
	}
	return c.Digest(), nil
}
