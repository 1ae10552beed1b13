package view_test

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"

	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/view"
)

func TestALineThatIsNotCommittedIsNobodysYet(t *testing.T) {
	s := open(t)
	s.Write("README.md", "shop\nopen on Sundays\n")
	s.Write("new.txt", "one\n")
	r, o := s.here()
	for _, c := range []struct{ name, subject string }{
		{"why-uncommitted", "README.md:2"}, {"why-untracked-line", "new.txt:1"}, {"why-untracked", "new.txt"},
	} {
		a, err := view.Why(t.Context(), r, o, c.subject)
		if err != nil {
			t.Fatal(err)
		}
		if !a.Line.Uncommitted || a.Line.Commit != "" || a.Task != "" {
			t.Errorf("%s: %+v", c.subject, a.Line)
		}
		golden(t, c.name, text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) }))
	}
	a, err := view.Why(t.Context(), r, o, "README.md:1")
	if err != nil || a.Line.Commit != s.base {
		t.Errorf("a committed line of a changed file: %+v, %v", a.Line, err)
	}
}

func TestWhatNothingIsCalledByIsToldApart(t *testing.T) {
	s := open(t)
	r, o := s.here()
	for subject, want := range map[string][2]string{
		"README.md:9":  {"README.md has 1 line here", "torve why README.md"},
		"nope.go:3":    {"there is no file nope.go here or on main", "git log --oneline --all -- nope.go"},
		"nope.go":      {"nothing here is called nope.go", "torve status"},
		"T-0099":       {"no carrier knows this task", "torve status"},
		"S-0001":       {"it is a specification: ask about one of its decisions", "torve why S-0001/D-3"},
		"S-0009":       {"no specification on main has this id", "torve status"},
		"S-0001/D-9":   {"no specification on main has this decision", "torve status"},
		"abcdef012345": {"nothing here is called abcdef012345", "torve status"},
	} {
		_, err := view.Why(t.Context(), r, o, subject)
		var u *view.Unknown
		if !errors.As(err, &u) || !strings.Contains(u.Error(), want[0]) || u.Hint != want[1] {
			t.Errorf("%s: %v, hint %q", subject, err, u.Hint)
		}
	}
}

func TestCommitsThatBeginAlikeAreNamed(t *testing.T) {
	s := open(t)
	seen := map[string]bool{}
	prefix := ""
	tree := s.Git("rev-parse", "HEAD^{tree}")
	for i := 0; prefix == "" && i < 2000; i++ {
		id := s.Git("commit-tree", tree, "-m", strings.Repeat("x", i+1))
		if seen[id[:4]] {
			prefix = id[:4]
		}
		seen[id[:4]] = true
	}
	r, o := s.here()
	_, err := view.Why(t.Context(), r, o, prefix)
	var u *view.Unknown
	if !errors.As(err, &u) || !strings.Contains(u.Why, "2 commits begin so: "+prefix) || !strings.HasPrefix(u.Hint, "torve why "+prefix) {
		t.Fatalf("%s: %v", prefix, err)
	}
	if _, err := view.Why(t.Context(), r, o, strings.TrimPrefix(u.Hint, "torve why ")); err != nil {
		t.Errorf("the hint: %v", err)
	}
}

func TestAPathIsNamedFromTheFolderOfTheCommand(t *testing.T) {
	s := night(t)
	r, o := s.here()
	o.Path = func(typed string) string { return path.Join("law", typed) }
	for _, subject := range []string{"seam.go:4", "./seam.go:4"} {
		a, err := view.Why(t.Context(), r, o, subject)
		if err != nil || a.Task != "T-0001" {
			t.Fatalf("%s: %v, %v", subject, a.Task, err)
		}
		if got := a.Next[1].Command; got != "git show 515ce00 -- :/law/seam.go" {
			t.Errorf("next: %s", got)
		}
	}
	if a, err := view.Why(t.Context(), r, o, "T-0001"); err != nil || a.Kind != "task" {
		t.Errorf("a task named from a folder: %v, %v", a.Kind, err)
	}
}

func TestAContractThatIsCommittedElsewhereIsNoDraft(t *testing.T) {
	s := open(t)
	s.Git("switch", "-q", "-c", "cart")
	s.contract(asked("T-0001", "Rename Basket to Cart"))
	s.Write(contract.PathOf("T-0002"), string(contract.Render(asked("T-0002", "A draft"))))
	r, o := s.here()
	a, err := view.Status(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "status-elsewhere", text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) }))
	why, err := view.Why(t.Context(), r, o, "T-0001")
	if err != nil || why.Next[0].Command != "git switch main && git merge cart" {
		t.Errorf("%v, %v", why.Next, err)
	}
	golden(t, "why-elsewhere", text(t, func(b *bytes.Buffer) error { return why.Text(b, wide) }))
}

func TestAtMostTenLandingsOfADayAreShownAndAllAreCounted(t *testing.T) {
	var a view.StatusAnswer
	for i := range 14 {
		a.Tasks = append(a.Tasks, view.Row{ID: fmt.Sprintf("T-%04d", i+1), Title: "Something", State: board.Landed, Landing: &view.Landed{Commit: "4e1f0aa"}})
	}
	got := text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) })
	if !strings.Contains(got, "landed today (14)") || strings.Count(got, "4e1f0aa") != 10 || !strings.Contains(got, "and 4 more") || !strings.Contains(got, "14 landed today") {
		t.Errorf("%s", got)
	}
}
