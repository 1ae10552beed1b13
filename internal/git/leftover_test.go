package git

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"torve/internal/git/gittest"
)

func TestARegistrationWhoseFolderIsGoneHindersNoWorktree(t *testing.T) {
	user := gittest.New(t)
	user.Write("a", "a\n")
	commit := user.Commit("A")
	r := opened(t, user.Dir)
	root := t.TempDir()
	dir := filepath.Join(root, "T-0001-1")
	locked := filepath.Join(user.Dir, ".git/worktrees/T-0001-1/locked")
	for _, lock := range []string{"", "initializing"} {
		if err := r.AddWorktree(t.Context(), dir, commit); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if lock != "" {
			if err := os.WriteFile(locked, []byte(lock), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if names, err := r.Registered(root); err != nil || !slices.Equal(names, []string{"T-0001-1"}) {
			t.Errorf("registered are %q, %v", names, err)
		}
		if err := r.AddWorktree(t.Context(), dir, commit); err != nil {
			t.Fatalf("with the lock %q: %v", lock, err)
		}
		if err := r.VerifyWorktree(t.Context(), dir, commit); err != nil {
			t.Error(err)
		}
		if err := r.RemoveWorktree(t.Context(), root, dir); err != nil {
			t.Error(err)
		}
	}
}

func TestAWorktreeThatAPersonLockedIsTheirs(t *testing.T) {
	user := gittest.New(t)
	user.Write("a", "a\n")
	commit := user.Commit("A")
	r := opened(t, user.Dir)
	root := t.TempDir()
	dir := filepath.Join(root, "T-0001-1")
	if err := r.AddWorktree(t.Context(), dir, commit); err != nil {
		t.Fatal(err)
	}
	user.Git("worktree", "lock", "--reason", "mine", dir)
	if err := r.RemoveWorktree(t.Context(), root, dir); err == nil {
		t.Error("it is removed")
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := r.AddWorktree(t.Context(), dir, commit); err == nil {
		t.Error("its registration is taken")
	}
}
