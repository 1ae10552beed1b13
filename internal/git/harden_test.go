package git

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"torve/internal/git/gittest"
)

func TestACommitIsMadeDurableWithAllThatItLeadsTo(t *testing.T) {
	user := gittest.New(t)
	user.Write("a", "a\n")
	base := user.Commit("A")
	user.Write("b/c", "c\n")
	commit := user.Commit("B")
	r := opened(t, user.Dir)
	for from, want := range map[string]int{base: 4, "": 7} { // commits, trees and blobs
		h, err := r.Harden(t.Context(), commit, from)
		if err != nil || len(h.files) != want {
			t.Errorf("beyond %q: %d objects, %v; %d are wanted", from, len(h.files), err, want)
		}
		if stands, err := r.Stands(t.Context(), h); err != nil || !stands {
			t.Errorf("beyond %q: it stands %v, %v", from, stands, err)
		}
	}
}

func TestWhatWasPackedMeanwhileStands(t *testing.T) {
	user := gittest.New(t)
	user.Write("a", "a\n")
	commit := user.Commit("A")
	r := opened(t, user.Dir)
	h, err := r.Harden(t.Context(), commit, "")
	if err != nil {
		t.Fatal(err)
	}
	user.Git("gc", "--quiet", "--prune=now")
	if stands, err := r.Stands(t.Context(), h); err != nil || !stands {
		t.Errorf("it stands %v, %v", stands, err)
	}
}

func TestWhatWasPrunedIsMissed(t *testing.T) {
	user := gittest.New(t)
	user.Write("a", "a\n")
	base := user.Commit("A")
	user.Write("b", "b\n")
	commit := user.Commit("B")
	r := opened(t, user.Dir)
	h, err := r.Harden(t.Context(), commit, base)
	if err != nil {
		t.Fatal(err)
	}
	blob := user.Git("rev-parse", commit+":b")
	if err := os.Remove(filepath.Join(user.Dir, ".git/objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	if stands, err := r.Stands(t.Context(), h); err != nil || stands {
		t.Errorf("it stands %v, %v", stands, err)
	}
	if _, err := r.Harden(t.Context(), commit, base); !errors.Is(err, ErrNotFound) {
		t.Errorf("a commit of which a part is missing: %v", err)
	}
}
