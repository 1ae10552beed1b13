package git

import (
	"context"
	"fmt"
)

// Strings hands the runs of printable text in a blob to take, one by one: what can be read
// in a file that is binary. A run shorter than least bytes is none; a long one comes in
// pieces that overlap. No more of the blob than a piece is held in memory.
func (r *Repo) Strings(ctx context.Context, id string, least int, take func(run string)) error {
	s := sieve{least: least, take: take}
	if _, _, err := r.git(ctx, call{args: []string{"cat-file", "blob", id}, out: &s}); err != nil {
		return fmt.Errorf("reading what is text in the blob %s: %w", short(id), err)
	}
	s.end()
	return nil
}

// most and overlap bound the pieces of a long run.
const (
	mostRun    = 4096
	overlapRun = 256
)

// sieve keeps the run that is being read.
type sieve struct {
	run   []byte
	least int
	take  func(string)
}

// Write never fails.
func (s *sieve) Write(p []byte) (int, error) {
	for _, b := range p {
		if b != '\t' && (b < ' ' || b > '~') {
			s.end()
			continue
		}
		if s.run = append(s.run, b); len(s.run) == mostRun {
			s.take(string(s.run))
			s.run = append(s.run[:0], s.run[mostRun-overlapRun:]...)
		}
	}
	return len(p), nil
}

func (s *sieve) end() {
	if len(s.run) >= s.least {
		s.take(string(s.run))
	}
	s.run = s.run[:0]
}
