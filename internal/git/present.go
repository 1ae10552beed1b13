package git

import (
	"context"
	"fmt"
	"strings"
)

// Present tells which of the objects are in this repository: id → kind. One program
// answers for all of them, and reads none.
func (r *Repo) Present(ctx context.Context, ids []string) (map[string]string, error) {
	there := map[string]string{}
	var ask strings.Builder
	for _, id := range ids {
		if isID(id) {
			ask.WriteString(id + "\n")
		}
	}
	if ask.Len() == 0 {
		return there, nil
	}
	out, _, err := r.git(ctx, call{
		args:  []string{"cat-file", "--batch-check", "--buffer"},
		stdin: strings.NewReader(ask.String()),
	})
	if err != nil {
		return nil, fmt.Errorf("asking which of %d objects are here: %w", len(ids), err)
	}
	for l := range strings.Lines(string(out)) {
		f := strings.Fields(l)
		if len(f) == 3 && isID(f[0]) {
			there[f[0]] = f[1]
		}
	}
	return there, nil
}
