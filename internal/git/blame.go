package git

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Blamed is one line's origin.
type Blamed struct {
	Commit   string
	Text     string
	At       time.Time
	Author   Person
	Title    string
	Boundary bool // the history is cut short there: an older commit may have written it
}

// Blame says which commit last wrote a line (from 1) of a file at rev, and the line's
// text. It follows the file when it is renamed, and no line that moved inside it.
// ErrNotFound when there is no such file or line.
func (r *Repo) Blame(ctx context.Context, rev, path string, n int) (Blamed, error) {
	if n < 1 {
		return Blamed{}, fmt.Errorf("%s:%d: lines are counted from 1: %w", path, n, ErrNotFound)
	}
	if _, err := r.File(ctx, rev, path); err != nil {
		return Blamed{}, err
	}
	out, _, err := r.git(ctx, call{args: []string{"blame", "--porcelain", "--root", fmt.Sprintf("-L%d,%d", n, n), rev, "--", path}})
	var fault *Fault
	if errors.As(err, &fault) && fault.says("has only") {
		return Blamed{}, fmt.Errorf("%s:%d: %s: %w", path, n, fault.Words, ErrNotFound)
	}
	if err != nil {
		return Blamed{}, fmt.Errorf("blaming %s:%d: %w", path, n, err)
	}
	b, err := parseBlame(string(out))
	if err != nil {
		return Blamed{}, fmt.Errorf("blaming %s:%d: %w", path, n, err)
	}
	return b, nil
}

// parseBlame reads one line's header, up to the tab that stands before its text.
func parseBlame(out string) (Blamed, error) {
	var b Blamed
	for l := range strings.Lines(out) {
		l = line(l)
		if text, ok := strings.CutPrefix(l, "\t"); ok {
			b.Text = text
			if b.Commit == "" {
				break
			}
			return b, nil
		}
		key, value, _ := strings.Cut(l, " ")
		switch key {
		case "author":
			b.Author.Name = value
		case "author-mail":
			b.Author.Email = strings.Trim(value, "<>")
		case "author-time":
			if seconds, err := strconv.ParseInt(value, 10, 64); err == nil {
				b.At = time.Unix(seconds, 0).UTC()
			}
		case "summary":
			b.Title = value
		case "boundary":
			b.Boundary = true
		default:
			if b.Commit == "" && isID(key) {
				b.Commit = key
			}
		}
	}
	return Blamed{}, fmt.Errorf("%w: %.80q", errOdd, out)
}
