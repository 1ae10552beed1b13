package git

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Commit is a commit to write, or one that was read.
type Commit struct {
	ID        string
	Tree      string
	Parents   []string
	Author    Person
	Committer Person    // when writing: the author, if it is empty
	At        time.Time // author date as read; both dates when written
	Message   string
}

// Title is the message's first line.
func (c Commit) Title() string {
	title, _, _ := strings.Cut(strings.TrimLeft(c.Message, "\n"), "\n")
	return title
}

// WriteCommit stores a commit and gives its id. No hook runs; it is signed as the
// person's configuration says when sign is set.
func (r *Repo) WriteCommit(ctx context.Context, c Commit, sign bool) (string, error) {
	if c.Message != "" && !strings.HasSuffix(c.Message, "\n") {
		c.Message += "\n"
	}
	data, err := encodeCommit(c)
	if err != nil {
		return "", err
	}
	if sign {
		return r.signCommit(ctx, c)
	}
	id, err := r.write(ctx, "commit", data)
	if err != nil {
		return "", fmt.Errorf("writing a commit: %w", err)
	}
	return id, nil
}

// signCommit has git write the commit: it knows the person's keys and kinds of signature.
func (r *Repo) signCommit(ctx context.Context, c Commit) (string, error) {
	args := []string{"commit-tree", "-S", "-F", "-"}
	for _, p := range c.Parents {
		args = append(args, "-p", p)
	}
	author, committer := c.people()
	when := fmt.Sprintf("@%d %s", c.At.Unix(), c.At.Format("-0700"))
	out, _, err := r.git(ctx, call{
		args: append(args, c.Tree),
		env: []string{
			"GIT_AUTHOR_NAME=" + author.Name, "GIT_AUTHOR_EMAIL=" + author.Email, "GIT_AUTHOR_DATE=" + when,
			"GIT_COMMITTER_NAME=" + committer.Name, "GIT_COMMITTER_EMAIL=" + committer.Email, "GIT_COMMITTER_DATE=" + when,
		},
		stdin: strings.NewReader(c.Message),
	})
	if err != nil {
		return "", fmt.Errorf("writing a signed commit: %w", err)
	}
	return line(string(out)), nil
}

// ReadCommit reads one.
func (r *Repo) ReadCommit(ctx context.Context, rev string) (Commit, error) {
	id, err := r.Resolve(ctx, rev)
	if err != nil {
		return Commit{}, err
	}
	kind, data, err := r.object(ctx, id)
	if err != nil {
		return Commit{}, err
	}
	if kind != "commit" {
		return Commit{}, fmt.Errorf("reading commit %s: it is a %s: %w", rev, kind, ErrNotFound)
	}
	return decodeCommit(id, data)
}

// Trailers of a commit message, last block only: key → value, the last of a key winning.
// A block with a line that is no trailer is prose and holds none, but for the line that
// cherry-pick -x adds.
func (c Commit) Trailers() map[string]string {
	message := strings.TrimSpace(strings.ReplaceAll(c.Message, "\r\n", "\n"))
	at := strings.LastIndex(message, "\n\n")
	if at < 0 {
		return nil // the title alone
	}
	found := map[string]string{}
	key := ""
	for l := range strings.SplitSeq(message[at+2:], "\n") {
		name, value, ok := strings.Cut(l, ":")
		switch {
		case strings.HasPrefix(l, "(cherry picked from commit "):
			key = ""
		case key != "" && (strings.HasPrefix(l, " ") || strings.HasPrefix(l, "\t")):
			found[key] += " " + strings.TrimSpace(l)
		case ok && token(name):
			key = name
			found[key] = strings.TrimSpace(value)
		default:
			return nil
		}
	}
	return found
}

// token reports whether a text may be a trailer's key.
func token(s string) bool {
	for _, r := range s {
		if r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return s != ""
}
