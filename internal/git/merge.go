package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Merged is the outcome of a merge in the object store.
type Merged struct {
	Tree      string   // "" when it conflicts
	Conflicts []string // paths, sorted
	Hunks     string   // the conflicting hunks as text, for evidence
}

// hunksCap is how many bytes of conflicting hunks are shown.
const hunksCap = 8 << 10

// Merge merges two commits or trees with a given base, touching no work tree.
func (r *Repo) Merge(ctx context.Context, base, ours, theirs string) (Merged, error) {
	m, err := r.merge(ctx, base, ours, theirs)
	if err != nil {
		return Merged{}, fmt.Errorf("merging %s and %s: %w", short(ours), short(theirs), err)
	}
	return m, nil
}

// trivial is the tree of a merge in which at most one side changed anything; "" else.
func (r *Repo) trivial(ctx context.Context, base, ours, theirs string) (string, error) {
	var trees [3]string
	for i, rev := range []string{base, ours, theirs} {
		var err error
		if trees[i], err = r.TreeID(ctx, rev); err != nil {
			return "", err
		}
	}
	switch {
	case trees[0] == trees[1], trees[1] == trees[2]:
		return trees[2], nil
	case trees[0] == trees[2]:
		return trees[1], nil
	}
	return "", nil
}

func (r *Repo) merge(ctx context.Context, base, ours, theirs string) (Merged, error) {
	if tree, err := r.trivial(ctx, base, ours, theirs); err != nil || tree != "" {
		return Merged{Tree: tree}, err
	}
	root, err := r.stand(ctx, base)
	if err != nil {
		return Merged{}, err
	}
	one, err := r.stand(ctx, ours, root)
	if err != nil {
		return Merged{}, err
	}
	two, err := r.stand(ctx, theirs, root)
	if err != nil {
		return Merged{}, err
	}
	out, code, err := r.git(ctx, call{
		args:  []string{"merge-tree", "--write-tree", "--name-only", "--messages", "-z", one, two},
		codes: []int{1},
	})
	if err != nil {
		return Merged{}, err
	}
	tree, conflicts, messages, err := parseMerge(out)
	if err != nil {
		return Merged{}, err
	}
	if code == 0 {
		return Merged{Tree: tree}, nil
	}
	names := strings.NewReplacer(one, "ours", two, "theirs", short(one), "ours", short(two), "theirs")
	hunks, err := r.hunks(ctx, tree, conflicts, names)
	if err != nil {
		return Merged{}, err
	}
	var said []string // first: they are short, and say what no hunk can
	for _, m := range messages {
		said = append(said, names.Replace(m)+"\n")
	}
	text := clip(strings.Join(slices.Concat(said, hunks), "\n"), hunksCap)
	return Merged{Conflicts: conflicts, Hunks: text + unnamed(text, conflicts)}, nil
}

// stand makes a commit that stands for a tree, with the parents that give a merge the
// base it is to have: an option for it came to git later, and takes no trees.
func (r *Repo) stand(ctx context.Context, rev string, parents ...string) (string, error) {
	tree, err := r.TreeID(ctx, rev)
	if err != nil {
		return "", err
	}
	return r.WriteCommit(ctx, Commit{
		Tree: tree, Parents: parents, Author: Person{"torve", "torve@localhost"}, At: time.Unix(0, 0).UTC(), Message: "a side of a merge",
	}, false)
}

// parseMerge reads the tree, the conflicting paths up to an empty field, and messages:
// a count, so many paths, a kind and a text. It gives those of conflicts that no hunk
// shows: a binary file, a path that one side deleted, a folder in the way of a file.
func parseMerge(out []byte) (tree string, conflicts, messages []string, err error) {
	all := fields(out)
	if len(all) == 0 || !isID(all[0]) {
		return "", nil, nil, fmt.Errorf("%w: %.80q", errOdd, out)
	}
	tree, all = all[0], all[1:]
	for len(all) > 0 && all[0] != "" {
		conflicts = append(conflicts, all[0])
		all = all[1:]
	}
	if len(all) > 0 {
		all = all[1:]
	}
	for len(all) > 0 {
		var n int
		if _, err := fmt.Sscanf(all[0], "%d", &n); err != nil || n < 0 || len(all) < n+3 {
			return "", nil, nil, fmt.Errorf("%w: a message %.80q", errOdd, all[0])
		}
		if kind := all[n+1]; strings.HasPrefix(kind, "CONFLICT") {
			conflicts = append(conflicts, all[1:n+1]...)
			if kind != "CONFLICT (contents)" {
				messages = append(messages, conflict(all[n+2]))
			}
		}
		all = all[n+3:]
	}
	slices.Sort(conflicts)
	return tree, slices.Compact(conflicts), messages, nil
}

// unnamed names the conflicting paths that a text, cut as it is, does not name.
func unnamed(text string, conflicts []string) string {
	const most = 20
	rest := slices.DeleteFunc(slices.Clone(conflicts), func(p string) bool { return strings.Contains(text, p) })
	switch n := len(rest); {
	case n == 0:
		return ""
	case n > most:
		return fmt.Sprintf("\nand in: %s and %d more\n", strings.Join(rest[:most], ", "), n-most)
	}
	return "\nand in: " + strings.Join(rest, ", ") + "\n"
}

// conflict is a message of git's about one, without what it left in a tree that nobody sees.
func conflict(said string) string {
	said, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(said), "warning: "), "  Version ")
	return said
}

// hunks are the regions between conflict markers of the conflicting files.
func (r *Repo) hunks(ctx context.Context, tree string, paths []string, names *strings.Replacer) ([]string, error) {
	var out []string
	size := 0
	for _, path := range paths {
		data, err := r.File(ctx, tree, path)
		if errors.Is(err, ErrNotFound) {
			continue // deleted on one side: a message says so
		}
		if err != nil {
			return nil, err
		}
		for _, region := range regions(string(data)) {
			out = append(out, path+":\n"+names.Replace(region))
			if size += len(region); size > hunksCap {
				return out, nil
			}
		}
	}
	return out, nil
}

// regions are the parts of a file from a conflict marker to its end. A marker names one
// of the commits, by its whole id, so that no line of the file is taken for one.
func regions(text string) []string {
	var out []string
	var now []string
	for l := range strings.Lines(text) {
		begins := marker(l, '<')
		if begins {
			now = nil
		}
		if begins || now != nil {
			now = append(now, l)
		}
		if now != nil && marker(l, '>') {
			out = append(out, strings.Join(now, ""))
			now = nil
		}
	}
	return out
}

func marker(l string, sign byte) bool {
	rest := strings.TrimLeft(strings.TrimRight(l, "\r\n"), string(sign)) // their number is an attribute
	rest, ok := strings.CutPrefix(rest, " ")
	id, _, _ := strings.Cut(rest, ":")
	return ok && l[0] == sign && isID(id)
}

// clip cuts a text at a line, and says so.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	at := strings.LastIndexByte(s[:limit], '\n') + 1
	return s[:at] + fmt.Sprintf("... %d more bytes\n", len(s)-at)
}
