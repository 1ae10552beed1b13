package git

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// The refs of a run are made one at a time, each with the same few words of update-ref. One
// such program is kept open for them, so that git alone writes refs and is not started for
// each. It makes what was not there and what no log tells of: it takes all else for what it
// was when it began, the time for a log too.

// creator is that program; it is started at the first ref and ends with the repository.
type creator struct {
	mu   sync.Mutex
	live *talk
	off  []string // the settings that it was started with
}

// creates reports whether updates only make refs of ours that no log is kept of.
func (r *Repo) creates(updates []RefUpdate) bool {
	k := r.knownConfiguration()
	if k == nil || configuredAs(k.listed, "core.logallrefupdates", "always") {
		return false
	}
	return !slices.ContainsFunc(updates, func(u RefUpdate) bool {
		return u.Old != "" || u.New == "" || !strings.HasPrefix(u.Ref, "refs/torve/")
	})
}

// configuredAs reports whether a key has a value somewhere.
func configuredAs(listed []string, key, value string) bool {
	for i := 0; i+1 < len(listed); i += 2 {
		if k, v, _ := strings.Cut(listed[i+1], "\n"); strings.EqualFold(k, key) && strings.EqualFold(v, value) {
			return true
		}
	}
	return false
}

// create makes the refs that words tells update-ref to; false says that it did not, or that
// it is not known: whoever asked asks git in the ordinary way, which says what is in the way.
func (r *Repo) create(ctx context.Context, updates []RefUpdate, words []byte) bool {
	c := &r.lazily.creator
	c.mu.Lock()
	defer c.mu.Unlock()
	off := r.disarmed()
	if c.live != nil && !slices.Equal(c.off, off) {
		c.end(false)
	}
	if c.live == nil {
		c.live, c.off = r.talk(slices.Concat(off, []string{"update-ref", "-m", "torve", "--stdin", "-z"})...), off
	}
	unwatch := context.AfterFunc(ctx, c.live.stop)
	defer unwatch()
	prepared, err := c.live.transaction(words)
	if err == nil {
		return true
	}
	c.end(true)
	if !prepared { // else they were absent, and locked; whether it made them tells what is there
		return false
	}
	return !slices.ContainsFunc(updates, func(u RefUpdate) bool { return r.quickRef(u.Ref) != u.New })
}

// transaction is one: all or nothing. Prepared says that all of it can be done, and is about to be.
func (t *talk) transaction(words []byte) (prepared bool, err error) {
	if _, err := t.ask.Write(slices.Concat([]byte("start\x00"), words, []byte("prepare\x00commit\x00"))); err != nil {
		return false, err
	}
	for _, verb := range []string{"start", "prepare", "commit"} {
		said, err := t.lines.ReadBytes('\n')
		if err != nil {
			return prepared, err
		}
		if !bytes.Equal(said, []byte(verb+": ok\n")) {
			return prepared, fmt.Errorf("git update-ref answered %q", said)
		}
		prepared = verb == "prepare"
	}
	return true, nil
}

func (c *creator) end(now bool) {
	c.live.end(now)
	c.live = nil
}

// close ends the program, if there is one.
func (c *creator) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.live != nil {
		c.end(false)
	}
}
