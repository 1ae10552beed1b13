package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
// text. It follows the file when it is renamed, and no line that moved inside it; commits
// that the person's blame.ignoreRevsFile names are passed over, as their own blame does.
// ErrNotFound when there is no such file or line.
func (r *Repo) Blame(ctx context.Context, rev, path string, n int) (Blamed, error) {
	if n < 1 {
		return Blamed{}, fmt.Errorf("%s:%d: lines are counted from 1: %w", path, n, ErrNotFound)
	}
	if _, err := r.File(ctx, rev, path); err != nil {
		return Blamed{}, err
	}
	b, err := r.blame(ctx, path, n, rev)
	if errors.Is(err, errNoList) {
		return r.traced(ctx, rev, path, n)
	}
	return b, err
}

// BlameHere is Blame of the file as it stands in the work tree; Commit is "" for a line
// that is not committed. ErrNotFound when no commit has the file, or it has no such line.
func (r *Repo) BlameHere(ctx context.Context, path string, n int) (Blamed, error) {
	if r.Worktree == "" || n < 1 {
		return Blamed{}, fmt.Errorf("%s:%d in the work tree: %w", path, n, ErrNotFound)
	}
	b, err := r.blame(ctx, path, n)
	if errors.Is(err, errNoList) {
		if same, asked := r.yes(ctx, "diff", "--quiet", "HEAD", "--", ":(literal)"+path); asked == nil && same {
			return r.traced(ctx, "HEAD", path, n)
		}
	}
	if strings.Trim(b.Commit, "0") == "" {
		b.Commit = ""
	}
	return b, err
}

// errNoList says that the person's blame.ignoreRevsFile is not in this repository.
var errNoList = errors.New("the file of ignored commits is not here")

// blame asks git about one line, at a revision or in the work tree.
func (r *Repo) blame(ctx context.Context, path string, n int, rev ...string) (Blamed, error) {
	args := append([]string{"blame", "--porcelain", "--root", fmt.Sprintf("-L%d,%d", n, n)}, rev...)
	out, _, err := r.git(ctx, call{args: append(args, "--", path)})
	var fault *Fault
	switch {
	case errors.As(err, &fault) && fault.says("has only", "no such path"):
		return Blamed{}, fmt.Errorf("%s:%d: %s: %w", path, n, fault.Words, ErrNotFound)
	case errors.As(err, &fault) && fault.says("could not open object name list"):
		return Blamed{}, fmt.Errorf("blaming %s:%d: %w: %w", path, n, errNoList, err)
	case err != nil:
		return Blamed{}, fmt.Errorf("blaming %s:%d: %w", path, n, err)
	}
	b, err := parseBlame(string(out))
	if err != nil {
		return Blamed{}, fmt.Errorf("blaming %s:%d: %w", path, n, err)
	}
	b.Boundary, err = r.cut(b.Commit)
	return b, err
}

// cut reports whether the history is cut short at a commit: git takes it for a root then.
func (r *Repo) cut(commit string) (bool, error) {
	if !r.Shallow {
		return false, nil
	}
	data, err := os.ReadFile(filepath.Join(r.Common, "shallow"))
	if err != nil {
		return false, fmt.Errorf("reading where the history is cut: %w", err)
	}
	return slices.Contains(strings.Fields(string(data)), commit), nil
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
		default:
			if b.Commit == "" && isID(key) {
				b.Commit = key
			}
		}
	}
	return Blamed{}, fmt.Errorf("%w: %.80q", errOdd, out)
}

// traced is Blame by the log of the line. People name an ignoreRevsFile for all of their
// repositories, and blame stops in those that have none; no option takes it back.
func (r *Repo) traced(ctx context.Context, rev, path string, n int) (Blamed, error) {
	id, err := r.text(ctx, "log", "--max-count=1", "--no-patch", "--format=%H", fmt.Sprintf("-L%d,%d:%s", n, n, path), rev)
	if err != nil {
		return Blamed{}, fmt.Errorf("tracing %s:%d: %w", path, n, err)
	}
	c, err := r.ReadCommit(ctx, id)
	if err != nil {
		return Blamed{}, fmt.Errorf("tracing %s:%d: %w", path, n, err)
	}
	data, err := r.File(ctx, rev, path)
	if err != nil {
		return Blamed{}, err
	}
	text := strings.Split(string(data), "\n")[n-1]
	b := Blamed{Commit: c.ID, Text: text, At: c.At, Author: c.Author, Title: c.Title()}
	b.Boundary, err = r.cut(c.ID)
	return b, err
}
