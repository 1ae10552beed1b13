package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rooms lists the worktrees that attempts have left, and the state files.
func (s *stage) rooms() []string {
	s.t.Helper()
	var out []string
	for _, pattern := range []string{filepath.Join(os.Getenv("XDG_STATE_HOME"), "torve", "*", "*"), filepath.Join(s.Dir, ".wt", "*.state.json")} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			s.t.Fatal(err)
		}
		out = append(out, found...)
	}
	return out
}

func TestALandingByHandPutsAwayWhatTheAttemptsUsed(t *testing.T) {
	s := shop(t)
	s.plays("T-0001", "echo cup >> orders/list; rm check.sh")
	s.ends(0, "new", "A cup", "--allow", "orders/**", "--commit")
	s.ends(2, "dispatch")
	if left := s.rooms(); len(left) < 3 {
		t.Fatalf("the attempt left %v", left)
	}
	s.Write("orders/list", "tea\ncup\n")
	s.Commit("A cup, by hand")
	s.ends(0, "land", "T-0001", "--as", "HEAD", "--yes")
	if left := s.rooms(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if s.Git("rev-parse", "--verify", "-q", "refs/torve/attempts/T-0001/1") == "" {
		t.Error("its kept tree is gone")
	}
}

func TestAcceptanceThatBreaksIsolationNeedsAPersonAtEitherMoment(t *testing.T) {
	for name, when := range map[string]string{"arrival": "true", "due": "test -f docs/later"} {
		t.Run(name, func(t *testing.T) {
			s := shop(t, "landing: {mode: manual}")
			s.Write("check.sh", "for f in orders/*.sh; do test ! -f $f || sh $f; done\n")
			s.Commit("Run what is there")
			s.plays("T-0001", "echo 'if "+when+"; then git config alias.x y; fi' > orders/x.sh")
			s.ends(0, "new", "A cup", "--allow", "orders/**", "--commit")
			r := s.torve("dispatch")
			if name == "due" {
				s.Write("docs/later", "x")
				s.Commit("Later")
				r = s.torve("land")
			}
			if r.code != 2 || !strings.Contains(r.out, "isolation broken") || !strings.Contains(r.out, "alias.x of the local configuration was added") {
				t.Errorf("%d\n%s%s", r.code, r.out, r.err)
			}
		})
	}
}

func TestWhatAnEscalationSaysHoldsNoSecret(t *testing.T) {
	s := shop(t)
	t.Setenv("SHOP_TOKEN", "hunter2hunter2")
	s.ends(0, "new", "A cup", "--allow", "orders/**", "--accept", "sh -c 'echo hunter2hunter2; exit 127'", "--commit")
	if r := s.ends(2, "dispatch"); !strings.Contains(r.out, "base red") && !strings.Contains(r.out, "is not there") {
		t.Fatalf("%s", r.out)
	}
	data, err := os.ReadFile(filepath.Join(s.Dir, ".git", "torve", "record.db"))
	if err != nil {
		t.Fatal(err)
	}
	wal, err := os.ReadFile(filepath.Join(s.Dir, ".git", "torve", "record.db-wal"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	const contract = 2 // the line itself, in the contract and its canonical form, is the person's
	if n := strings.Count(string(data)+string(wal), "hunter2hunter2"); n > contract {
		t.Errorf("it is in the record %d times", n)
	}
}
