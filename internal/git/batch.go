package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// batch speaks the protocol of `git cat-file --batch` with one program that is started
// at the first read and ends at close; it writes by `git hash-object`.
type batch struct {
	repo *Repo
	mu   sync.Mutex
	live *talk
}

func openBatch(r *Repo) *batch { return &batch{repo: r} }

func (b *batch) read(ctx context.Context, id string) (string, []byte, error) {
	if err := ctx.Err(); err != nil {
		return "", nil, context.Cause(ctx)
	}
	if !isID(id) {
		return "", nil, fmt.Errorf("reading %q: no object id: %w", id, ErrNotFound)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live == nil {
		b.live = b.repo.talk("cat-file", "--batch")
	}
	live := b.live
	unwatch := context.AfterFunc(ctx, live.stop) // a partial clone may fetch, and hang
	kind, data, err := live.get(id)
	unwatch()
	if err != nil && !errors.Is(err, ErrNotFound) {
		live.end(true)
		b.live = nil
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
	}
	if err != nil {
		return "", nil, fmt.Errorf("reading object %s: %w", id, err)
	}
	return kind, data, nil
}

// get asks for one object and reads the answer.
func (t *talk) get(id string) (string, []byte, error) {
	if _, err := io.WriteString(t.ask, id+"\n"); err != nil {
		return "", nil, err
	}
	return answer(t.lines, id)
}

// answerHead reads "<id> <kind> <size>" or "<id> missing".
func answerHead(head, id string) (kind string, size int, err error) {
	f := strings.Fields(head)
	switch {
	case len(f) == 2 && f[0] == id && f[1] == "missing":
		return "", 0, ErrNotFound
	case len(f) != 3 || f[0] != id:
		return "", 0, fmt.Errorf("git cat-file answered %q", head)
	}
	if size, err = strconv.Atoi(f[2]); err != nil || size < 0 {
		return "", 0, fmt.Errorf("git cat-file answered %q", head)
	}
	return f[1], size, nil
}

func (b *batch) write(ctx context.Context, kind string, data []byte) (string, error) {
	out, _, err := b.repo.git(ctx, call{
		args:  []string{"hash-object", "-w", "-t", kind, "--stdin"},
		stdin: bytes.NewReader(data),
	})
	if err != nil {
		return "", fmt.Errorf("writing a %s: %w", kind, err)
	}
	return line(string(out)), nil
}

func (b *batch) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live != nil {
		b.live.end(false)
		b.live = nil
	}
	return nil
}

// isID reports whether a text is a full object id of either kind.
func isID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}
