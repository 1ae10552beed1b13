package git

import (
	"bytes"
	"context"
	"slices"
	"strings"
)

// mostPatch is how many bytes of a diff are taken along with its counts.
const mostPatch = 4 << 20

// DiffLines is Diff with what AddedLines gives of the same two, where one program says both;
// nil where it does not: the diff is large, a path is odd, or none was asked.
func (r *Repo) DiffLines(ctx context.Context, a, b string) (deltas []Delta, added map[string][]Line, err error) {
	deltas, err = r.diff(ctx, a, b, func(ctx context.Context, from, to string) ([]Delta, error) {
		out := &bounded{most: mostPatch}
		args := slices.Concat([]string{"diff-tree", "-r", "-z", "--no-abbrev", "--raw", "--numstat", "-p", "-U0", "--no-color",
			"--src-prefix=a/", "--dst-prefix=b/"}, plain, []string{from, to})
		if _, _, err := r.git(ctx, r.bytesAlone(call{args: args, out: out})); err != nil {
			return nil, err
		}
		if out.over {
			return r.counted(ctx, from, to)
		}
		head, patch, _ := bytes.Cut(out.data, []byte("\x00\x00"))
		deltas, err := parseDiff(head)
		if err == nil {
			added = addedBy(deltas, string(patch))
		}
		return deltas, err
	})
	return deltas, added, err
}

// addedBy are the added lines of a patch, but for those that stand for a submodule; nil where
// it cannot be told for sure which path a line is of: git quotes none where fields end in NUL.
func addedBy(deltas []Delta, patch string) map[string][]Line {
	added := map[string][]Line{}
	for _, d := range deltas {
		if strings.ContainsFunc(d.Path, func(c rune) bool { return c < ' ' || c == 0x7f || c == '"' || c == '\\' }) {
			return nil
		}
	}
	if parsePatch(patch, added) != nil {
		return nil
	}
	for _, d := range deltas {
		if d.NewMode == modeModule {
			delete(added, d.Path)
		}
	}
	return added
}

// bounded keeps what is written as long as it is not too much.
type bounded struct {
	data []byte
	most int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.over = b.over || len(b.data)+len(p) > b.most; b.over {
		b.data = nil
		return len(p), nil
	}
	b.data = append(b.data, p...)
	return len(p), nil
}
