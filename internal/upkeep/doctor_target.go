package upkeep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"torve/internal/board"
	"torve/internal/git"
	"torve/internal/process"
	"torve/internal/truth"
)

// examineTarget asks whether the target is there, and whether its checkout stands in the
// way of a landing.
func (h Home) examineTarget(ctx context.Context, rd *truth.Reading, f *findings) {
	if name, remote := h.remote(); remote && h.config(ctx)["remote."+strings.ToLower(name)+".url"] == "" {
		f.add(Missing, "target", "git remote add "+shell(name)+" URL", "landings are to be pushed to %s, and there is no such remote", name)
		return
	}
	commit, err := h.Repo.Resolve(ctx, h.Ref)
	if err != nil {
		if _, _, unborn := h.Repo.Head(ctx); errors.Is(unborn, git.ErrUnborn) {
			f.add(Missing, "target", `git commit --allow-empty -m "First commit"`, "the repository has no commit yet")
			return
		}
		fix := "git branch " + shell(h.Target)
		if name, remote := h.remote(); remote {
			fix = "git fetch " + shell(name)
		}
		f.add(Missing, "target", fix, "there is no %s", strings.TrimPrefix(strings.TrimPrefix(h.Ref, "refs/heads/"), "refs/remotes/"))
		return
	}
	f.add(OK, "target", "", "%s at %s", h.Target, commit[:7])
	dir, err := h.Repo.CheckedOut(ctx, h.Target)
	if err != nil || dir == "" {
		f.broke("checkout", err)
		return
	}
	busy, err := h.Repo.Busy(ctx, dir)
	f.broke("checkout", err)
	if busy != "" {
		f.add(Odd, "checkout", "git -C "+shell(dir)+" status", "a %s is in progress in %s, where %s is checked out: nothing lands until it has ended", busy, h.fromHome(dir), h.Target)
	}
	if rd != nil {
		h.examineDirty(ctx, rd, dir, f)
	}
}

// remote is the name of the remote whose branch the target is, where it is one's.
func (h Home) remote() (name string, is bool) {
	rest, is := strings.CutPrefix(h.Ref, "refs/remotes/")
	return strings.TrimSuffix(rest, "/"+h.Target), is
}

// examineDirty names the changed files of the target's checkout that a landing to come
// may have to touch.
func (h Home) examineDirty(ctx context.Context, rd *truth.Reading, dir string, f *findings) {
	st, err := h.Repo.Status(ctx, dir)
	if err != nil {
		f.broke("checkout", err)
		return
	}
	for _, id := range rd.Tasks() {
		t := rd.Settled(id).Board()
		if t == nil || !comes(rd.Settled(id).State()) {
			continue
		}
		in := slices.DeleteFunc(slices.Clone(st.Paths), func(p string) bool { in, _ := t.Contract.Scope.Admits(p); return !in })
		if len(in) > 0 {
			f.add(Odd, "checkout", "git -C "+shell(dir)+" status", "%s changed in %s, in the scope of %s: its landing waits where it touches them", listed(in), h.fromHome(dir), id)
		}
	}
}

// comes reports whether a task may land without a person saying anything.
func comes(s board.State) bool {
	return slices.Contains([]board.State{board.Waiting, board.Queued, board.Claimed, board.Running, board.Gated, board.Reviewed, board.Ready}, s)
}

// listed names at most three paths, and says is or are.
func listed(paths []string) string {
	const most = 3
	switch n := len(paths); {
	case n == 1:
		return paths[0] + " is"
	case n <= most:
		return strings.Join(paths, ", ") + " are"
	}
	return fmt.Sprintf("%s and %d more are", strings.Join(paths[:most], ", "), len(paths)-most)
}

// own are the files of the main work tree that are torve's and no commit's.
var own = []string{"telemetry.jsonl", "feedback.jsonl", "findings.jsonl", "schemas/"}

// examineFiles asks that what is torve's own is in no commit.
func (h Home) examineFiles(ctx context.Context, f *findings) {
	root := h.Repo.Worktree
	if root == "" || !there(filepath.Join(root, ".torve")) {
		return
	}
	text, err := os.ReadFile(filepath.Join(root, ".torve", ".gitignore"))
	if err != nil && !os.IsNotExist(err) {
		f.broke("ignored", err)
	}
	lines := strings.Fields(string(text))
	var lack []string
	for _, name := range own {
		if !slices.Contains(lines, name) && !slices.Contains(lines, "/"+name) {
			lack = append(lack, name)
		}
	}
	if len(lack) > 0 {
		f.add(Odd, "ignored", "printf '%s\\n' "+strings.Join(lack, " ")+" >> "+shell(filepath.Join(root, ".torve", ".gitignore")), ".torve/.gitignore does not name %s", strings.Join(lack, ", "))
	}
	out, err := h.Repo.Run(ctx, "-C", root, "ls-files", "-z", "--", ".torve/telemetry.jsonl", ".torve/feedback.jsonl", ".torve/findings.jsonl", ".torve/schemas", ".wt")
	f.broke("ignored", err)
	if tracked := strings.FieldsFunc(out, func(r rune) bool { return r == 0 }); len(tracked) > 0 {
		quoted := make([]string, len(tracked))
		for i, p := range tracked {
			quoted[i] = shell(p)
		}
		f.add(Odd, "ignored", "git rm -r --cached "+strings.Join(quoted, " "), "%s tracked by git: it is this machine's own", listed(tracked))
	}
}

// little is less free space than a night should begin with.
const little = 1 << 30

// examineVolumes asks what torve's folders stand on.
func (h Home) examineVolumes(f *findings) {
	said := map[string]bool{}
	for _, at := range []struct{ what, dir string }{
		{h.inGitDir(), filepath.Join(h.Repo.Common, "torve")}, {"states", h.States}, {"worktrees", h.Root}, {"caches", h.Caches},
	} {
		v, err := process.VolumeOf(at.dir)
		if err != nil {
			f.add(Missing, "folders", "ls -ld "+shell(v.Folder), "%s cannot be made: %v", at.what, err)
			continue
		}
		if !v.Writable {
			f.add(Missing, "folders", "ls -ld "+shell(v.Folder), "%s cannot be written: %s is not yours to write to", at.what, h.fromHome(v.Folder))
		}
		if v.Remote && at.what == "the record" {
			f.add(Odd, "folders", "", "the record stands on %s: SQLite's log is not safe where several machines write", v.Kind)
		}
		if v.Free < little && !said[v.Folder] {
			f.add(Odd, "folders", "torve gc", "%s are free for %s, in %s", git.Bytes(v.Free), at.what, h.fromHome(v.Folder))
		}
		said[v.Folder] = true
		f.add(OK, "folders", "", "%s: %s, %s free on %s", at.what, h.fromHome(at.dir), git.Bytes(v.Free), orUnknown(v.Kind))
	}
	if h.Repo.Main != "" && within(h.Root, h.Repo.Main) {
		f.add(Missing, "folders", "take worktree.root out of .torve/config.yaml", "worktree.root is inside the work tree, where no worktree may stand")
	}
}

func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

func orUnknown(kind string) string {
	if kind == "" {
		return "a file system without a name here"
	}
	return kind
}
