package attempt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAHeadsAcceptanceIsAskedInARoomThatIsGoneAfterwards(t *testing.T) {
	for _, c := range []struct {
		name       string
		acceptance []string
		setup      []string
		line, why  string
		lines      int
	}{
		{name: "green", acceptance: []string{"grep -q two a.txt", "touch made.log"}, lines: 2},
		{name: "red", acceptance: []string{"true", "echo no such word; false", "true"}, line: "echo no such word; false", why: "exited 1: no such word", lines: 2},
		{name: "setup", acceptance: []string{"true"}, setup: []string{"exit 3"}, line: "exit 3", why: "exited 3"},
		{name: "nothing to ask"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.s.Settings.Acceptance, w.s.Settings.Setup = c.acceptance, c.setup
			head := w.repo.Git("rev-parse", "main")
			runs, red, err := w.s.Green(t.Context(), head)
			if err != nil || len(runs) != c.lines || (red == nil) != (c.line == "") {
				t.Fatalf("%v, %+v, %+v", err, runs, red)
			}
			if red != nil && (red.Line != c.line || !strings.HasPrefix(red.Why, c.why) || red.Head != head) {
				t.Errorf("%+v", red)
			}
			if left, _ := os.ReadDir(w.s.Settings.Root); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			if list := w.repo.Git("worktree", "list"); strings.Contains(list, headRoom) {
				t.Errorf("left: %s", list)
			}
		})
	}
}

func TestARoomOfAHeadThatADeadRunLeftGoesWithTheNextThatAsksOrTidies(t *testing.T) {
	w := newWorld(t)
	w.s.Settings.Acceptance = []string{"true"}
	head := w.repo.Git("rev-parse", "main")
	left, err := w.s.fresh(t.Context(), about{task: headRoom, claim: "dead"}, head)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(left.dir, "half.txt"), []byte("made by acceptance"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, red, err := w.s.Green(t.Context(), head); err != nil || red != nil {
		t.Fatal(red, err)
	}
	if exists(left.dir) || exists(left.ledger()) {
		t.Errorf("%s is there still", left.dir)
	}
	if left, err = w.s.fresh(t.Context(), about{task: headRoom, claim: "dead"}, head); err != nil {
		t.Fatal(err)
	}
	busy, _, err := w.git.TryLock(headRoom)
	if err != nil {
		t.Fatal(err)
	}
	w.tidy()
	if !exists(left.dir) {
		t.Error("it was taken away while it is asked")
	}
	busy()
	if w.tidy(); exists(left.dir) || exists(left.side) {
		t.Errorf("%s is there still", left.dir)
	}
}
