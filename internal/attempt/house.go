package attempt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/process"
	"torve/internal/record"
)

// Room is the room of one attempt as it stands under the root, for whoever looks after
// the house. Its folder and its inventory stand beside the worktree, under its name with
// an ending.
type Room struct {
	Task   string
	N      int
	Dir    string // the worktree
	Side   string // the folder beside it
	Ledger string // the inventory
	Run    string // the claim that it was cut under; "" where the inventory does not say
	Base   string
	Agent  bool   // an agent was given it, so that what is in it may be somebody's work
	Lost   string // why its inventory does not read; "" when it does
}

// Rooms lists the rooms of all tasks that stand under the root, and those of heads, whole
// or as a crash left them, in the order of their folders.
func (s *Station) Rooms() ([]Room, error) {
	found, err := s.named(func(task string, _ int) bool { return task == headRoom || carrier.ValidTask(task) })
	if err != nil {
		return nil, err
	}
	out := make([]Room, len(found))
	for i, m := range found {
		out[i] = Room{
			Task: m.task, N: m.n, Dir: m.dir, Side: m.side, Ledger: m.ledger(),
			Run: m.Run, Base: m.Base, Agent: !m.bare() && (m.Agent || m.lost != nil),
		}
		if m.lost != nil {
			out[i].Lost = m.lost.Error()
		}
	}
	return out, nil
}

// at finds a room again as it is now.
func (s *Station) at(k Room) (numbered, error) {
	found, err := s.named(func(task string, n int) bool { return task == k.Task && n == k.N })
	i := slices.IndexFunc(found, func(m numbered) bool { return m.dir == k.Dir })
	if err == nil && i < 0 {
		err = fmt.Errorf("the room %s is gone", k.Dir)
	}
	if err != nil {
		return numbered{}, err
	}
	return found[i], nil
}

// Stays says why a room may not be removed; "" when all that is in it is held, or is
// torve's own. Where drop is set, what git ignores in it counts as gone. Nothing in it
// is changed.
func (s *Station) Stays(ctx context.Context, k Room, drop bool) string {
	m, err := s.at(k)
	if err != nil {
		return err.Error()
	}
	m.wild = false // no sweep: that opens files
	if drop && exists(m.dir) {
		loose, err := s.Repo.Ignored(ctx, m.dir)
		if err != nil {
			return err.Error()
		}
		m.Made = append(m.Made, loose...)
	}
	return s.why(ctx, m)
}

// PutAway removes a room whose files are all held, and what torve keeps beside it; why it
// stays else. The teardown lines are run in it first. Free is asked last, when it is noted
// that the room is to go: whoever claims the task from then on cuts one of its own, and
// who did before has it.
func (s *Station) PutAway(ctx context.Context, k Room, free func() bool) (why string) {
	m, err := s.at(k)
	if err != nil {
		return err.Error()
	}
	if why := s.ready(ctx, m); why != "" {
		return why
	}
	if err := m.going(true); err != nil {
		return err.Error()
	}
	if !free() {
		return reason(errClaimed, m.going(false))
	}
	return reason(s.clear(ctx, m.room))
}

// errClaimed is why a room stays that somebody needs again.
var errClaimed = errors.New("its task was claimed meanwhile")

// Strip notes that what git ignores in a room is to go, so that nobody takes it for one
// that is set up; why it stays else.
func (s *Station) Strip(k Room, free func() bool) (why string) {
	m, err := s.at(k)
	if err != nil {
		return err.Error()
	}
	if m.lost == nil && !m.Stripped {
		m.Stripped = true
		if err := m.save(); err != nil {
			return err.Error()
		}
	}
	if !free() {
		return errClaimed.Error()
	}
	return ""
}

func reason(errs ...error) string {
	if err := errors.Join(errs...); err != nil {
		return err.Error()
	}
	return ""
}

// Ignored lists what git ignores in a room: what nobody holds, and what setup, copy and
// acceptance made there.
func (s *Station) Ignored(ctx context.Context, k Room) (loose, made []string, err error) {
	m, err := s.at(k)
	if err != nil || !exists(m.dir) {
		return nil, nil, err
	}
	m.wild = false
	stay, err := s.stays(ctx, m.room)
	if err != nil {
		return nil, nil, err
	}
	all, err := s.Repo.Ignored(ctx, m.dir)
	loose = beyond(all, slices.Concat(stay, m.Made))
	return loose, beyond(all, loose), err
}

// Save keeps the files of a room whose run is dead on the attempt's ref, as the next
// dispatch would where the record still knows of the run, and gives the ref. Whoever
// calls has asked that nothing runs there.
func (s *Station) Save(ctx context.Context, k Room) (string, error) {
	m, err := s.at(k)
	if err != nil {
		return "", err
	}
	if held, err := s.Repo.Refs(ctx, ref(m.task, m.n)); err != nil || len(held) > 0 {
		return ref(m.task, m.n), err
	}
	if m.lost != nil {
		return "", fmt.Errorf("nothing says what %s was cut from: %w", m.dir, m.lost)
	}
	person, err := s.Repo.Identity(ctx)
	if err != nil {
		return "", fmt.Errorf("asking git who commits here: %w", err)
	}
	process.EndMarked(m.Run, s.Settings.Grace)
	if _, err := s.Repo.Unblock(); err != nil {
		return "", err
	}
	if _, err := s.Repo.Reattach(ctx, m.dir, m.Link, m.Base, m.aside()); err != nil {
		return "", err
	}
	tree, err := s.files(ctx, m.room)
	if err != nil {
		return "", err
	}
	title, digest := m.given()
	held, err := s.keep(ctx, m.room, tree, person, about{task: m.task, n: m.n, claim: m.Run}, epitaph{
		task: m.task, title: title, n: m.n, agent: "an agent", contract: digest,
		end: endCrashed, why: crashedWhy, usage: record.Usage{Source: "unknown"},
	})
	return held.ref, err
}

// given is the title and the digest of the contract that a room's agent was given; its
// task's id and nothing where that does not read.
func (m numbered) given() (title, digest string) {
	data, err := readCapped(filepath.Join(m.side, givenName), ledgerCap)
	var w written
	if err != nil || json.Unmarshal(data, &w) != nil {
		return m.task, ""
	}
	c, err := contract.Decode(w.Contract)
	if err != nil {
		return m.task, ""
	}
	return c.Title, w.Digest
}
