package process_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"torve/internal/process"
)

func TestALockIsHeldByOneAndItsFoldersAreMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "lock")
	release, held, err := process.TryLock(path)
	if err != nil || !held {
		t.Fatal(held, err)
	}
	if _, held, err := process.TryLock(path); held || err != nil {
		t.Error("held twice", err)
	}
	release()
	release()
	again, held, err := process.TryLock(path)
	if err != nil || !held {
		t.Fatal("not free after release", err)
	}
	again()
}

func TestWaitingForALockEndsWithTheContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	release, err := process.Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := process.Lock(ctx, path); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
}

func TestOneAfterAnotherHoldsTheLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside, most atomic.Int64
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			release, err := process.Lock(t.Context(), path)
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			most.Store(max(most.Load(), inside.Add(1)))
			inside.Add(-1)
		})
	}
	group.Wait()
	if most.Load() != 1 {
		t.Errorf("%d were inside at once", most.Load())
	}
}

func TestALockDiesWithItsHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	said := writer(func(p []byte) (int, error) {
		if string(p) != "held true <nil>\n" {
			t.Errorf("it said %q", p)
		}
		if _, held, err := process.TryLock(path); held || err != nil {
			t.Error("not held by the other process", err)
		}
		cancel()
		return len(p), nil
	})
	process.Run(ctx, process.Cmd{Argv: fake("lock", path), Env: os.Environ(), Stdout: said})
	release, held, err := process.TryLock(path)
	if err != nil || !held {
		t.Fatal("the dead still hold it", err)
	}
	release()
}

func TestALockThatWasSweptAwayHoldsNobodyOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	old, _, err := process.TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer old()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	release, held, err := process.TryLock(path)
	if err != nil || !held {
		t.Fatal(held, err)
	}
	release()
}

func TestALockThatCannotBeMadeIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, held, err := process.TryLock(filepath.Join(file, "lock")); held || err == nil {
		t.Error(held, err)
	}
}

func TestWhetherALockIsHeldIsAskedWithoutTakingIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	if process.Held(path) {
		t.Error("a lock that is not there is held")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("asking made a file")
	}
	release, _, err := process.TryLock(path)
	if err != nil || !process.Held(path) {
		t.Errorf("it is not held: %v", err)
	}
	release()
	if process.Held(path) {
		t.Error("it is held after its release")
	}
}
