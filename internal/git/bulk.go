package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// many is how many blobs are worth a program of their own: it reads in bulk several
// times faster than go-git, and costs its start.
const many = 256

// EachBlob reads blobs in the order of their ids and hands each to take; it holds one
// at a time. An error of take ends it and comes back as it is.
func (r *Repo) EachBlob(ctx context.Context, ids []string, take func(id string, data []byte) error) error {
	if len(ids) >= many {
		return r.eachObject(ctx, ids, "blob", take)
	}
	for _, id := range ids {
		data, err := r.Blob(ctx, id)
		if err != nil {
			return err
		}
		if err := take(id, data); err != nil {
			return err
		}
	}
	return nil
}

// eachObject asks one program for all of them; it answers as fast as it is read.
func (r *Repo) eachObject(ctx context.Context, ids []string, kind string, take func(id string, data []byte) error) error {
	for _, id := range ids {
		if !isID(id) {
			return fmt.Errorf("reading %q: no object id: %w", id, ErrNotFound)
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	hear, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		_, _, err := r.git(ctx, call{args: []string{"cat-file", "--batch", "--buffer"}, stdin: strings.NewReader(strings.Join(ids, "\n") + "\n"), out: out})
		_ = out.CloseWithError(err) // nil is the end of what it said
		ended <- err
	}()
	err := eachAnswer(bufio.NewReaderSize(hear, 64<<10), ids, kind, take)
	if err != nil {
		stop(errEnough)
	}
	_ = hear.CloseWithError(errEnough)
	if fault := <-ended; fault != nil && !errors.Is(fault, errEnough) {
		return fmt.Errorf("reading %d objects: %w", len(ids), fault)
	}
	return err
}

// errEnough ends a program whose answers are not wanted any more.
var errEnough = errors.New("no more is wanted")

func eachAnswer(from *bufio.Reader, ids []string, kind string, take func(id string, data []byte) error) error {
	for _, id := range ids {
		is, data, err := answer(from, id)
		if err != nil {
			return fmt.Errorf("reading object %s: %w", id, err)
		}
		if is != kind {
			return fmt.Errorf("reading %s %s: it is a %s: %w", kind, id, is, ErrNotFound)
		}
		if err := take(id, data); err != nil {
			return err
		}
	}
	return nil
}

// answer reads what cat-file says of one object.
func answer(from *bufio.Reader, id string) (kind string, data []byte, err error) {
	head, err := from.ReadString('\n')
	if err != nil {
		return "", nil, err
	}
	kind, size, err := answerHead(head, id)
	if err != nil {
		return "", nil, err
	}
	data = make([]byte, size+1)
	if _, err := io.ReadFull(from, data); err != nil {
		return "", nil, err
	}
	return kind, data[:size], nil
}
