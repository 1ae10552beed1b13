package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestAFetchThatMeetsAWorktreeInTheMakingIsTriedAgain(t *testing.T) {
	g, r, base := seeded(t)
	hub := filepath.Join(t.TempDir(), "hub.git")
	g.Git("clone", "-q", "--bare", g.Dir, hub)
	g.Git("remote", "add", "hub", hub)
	g.Git("--git-dir", hub, "branch", "more", base)
	g.Git("worktree", "add", "-q", "--detach", filepath.Join(t.TempDir(), "w"), base)
	head := filepath.Join(r.Common, "worktrees", "w", "HEAD")
	// as git worktree add leaves it for a moment
	ok(t, os.WriteFile(head, []byte(strings.Repeat("0", 40)+"\n"), 0o644))
	patient := r.patience
	r.patience = nil
	if err := r.Fetch(ctx, "hub"); err == nil || !strings.Contains(err.Error(), "bad object worktrees/w/HEAD") {
		t.Skipf("this git fetches past it: %v", err)
	}
	r.patience = patient
	done := make(chan error)
	go func() {
		time.Sleep(60 * time.Millisecond)
		done <- os.WriteFile(head, []byte(base+"\n"), 0o644)
	}()
	ok(t, r.Fetch(ctx, "hub"))
	ok(t, <-done)
	same(t, "more", g.Git("rev-parse", "hub/more"), base)
}

func TestWhatNamesAWorktreeHalfMadeIsTriedAgain(t *testing.T) {
	for words, want := range map[string]bool{
		"fatal: bad object worktrees/w/HEAD": true,
		"fatal: failed to read .git/worktrees/T-0001-1/commondir: Success\nerror: ../hub.git did not send all necessary objects": true,
		"error: cannot lock ref 'refs/remotes/hub/main': is at a but expected b":                                                 true,
		"fatal: 'hub' does not appear to be a git repository":                                                                    false,
	} {
		if got := (&Fault{Words: words}).midway(); got != want {
			t.Errorf("%q: %v", words, got)
		}
	}
}

func TestWhatMeetsAnothersWorkHalfDoneIsDoneAgainAndNothingElse(t *testing.T) {
	_, r, _ := seeded(t)
	r.patience = []time.Duration{time.Millisecond, time.Millisecond}
	for words, want := range map[string]int{
		"fatal: failed to read .git/worktrees/w/commondir: Success": 3,
		"fatal: not a git repository":                               1,
	} {
		tries := 0
		err := r.whole(ctx, func() error { tries++; return &Fault{Words: words} })
		if err == nil || tries != want {
			t.Errorf("%s: %d tries, %v", words, tries, err)
		}
	}
}

func TestAFetchThatFailsKeepsGitsWords(t *testing.T) {
	g, r, _ := seeded(t)
	g.Git("remote", "add", "hub", filepath.Join(t.TempDir(), "nowhere.git"))
	refuses(t, r.Fetch(ctx, "hub"), "nowhere.git")
}
