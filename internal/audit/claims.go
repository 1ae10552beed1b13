package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"torve/internal/git"
	"torve/internal/record"
)

// askClaims asks whether the holder of each open claim lives. A dead one is taken over by
// the next dispatch, which ends what it left running and keeps its tree first.
func (i *inquiry) askClaims(context.Context) (int, error) {
	of := 0
	for _, t := range i.tasks() {
		c := t.Claim
		if c == nil {
			continue
		}
		of++
		switch lives, known, err := i.holder(c.ID, c.Host, i.Alive != nil && i.Alive(c.Claimed)); {
		case err != nil:
			return of, err
		case !known:
			i.note("%s is held on %s, and whether its holder lives is asked there", t.ID, c.Host)
		case !lives:
			i.differ("dead", t.ID, "it is claimed since %s by process %d of %s, which is gone", c.At.UTC().Format("2006-01-02 15:04Z"), c.PID, c.Host).
				by("torve dispatch")
		default:
			i.working = true
		}
	}
	return of, nil
}

// holder asks whether a claim's holder lives: its lock is held, or the very process runs.
func (i *inquiry) holder(claim, host string, runs bool) (lives, known bool, err error) {
	held, there, err := i.locked(claim)
	switch {
	case err != nil:
		return false, false, err
	case held:
		return true, true, nil
	case !there && (host != i.Host || record.Shared(i.Log)): // another host, or another clone on one of this name
		return false, false, nil
	}
	return host == i.Host && runs, true, nil
}

const lockPrefix, lockEnd = "claim-", ".lock"

func (i *inquiry) lockFolder() string { return filepath.Join(i.Repo.Common, "torve", "lock") }

// locked reports whether somebody holds the lock of a claim, and whether its file is
// there at all. A lock that is not there is not made.
func (i *inquiry) locked(claim string) (held, there bool, err error) {
	if _, err := os.Lstat(filepath.Join(i.lockFolder(), lockPrefix+claim+lockEnd)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return false, false, nil
		}
		return false, false, err
	}
	release, got, err := i.Repo.TryLock(lockPrefix + claim)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, git.ErrReadOnly) { // a reader may not lock
			return false, true, nil
		}
		return false, true, err
	}
	if got {
		release()
	}
	return !got, true, nil
}

// askLocks names the files of claims' locks that no open claim has and nobody holds.
func (i *inquiry) askLocks(context.Context) (int, error) {
	entries, err := os.ReadDir(i.lockFolder())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	open := map[string]bool{}
	for _, t := range i.tasks() {
		if t.Claim != nil {
			open[t.Claim.ID] = true
		}
	}
	of := 0
	for _, e := range entries {
		name, isLock := strings.CutSuffix(e.Name(), lockEnd)
		claim, isClaim := strings.CutPrefix(name, lockPrefix)
		if !isLock || !isClaim {
			continue
		}
		of++
		if open[claim] {
			continue
		}
		held, _, err := i.locked(claim)
		if err != nil {
			return of, err
		}
		if !held {
			i.differ("stale", e.Name(), "the lock of a claim that is not open, and nobody holds it").mends(i.sweep(claim))
		}
	}
	return of, nil
}

// sweep removes a lock's file while it is held, so that nobody who takes it meanwhile is
// left with a file that is gone.
func (i *inquiry) sweep(claim string) func(context.Context, Hands) (string, error) {
	return func(context.Context, Hands) (string, error) {
		release, got, err := i.Repo.TryLock(lockPrefix + claim)
		if err != nil || !got {
			return "", err
		}
		defer release()
		file := filepath.Join(i.lockFolder(), lockPrefix+claim+lockEnd)
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		return fmt.Sprintf("swept the lock %s%s%s", lockPrefix, claim, lockEnd), nil
	}
}
