package view

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"torve/internal/board"
	"torve/internal/git"
	"torve/internal/truth"
)

// place gives a path as the repository's trees have it.
func (o Options) place(typed string) string {
	if o.Path != nil {
		typed = o.Path(typed)
	}
	return strings.TrimPrefix(path.Clean(typed), "./")
}

// typed is a path of the repository as git takes it from the folder of the command.
func (o Options) typed(path string) string {
	if o.Path == nil || o.Path(path) == path {
		return board.Quoted(path)
	}
	return board.Quoted(":/" + path)
}

// argument is a path behind a command.
func (o Options) argument(path string) string {
	if path == "" || path == "." {
		return ""
	}
	return " -- " + o.typed(path)
}

// whyLine answers for a line as it stands in the work tree, where there is one: that is
// the line that a person sees. Elsewhere, and of a file that is not there, it is the
// target's.
func whyLine(ctx context.Context, r *truth.Reading, o Options, subject string) (*WhyAnswer, error) {
	m := lineOf.FindStringSubmatch(subject)
	if m == nil || r.Head == "" {
		return nil, nil
	}
	n, err := strconv.Atoi(m[2])
	file := o.place(m[1])
	if err != nil {
		return nil, nil
	}
	data, here, err := textOf(ctx, r, o, file)
	if errors.Is(err, git.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	if lines := countLines(data); n < 1 || n > lines {
		where := "on " + r.Target
		if here {
			where = "here"
		}
		return nil, &Unknown{Subject: subject, Why: fmt.Sprintf("%s has %s %s", file, Count(lines, "line"), where), Hint: "torve why " + board.Quoted(m[1])}
	}
	b, err := blamed(ctx, r, o, file, n, here)
	if err != nil {
		return nil, fmt.Errorf("asking git who wrote %s: %w", subject, err)
	}
	if b.Commit == "" {
		b.Text = strings.TrimRight(strings.Split(string(data), "\n")[n-1], "\r")
	}
	a := newWhy(r, o, subject, ofLine)
	a.Line = &Line{Path: file, N: n, Text: b.Text, Commit: b.Commit, At: b.At, Author: b.Author.Name, Title: b.Title, Uncommitted: b.Commit == ""}
	a.Chain = append(a.Chain, Link{ofLine, subject, strings.TrimSpace(b.Text)})
	return a, a.behind(ctx, r, o)
}

// textOf reads a file of the work tree, else of the target's head.
func textOf(ctx context.Context, r *truth.Reading, o Options, file string) (data []byte, here bool, err error) {
	if o.Repo.Worktree != "" {
		full := filepath.Join(o.Repo.Worktree, filepath.FromSlash(file))
		if st, err := os.Lstat(full); err == nil && st.Mode().IsRegular() {
			data, err := os.ReadFile(full)
			return data, true, err
		}
	}
	data, err = o.Repo.File(ctx, r.Head, file)
	return data, false, err
}

// blamed asks git who wrote a line; a file that no commit has was written by nobody yet.
func blamed(ctx context.Context, r *truth.Reading, o Options, file string, n int, here bool) (git.Blamed, error) {
	if !here {
		return o.Repo.Blame(ctx, r.Head, file, n)
	}
	b, err := o.Repo.BlameHere(ctx, file, n)
	if errors.Is(err, git.ErrNotFound) {
		return git.Blamed{}, nil
	}
	return b, err
}

func countLines(data []byte) int {
	n := strings.Count(string(data), "\n")
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}

// whyPath answers for a file or folder by its last change.
func whyPath(ctx context.Context, r *truth.Reading, o Options, subject string) (*WhyAnswer, error) {
	if r.Head == "" || subject == "" {
		return nil, nil
	}
	file := o.place(subject)
	rev, err := o.holder(ctx, r, file)
	if err != nil {
		return nil, fmt.Errorf("looking for %s: %w", file, err)
	}
	a := newWhy(r, o, subject, ofPath)
	a.Chain = append(a.Chain, Link{ofPath, file, ""})
	if rev == "" {
		if !o.standsHere(file) {
			return nil, nil
		}
		a.Line = &Line{Path: file, Uncommitted: true}
		return a, a.behind(ctx, r, o)
	}
	c, err := o.Repo.LastTouching(ctx, rev, file)
	if err != nil {
		return nil, fmt.Errorf("asking git what last changed %s: %w", file, err)
	}
	a.Line = &Line{Path: file, Commit: c.ID, At: c.At, Author: c.Author.Name, Title: c.Title()}
	if err := a.behind(ctx, r, o); err != nil {
		return nil, err
	}
	a.Tasks, err = touching(ctx, r, o, rev, file)
	return a, err
}

// holder is the revision that has a path: the work tree's, else the target's; "" when
// neither has it.
func (o Options) holder(ctx context.Context, r *truth.Reading, file string) (string, error) {
	revs := []string{r.Head}
	if o.Repo.Worktree != "" {
		revs = []string{"HEAD", r.Head}
	}
	for _, rev := range revs {
		at := rev + ":" + file
		if file == "." {
			at = rev
		}
		_, err := o.Repo.Resolve(ctx, at)
		if err == nil || !errors.Is(err, git.ErrNotFound) {
			return rev, err
		}
	}
	return "", nil
}

func (o Options) standsHere(file string) bool {
	if o.Repo.Worktree == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(o.Repo.Worktree, filepath.FromSlash(file)))
	return err == nil
}
