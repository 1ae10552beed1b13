package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Upstream is the branch that a local branch at a commit follows, and how many commits
// of its own the other has not; "" when it follows none that is here, stands elsewhere by
// now, or is not there at all.
func (r *Repo) Upstream(ctx context.Context, branch, commit string) (name string, ahead int, err error) {
	ref := "refs/heads/" + branch
	out, err := r.text(ctx, "for-each-ref", "--format=%(refname)%00%(objectname)%00%(upstream:short)%00%(upstream:track,nobracket)", ref)
	if err != nil {
		return "", 0, fmt.Errorf("asking what %s follows: %w", branch, err)
	}
	for l := range strings.Lines(out) { // a pattern covers what is below it
		f := strings.Split(line(l), "\x00")
		if len(f) != 4 {
			return "", 0, fmt.Errorf("asking what %s follows: %w: %q", branch, errOdd, l)
		}
		if f[0] != ref || f[1] != commit || f[2] == "" || f[3] == "gone" {
			continue
		}
		own, _, _ := strings.Cut(f[3], ",")
		if n, is := strings.CutPrefix(own, "ahead "); is {
			if ahead, err = strconv.Atoi(n); err != nil {
				return "", 0, fmt.Errorf("asking what %s follows: %w: %q", branch, errOdd, l)
			}
		}
		return f[2], ahead, nil
	}
	return "", 0, nil
}
