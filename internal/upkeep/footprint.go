package upkeep

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"torve/internal/board"
	"torve/internal/git"
	"torve/internal/truth"
)

// Print is one thing that torve wrote and no commit holds.
type Print struct {
	What string // in a word
	At   string // a path, or refs
	Size git.Bytes
	Note string
	Undo []string // commands that remove it, in this order
}

// Footprint lists every path and ref that torve wrote for this repository, but for what is
// committed. Their commands, given in the order of the list, remove all of it: worktrees go before their
// folder and their refs, the record last.
func (h Home) Footprint(ctx context.Context, rd *truth.Reading) ([]Print, error) {
	places, err := h.registered(ctx, h.roots(rd))
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(places, func(dir string, _ git.Place) bool { return !made(rd, dir) }) // a person's, by its side
	prints, err := h.worktreePrints(places, rd)
	if err != nil {
		return nil, err
	}
	refs, err := h.refPrints(ctx)
	if err != nil {
		return nil, err
	}
	prints = append(prints, refs...)
	prints = append(prints, h.cachePrints()...)
	files, err := h.filePrints(ctx, places)
	if err != nil {
		return nil, err
	}
	prints = append(append(prints, files...), h.tempPrints()...)
	return append(prints, h.gitDirPrints()...), nil
}

// git is git in this repository, as a command begins.
func (h Home) git() string {
	at := h.Repo.Main
	if at == "" {
		at = h.Repo.Common
	}
	return "git -C " + shell(at)
}

// worktreePrints are the registered worktrees, then what stands beside them.
func (h Home) worktreePrints(places map[string]git.Place, rd *truth.Reading) ([]Print, error) {
	rooms, err := h.Hands.Rooms()
	if err != nil {
		return nil, err
	}
	var out []Print
	for _, dir := range sortedKeys(places) {
		note := "registered in " + h.fromHere(filepath.Join(h.Repo.Common, "worktrees"))
		out = append(out, Print{
			What: "worktree", At: dir, Size: git.Size(dir), Note: note,
			Undo: []string{h.git() + " worktree remove --force --force " + shell(dir)},
		})
	}
	for _, root := range h.roots(rd) {
		if !there(root) {
			continue
		}
		if root == filepath.Clean(h.Root) && h.Own {
			out = append(out, Print{
				What: "folder", At: root, Size: git.Size(root) - inside(places, root), Note: "what stands beside the worktrees",
				Undo: []string{"chmod -R u+w " + shell(root) + " && rm -rf " + shell(root), emptied(filepath.Dir(root))},
			})
			continue
		}
		out = append(out, h.besides(root, rooms, rd)...)
	}
	return out, nil
}

// besides are torve's own entries in a folder that is not its own, and where another clone
// may have its worktrees.
func (h Home) besides(root string, rooms []Room, rd *truth.Reading) []Print {
	var size git.Bytes
	var paths []string
	for _, name := range matching(root, "*") {
		bare := strings.TrimSuffix(strings.TrimSuffix(name, ".d"), ".json")
		if !h.known(filepath.Join(root, bare), rooms, rd) {
			continue
		}
		if bare != name && attemptName(bare) || name == bare && attemptName(name) && there(filepath.Join(root, name+".json")) {
			paths = append(paths, shell(filepath.Join(root, name)))
			size += git.Size(filepath.Join(root, name))
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return []Print{{
		What: "folder", At: root, Size: size, Note: "what stands beside the worktrees; the folder is yours",
		Undo: []string{"rm -rf " + strings.Join(paths, " ")},
	}}
}

// known reports whether a worktree is one of this clone: in the folder of now its rooms are,
// in one from before those that the record says were made here.
func (h Home) known(dir string, rooms []Room, rd *truth.Reading) bool {
	if filepath.Dir(dir) == filepath.Clean(h.Root) {
		return slices.ContainsFunc(rooms, func(r Room) bool { return r.Dir == dir })
	}
	if !h.Shared || rd == nil || rd.Board == nil {
		return !h.Shared
	}
	for _, t := range rd.Board.Tasks {
		if slices.ContainsFunc(t.Attempts, func(a board.Attempt) bool { return a.Started.Worktree == dir && h.ours(&a) }) {
			return true
		}
	}
	return false
}

func inside(places map[string]git.Place, root string) git.Bytes {
	var sum git.Bytes
	for dir := range places {
		if filepath.Dir(dir) == realFolder(root) {
			sum += git.Size(dir)
		}
	}
	return sum
}

// emptied removes a folder that others of torve's repositories may share, if it is empty.
func emptied(dir string) string { return "rmdir " + shell(dir) + " 2>/dev/null || true" }

// refPrints are the refs, and the branches that torve itself made.
func (h Home) refPrints(ctx context.Context) ([]Print, error) {
	var out []Print
	refs, err := h.Repo.Refs(ctx, "refs/torve")
	if err != nil {
		return nil, err
	}
	if len(refs) > 0 {
		d, err := h.Uses(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, Print{
			What: "refs", At: fmt.Sprintf("%d under refs/torve/", len(refs)), Size: d.Objects, Note: "the kept trees; git drops their objects in its own time",
			Undo: []string{fmt.Sprintf("%[1]s for-each-ref --format='delete %%(refname)' refs/torve | %[1]s update-ref --stdin", h.git())},
		})
		for _, folder := range []string{"refs/torve", "logs/refs/torve"} { // git leaves the empty folder
			if dir := filepath.Join(h.Repo.Common, folder); there(dir) {
				out[0].Undo = append(out[0].Undo, "find "+shell(dir)+" -type d -empty -delete")
			}
		}
	}
	branches, err := h.branchPrints(ctx, refs)
	return append(out, branches...), err
}

// branchPrints are the branches that torve made. One that a person went on from is theirs.
func (h Home) branchPrints(ctx context.Context, kept map[string]string) ([]Print, error) {
	var out []Print
	held := slices.Collect(maps.Values(kept))
	for _, made := range []struct {
		prefix, note string
		own          bool // its one commit is torve's own, and no attempt's work
	}{
		{"refs/heads/recovered/", "made by torve recover adopt", false},
		{"refs/heads/torve/widen-", "an edit of a contract that could not be pushed", true},
	} {
		branches, err := h.Repo.Refs(ctx, path.Dir(made.prefix))
		if err != nil {
			return nil, err
		}
		for _, ref := range sortedKeys(branches) {
			name := strings.TrimPrefix(ref, "refs/heads/")
			if !strings.HasPrefix(ref, made.prefix) {
				continue
			}
			p := Print{What: "branch", At: name, Note: made.note, Undo: []string{h.git() + " branch -D " + shell(name)}}
			ahead, err := h.Repo.Run(ctx, "rev-list", "--count", ref, "--not", h.Ref)
			if whole := err == nil && (ahead == "0" || made.own && ahead == "1"); !whole && !slices.Contains(held, branches[ref]) {
				p.Note, p.Undo = made.note+"; what it holds is on no other ref, and it stays", nil
			}
			out = append(out, p)
		}
	}
	return out, nil
}

func (h Home) cachePrints() []Print {
	var out []Print
	for _, dir := range append([]string{h.Caches}, beside(h.Caches, ".going-*")...) {
		if there(dir) {
			out = append(out, Print{
				What: "caches", At: dir, Size: git.Size(dir), Note: "of build tools",
				Undo: []string{"chmod -R u+w " + shell(dir) + " && rm -rf " + shell(dir), emptied(filepath.Dir(dir))},
			})
		}
	}
	return out
}

// beside are the paths that begin as one does.
func beside(file, ending string) []string {
	var out []string
	for _, name := range matching(filepath.Dir(file), filepath.Base(file)+ending) {
		out = append(out, filepath.Join(filepath.Dir(file), name))
	}
	return out
}

// filePrints are the files in people's work trees that no commit holds.
func (h Home) filePrints(ctx context.Context, ours map[string]git.Place) ([]Print, error) {
	places, err := h.Repo.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	var out []Print
	if h.Repo.Main != "" && there(h.States) {
		out = append(out, Print{What: "states", At: h.States, Size: git.Size(h.States), Note: "of runs on this host", Undo: []string{"rm -rf " + shell(h.States)}})
	}
	for _, p := range places {
		if _, own := ours[p.Dir]; own || p.Bare {
			continue
		}
		for _, name := range own {
			file := filepath.Join(p.Dir, ".torve", strings.TrimSuffix(name, "/"))
			if !there(file) {
				continue
			}
			if tracked, err := h.Repo.Run(ctx, "-C", p.Dir, "ls-files", "--", file); err != nil || tracked != "" {
				continue
			}
			out = append(out, Print{What: "file", At: file, Size: git.Size(file), Note: "ignored by git", Undo: []string{"rm -rf " + shell(file)}})
		}
	}
	return out, nil
}

// longAgo is longer than anything of torve's needs a temporary folder.
const longAgo = 24 * time.Hour

// tempPrints are the temporary folders that a run left when it died, of whichever repository.
func (h Home) tempPrints() []Print {
	var out []Print
	for _, pattern := range []string{"torve-index-*", "torve-record-*", "torve-demo-*"} {
		for _, name := range matching(h.Temp, pattern) {
			dir := filepath.Join(h.Temp, name)
			if info, err := os.Lstat(dir); err == nil && info.IsDir() && h.Now.Sub(info.ModTime()) > longAgo {
				out = append(out, Print{What: "temporary", At: dir, Size: git.Size(dir), Note: "left by a run that died, here or elsewhere", Undo: []string{"rm -rf " + shell(dir)}})
			}
		}
	}
	return out
}

// gitDirPrints are what stands in the common git dir.
func (h Home) gitDirPrints() []Print {
	var out []Print
	for _, pattern := range []string{"info/*.no-file*", "objects/info/*.no-file*", "shallow.no-file*"} {
		for _, name := range matching(h.Repo.Common, pattern) {
			at := filepath.Join(h.Repo.Common, name)
			out = append(out, Print{What: "aside", At: at, Note: "what an agent put where git reads a file", Undo: []string{"rm -rf " + shell(at)}})
		}
	}
	dir := filepath.Join(h.Repo.Common, "torve")
	if there(dir) {
		p := Print{What: "record", At: dir, Size: git.Size(dir), Note: "the record, its locks, and nothing else", Undo: []string{"rm -rf " + shell(dir)}}
		if !there(filepath.Join(dir, "record.db")) {
			p.What, p.Note = "locks", "of runs on this machine, and nothing else"
		}
		out = append(out, p)
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// Committed are the folders of torve's at the target's head: they are the repository's
// own, and stay.
func (h Home) Committed(ctx context.Context) []string {
	entries, err := h.Repo.Tree(ctx, h.Ref, ".torve/")
	if err != nil {
		return nil // without a target nothing is committed on it
	}
	var out []string
	for _, e := range entries {
		parts := strings.SplitN(e.Path, "/", 3)
		name := strings.Join(parts[:2], "/")
		if len(parts) == 3 {
			name += "/"
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
