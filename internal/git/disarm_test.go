package git

import (
	"os"
	"path/filepath"
	"testing"
)

// What an agent configured runs in no git of ours.
func TestAFilterThatCameMeanwhileIsNotRun(t *testing.T) {
	g, r, base := seeded(t)
	w := worktree(t, r, base)
	before := must(r.Guarded(t.Context()))(t)
	ran := filepath.Join(t.TempDir(), "ran")
	g.Git("config", "filter.evil.clean", "touch "+ran+"; sed s/honest/evil/")
	g.Git("config", "filter.evil.required", "true")
	g.Git("config", "merge.evil.driver", "touch "+ran)
	write(t, filepath.Join(w.Dir, ".gitattributes"), "* filter=evil merge=evil\n")
	write(t, filepath.Join(w.Dir, "work.txt"), "honest\n")
	r.Disarm(before, must(r.Guarded(t.Context()))(t))
	tree := must(r.Snapshot(t.Context(), w.Dir, base, nil))(t)
	if got := string(must(r.File(t.Context(), tree, "work.txt"))(t)); got != "honest\n" {
		t.Errorf("the tree holds %q", got)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("it ran")
	}
}

func TestAFilterThatWasChangedIsTheOneThatItWas(t *testing.T) {
	g, r, base := seeded(t)
	w := worktree(t, r, base)
	g.Git("config", "filter.ours.clean", "sed s/honest/filtered/")
	before := must(r.Guarded(t.Context()))(t)
	g.Git("config", "filter.ours.clean", "sed s/honest/evil/")
	write(t, filepath.Join(w.Dir, ".gitattributes"), "* filter=ours\n")
	write(t, filepath.Join(w.Dir, "work.txt"), "honest\n")
	r.Disarm(before, must(r.Guarded(t.Context()))(t))
	tree := must(r.Snapshot(t.Context(), w.Dir, base, nil))(t)
	if got := string(must(r.File(t.Context(), tree, "work.txt"))(t)); got != "filtered\n" {
		t.Errorf("the tree holds %q", got)
	}
}
