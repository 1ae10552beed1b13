package upkeep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"torve/internal/git"
)

// examineGit asks the git program and what of the repository changes how torve works.
func (h Home) examineGit(ctx context.Context, f *findings) {
	version, err := git.Version(ctx)
	switch {
	case err != nil:
		f.broke("git", err)
	case git.TooOld(version):
		f.add(Missing, "git", "install git "+git.Oldest+" or newer", "git is %s, and %s is the oldest that is supported", version, git.Oldest)
	default:
		f.add(OK, "git", "", "%s", version)
	}
	if p, err := h.Repo.Identity(ctx); err != nil {
		f.add(Missing, "identity", `git config user.name "..." && git config user.email "..."`, "git does not know who commits here")
	} else {
		f.add(OK, "identity", "", "%s <%s>", p.Name, p.Email)
	}
	h.examineKind(ctx, f)
	h.examineHooks(ctx, f)
}

// examineKind notes what is out of the ordinary and what that means here.
func (h Home) examineKind(ctx context.Context, f *findings) {
	if h.Repo.Shallow {
		f.add(Note, "history", "git fetch --unshallow", "it is cut short here: lines and landings that are older cannot be told")
	}
	if h.Repo.Bare {
		f.add(Note, "bare", "", "no main work tree: contracts are written in a worktree or a clone")
	}
	c := h.config(ctx)
	if c["extensions.objectformat"] == "sha256" {
		f.add(Note, "objects", "", "SHA-256; torve works the same")
	}
	if v := c["core.autocrlf"]; v != "" && v != "false" {
		f.add(Note, "line ends", "", "core.autocrlf is %s: what git converts counts as no change", v)
	}
	if c["core.sparsecheckout"] == "true" {
		f.add(Note, "sparse", "", "attempts see the same part of the tree as this work tree")
	}
	for key, v := range c {
		if strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".promisor") && v == "true" {
			f.add(Note, "partial", "", "objects that are not here are fetched when they are asked for: keep the remote in reach")
		}
	}
	if h.inTree(ctx, ".gitmodules") != nil {
		f.add(Note, "submodules", "", "attempts get their commits, not their files: worktree.setup may fetch them")
	}
	if strings.Contains(string(h.inTree(ctx, ".gitattributes")), "filter=lfs") {
		f.add(Note, "lfs", "", "large files come as git-lfs on this machine gives them; without it they stay pointers, and land as they stand")
	}
}

// inTree is a file at the target's head; nil when there is none.
func (h Home) inTree(ctx context.Context, path string) []byte {
	data, err := h.Repo.File(ctx, h.Ref, path)
	if err != nil {
		return nil
	}
	return data
}

// config is git's configuration here, by key in lower case; the last value wins.
func (h Home) config(ctx context.Context) map[string]string {
	out, err := h.Repo.Run(ctx, "config", "--list", "-z")
	if err != nil {
		return nil
	}
	all := map[string]string{}
	for _, entry := range strings.Split(out, "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		all[strings.ToLower(key)] = value
	}
	return all
}

// skipped are the hooks of a person that torve's own calls of git do not run.
var skipped = []string{
	"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout", "post-merge", "pre-merge-commit",
	"pre-push", "reference-transaction", "post-rewrite",
}

// examineHooks names the person's hooks. git is asked for their folder without torve's own
// settings, which turn them off.
func (h Home) examineHooks(ctx context.Context, f *findings) {
	dir := filepath.Join(h.Repo.Common, "hooks")
	for _, scope := range []string{"--system", "--global", "--local"} {
		if v, err := h.Repo.Run(ctx, "config", "--type=path", scope, "--get", "core.hooksPath"); err == nil && v != "" {
			dir = v
		}
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(h.Repo.Dir, dir)
	}
	var found []string
	for _, name := range skipped {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			found = append(found, name)
		}
	}
	if len(found) > 0 {
		f.add(Note, "hooks", "", "torve's own calls of git run none of %s, nor does torve new --commit", strings.Join(found, ", "))
	}
}

// lockFiles are locks of git's that one which crashed leaves behind.
var lockFiles = []string{"index.lock", "HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock"}

// examineLocks finds them in the common git dir, in the git dirs of the worktrees and
// beside the target. A young one is somebody's who is at work.
func (h Home) examineLocks(f *findings) {
	dirs := []string{h.Repo.Common}
	for _, name := range matching(filepath.Join(h.Repo.Common, "worktrees"), "*") {
		dirs = append(dirs, filepath.Join(h.Repo.Common, "worktrees", name))
	}
	var paths []string
	for _, dir := range dirs {
		for _, name := range lockFiles {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	paths = append(paths, filepath.Join(h.Repo.Common, filepath.FromSlash(h.Ref)+".lock"))
	for _, path := range paths {
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			f.broke("lock", err)
		case h.Now.Sub(info.ModTime()) < aMoment:
			f.add(Note, "lock", "", "%s is there, and young: a git is at work, or one has just died", h.fromHere(path))
		default:
			f.add(Odd, "lock", "rm "+shell(path), "%s is from %s: where no git runs any more, one that crashed has left it", h.fromHere(path), info.ModTime().UTC().Format("2 Jan 15:04 UTC"))
		}
	}
}

// shell is a path as a shell takes it.
func shell(path string) string { return git.Quoted(path) }
