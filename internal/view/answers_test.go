package view_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/record"
	"torve/internal/truth"
	"torve/internal/view"
)

func why(t testing.TB, r *truth.Reading, o view.Options, subject string) view.WhyAnswer {
	t.Helper()
	a, err := view.Why(t.Context(), r, o, subject)
	if err != nil {
		t.Fatalf("why %s: %v", subject, err)
	}
	return a
}

// document compares an answer's JSON with its golden file, and asks that no list is null.
func document(t testing.TB, name string, v any) {
	t.Helper()
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(strings.TrimSpace(l), ": ")
		single := map[string]bool{`"landing"`: true, `"line"`: true, `"settled"`: true, `"contract"`: true, `"gate"`: true, `"spent"`: true, `"kept"`: true,
			`"escalation"`: true, `"usd"`: true, `"tokens_in"`: true, `"tokens_out"`: true, `"minutes"`: true}
		if strings.HasPrefix(value, "null") && !single[key] {
			t.Errorf("%s: %s is null", name, key)
		}
	}
	file := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(file, append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(data)+"\n" != string(want) {
		t.Errorf("%s differs from its golden file (-update writes it)\n%s", name, data)
	}
}

func TestTheDocumentsArePinned(t *testing.T) {
	s := night(t)
	r, o := s.here()
	fresh, of := s.clone()
	status, err := view.Status(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	document(t, "status", status)
	landings, err := view.Landings(t.Context(), fresh, of)
	if err != nil {
		t.Fatal(err)
	}
	document(t, "landings", landings)
	document(t, "why-refused", why(t, r, o, "T-0004"))
	document(t, "why-landed-clone", why(t, fresh, of, "T-0001"))
	document(t, "why-line", why(t, fresh, of, "law/seam.go:4"))
	document(t, "why-not-ours", why(t, fresh, of, "README.md:1"))
}

func TestAttemptsAreEmptyWhereOnlyTheLandingIsKnown(t *testing.T) {
	r, o := night(t).clone()
	a := why(t, r, o, "T-0001")
	if len(a.Attempts) != 0 || a.Landing == nil || a.Landing.Gate == nil || a.Sources["attempts"].Carrier != "git" {
		t.Errorf("attempts %v, landing %+v, sources %v", a.Attempts, a.Landing, a.Sources)
	}
	if a.Settled.Carrier != truth.Landing || a.Settled.State != board.Landed {
		t.Errorf("settled %+v", a.Settled)
	}
}

func TestTheWorkCommitIsFoundByItsSha(t *testing.T) {
	s := night(t)
	r, o := s.clone()
	w, err := view.Look(t.Context(), r, o, "T-0001")
	if err != nil || w.Kind != "landed" || w.Found != "sha" || w.To != why(t, r, o, "T-0001").Landing.Commit || w.From != s.base || w.Note != "" {
		t.Errorf("Look = %+v, %v", w, err)
	}
	if w.Command != "git show "+w.To[:7] {
		t.Errorf("the command is %q", w.Command)
	}
}

// rewritten makes the line over: the same commits with other ids.
func rewritten(s *shop) {
	s.t.Helper()
	s.Git("checkout", "-q", "-b", "other", s.base)
	s.Write("other.txt", "other\n")
	s.Commit("Meanwhile")
	s.Git("checkout", "-q", "main")
	s.Git("rebase", "-q", "other")
}

func TestTheWorkCommitIsFoundByItsTrailersAfterARebase(t *testing.T) {
	s := night(t)
	rewritten(s)
	r, o := s.clone()
	w, err := view.Look(t.Context(), r, o, "T-0001")
	if err != nil || w.Found != "trailers" || w.Note != "" {
		t.Fatalf("Look = %+v, %v", w, err)
	}
	a := why(t, r, o, "law/seam.go:4")
	if a.Task != "T-0001" || !a.Line.Ours || a.Line.Commit != w.To {
		t.Errorf("why of the line = %s, %+v", a.Task, a.Line)
	}
	out := text(t, func(b *bytes.Buffer) error { return why(t, r, o, "T-0001").Text(b, wide) })
	if !strings.Contains(out, "landed "+w.To[:7]) || !strings.Contains(out, "its line was rewritten since") {
		t.Errorf("the screen does not name the commit as it is now:\n%s", out)
	}
}

func TestOnlyTheLandingFileTellsOfWorkThatWasSquashed(t *testing.T) {
	s := night(t)
	tree := s.Git("rev-parse", "main^{tree}")
	squashed := s.Git("commit-tree", "-p", s.base, "-m", "Squash everything", tree)
	s.Git("update-ref", "refs/heads/main", squashed)
	r, o := s.clone()
	w, err := view.Look(t.Context(), r, o, "T-0001")
	if err != nil || w.Found != "landing" || w.To != squashed || w.Note != "landed; its work commit is not in this clone" {
		t.Fatalf("Look = %+v, %v", w, err)
	}
	for _, subject := range []string{"law/seam.go:4", "law/seam.go", squashed, squashed[:9], "main"} {
		if a := why(t, r, o, subject); a.Task != "T-0001" {
			t.Errorf("why %s = task %q", subject, a.Task)
		}
	}
}

func TestKeptWorkIsShownByItsRefWithAndWithoutARecord(t *testing.T) {
	s := night(t)
	r, o := s.here()
	w, err := view.Look(t.Context(), r, o, "T-0006")
	if err != nil || w.Kind != "kept" || w.Ref != "refs/torve/attempts/T-0006/3" || w.From != s.base {
		t.Fatalf("Look = %+v, %v", w, err)
	}
	if w.Command != "git diff "+s.base[:7]+" "+w.Ref {
		t.Errorf("the command is %q", w.Command)
	}
	unrecorded, of := s.gather(s.Dir, nil)
	again, err := view.Look(t.Context(), unrecorded, of, "T-0006")
	if err != nil || again != w {
		t.Errorf("without a record: %+v, %v; want %+v", again, err, w)
	}
	var unknown *view.Unknown
	if _, err := view.Look(t.Context(), r, o, "T-0008"); !errors.As(err, &unknown) {
		t.Errorf("work that was never done: %v", err)
	}
	if _, err := view.Look(t.Context(), r, o, "T-9999"); !errors.As(err, &unknown) {
		t.Errorf("a task that nobody knows: %v", err)
	}
}

func TestASubjectIsATaskADecisionALineAPathOrACommit(t *testing.T) {
	s := night(t)
	r, o := s.here()
	landed := why(t, r, o, "T-0001").Landing
	for subject, kind := range map[string]string{
		"T-0004": "task", "S-0001/D-3": "decision", "law/seam.go:4": "line", "./law/seam.go:4": "line", "law/seam.go": "path", "law": "path", "law/": "path",
		landed.Commit: "commit", landed.Commit[:8]: "commit", "main": "commit", "HEAD": "commit",
	} {
		if a := why(t, r, o, subject); a.Kind != kind {
			t.Errorf("why %s is of a %s, want %s", subject, a.Kind, kind)
		}
	}
	for subject, want := range map[string]string{
		"T-9999":          "T-9999: no carrier knows this task",
		"law/seam.go:400": "law/seam.go:400: law/seam.go has 4 lines here",
		"law/seam.go:0":   "law/seam.go:0: law/seam.go has 4 lines here",
		"S-0001/D-9":      "S-0001/D-9: no specification on main has this decision",
		"nothing.go":      "nothing here is called nothing.go: no task, decision, path or commit",
		"deadbeef":        "nothing here is called deadbeef: no task, decision, path or commit",
		"--all":           "nothing here is called --all: no task, decision, path or commit",
		"":                "nothing here is called : no task, decision, path or commit",
	} {
		var unknown *view.Unknown
		if _, err := view.Why(t.Context(), r, o, subject); !errors.As(err, &unknown) || err.Error() != want {
			t.Errorf("why %q: %v, want %s", subject, err, want)
		}
	}
}

func TestEveryCommitOfALandingLeadsToItsTask(t *testing.T) {
	s := night(t)
	r, o := s.clone()
	l := why(t, r, o, "T-0001").Landing
	merge := s.Git("rev-parse", "main")
	tip := s.Git("rev-parse", "main^2")
	for what, commit := range map[string]string{"the work": l.Commit, "the landing file": tip, "the merge": merge} {
		if a := why(t, r, o, commit); a.Task != "T-0001" || !a.Line.Ours {
			t.Errorf("%s (%s) leads to %q", what, commit[:7], a.Task)
		}
	}
	if a := why(t, r, o, s.base); a.Task != "" || a.Line.Ours || a.Settled != nil {
		t.Errorf("a commit that is nobody's leads to %q", a.Task)
	}
	if a := why(t, r, o, "law/seam.go"); len(a.Tasks) != 1 || a.Tasks[0] != "T-0001" {
		t.Errorf("what changed the path: %v", a.Tasks)
	}
}

func TestWhatAPersonAttestedLeadsToItsTaskToo(t *testing.T) {
	s := open(t)
	c := s.mint(asked("T-0002", "Validate the postal code"))
	s.Write("postal.go", "package postal\n")
	sha := s.Commit("Validate by hand")
	b, err := board.Fold(s.log.Read(t.Context(), partition, 1))
	if err != nil {
		t.Fatal(err)
	}
	s.attest(b.Tasks[c.ID], sha)
	r, o := s.clone()
	a := why(t, r, o, "postal.go:1")
	if a.Task != "T-0002" || a.Landing.Attested != "Ada" || a.Landing.Gate != nil {
		t.Errorf("why = %q, %+v", a.Task, a.Landing)
	}
	out := text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) })
	if !strings.Contains(out, "attested by Ada, and no gate judged it") {
		t.Errorf("the screen:\n%s", out)
	}
	golden(t, "why-attested", text(t, func(b *bytes.Buffer) error { return why(t, r, o, "T-0002").Text(b, wide) }))
}

func TestAContractsFileIsTheSameEditedOrMissing(t *testing.T) {
	s := open(t)
	c := s.mint(asked("T-0002", "Validate the postal code"))
	file := func() string {
		r, o := s.here()
		return why(t, r, o, "T-0002").Contract.File
	}
	if got := file(); got != "same" {
		t.Errorf("unchanged: %s", got)
	}
	edited := c
	edited.Intent = "Another.\n"
	s.Write(contract.PathOf(c.ID), string(contract.Render(edited)))
	if got := file(); got != "edited" {
		t.Errorf("edited in the work tree: %s", got)
	}
	s.Commit("Edit")
	if got := file(); got != "edited" {
		t.Errorf("edited and committed: %s", got)
	}
	s.Git("rm", "-q", "-r", ".torve")
	s.Commit("Drop")
	if got := file(); got != "missing" {
		t.Errorf("deleted: %s", got)
	}
}

func TestADecisionIsComparedWithItsTextToday(t *testing.T) {
	s := night(t)
	today := func() string {
		r, o := s.here()
		return why(t, r, o, "T-0001").Decisions[1].Today
	}
	for _, c := range []struct{ name, text, want string }{
		{"same", law, "same"},
		{"edited", strings.Replace(law, "Two hundred", "Three hundred", 1), "edited"},
		{"another grade", strings.Replace(law, "ASSUMED", "LOCKED", 1), "edited"},
		{"superseded", strings.Replace(law, "accepted", "superseded", 1), "superseded"},
		{"taken out", strings.Replace(law, "| D-2 |", "| D-7 |", 1), "missing"},
		{"broken", "no head\n", ""},
	} {
		s.Write("specs/S-0001-law.md", c.text)
		s.Commit("Edit the law: " + c.name)
		if got := today(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	s.Git("rm", "-q", "specs/S-0001-law.md")
	s.Commit("Drop the law")
	if got := today(); got != "missing" {
		t.Errorf("without its file: %q", got)
	}
}

func TestARecordThatDoesNotHoldTheTaskFallsBackToTheFiles(t *testing.T) {
	s := night(t)
	s.contract(asked("T-0012", "Not minted yet"))
	r, o := s.here()
	a := why(t, r, o, "T-0012")
	if a.Sources["tasks"].Carrier != "files" || a.Settled.State != truth.Committed {
		t.Errorf("sources %v, settled %+v", a.Sources, a.Settled)
	}
	if a := why(t, r, o, "T-0004"); a.Sources["tasks"].Carrier != "record" || a.Sources["tasks"].NamedBy != "config.yaml" {
		t.Errorf("sources %v", a.Sources)
	}
}

func TestABrokenFileIsNamedAndIsNoGap(t *testing.T) {
	s := open(t)
	s.Write(contract.PathOf("T-0003"), "schema: torve/contract/v1\nid: T-0003\ntitel: x\n")
	s.Write(".torve/execution/T-0005-1-20261202T100000Z.yaml", "schema: torve/landing/v9\n")
	s.Commit("Break two files")
	r, o := s.here()
	a, err := view.Status(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Faults) != 2 || a.Counts["broken"] != 2 || !a.NeedsPerson() {
		t.Errorf("faults %+v, counts %v", a.Faults, a.Counts)
	}
	out := text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) })
	if !strings.Contains(out, ".torve/tasks/T-0003/contract.yaml:3:") {
		t.Errorf("the screen does not name the line:\n%s", out)
	}
	l, err := view.Landings(t.Context(), r, o)
	if err != nil || len(l.Faults) != 1 || len(l.Landings) != 0 {
		t.Errorf("landings %+v, %v", l, err)
	}
}

func TestNoTitleMovesTheCursorOrBreaksTheTable(t *testing.T) {
	s := open(t)
	s.mint(asked("T-0002", "注文を検証する "+strings.Repeat("検証", 20)))
	s.mint(asked("T-0003", "emoji 🧺 and words that go on for longer than any column has room"))
	s.start("T-0003", 1, "first")
	s.finish("T-0003", 1, 5, record.Usage{Source: "unknown"})
	s.judge("T-0003", 1, "arrival", "reach", "sh -c x exited 1: \x1b[31mred\x1b[0m\rover\u202etxt")
	s.escalate("T-0003", 1, record.Escalation{Reason: "refused", Check: "reach", Detail: "sh -c x exited 1: \x1b[31mred\x1b[0m\rover\u202etxt"})
	r, o := s.here()
	a, err := view.Status(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{
		text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) }),
		text(t, func(b *bytes.Buffer) error { return why(t, r, o, "T-0003").Text(b, wide) }),
	} {
		if strings.ContainsAny(out, "\x1b\r\u202e") {
			t.Errorf("a control character came through:\n%q", out)
		}
	}
}

func TestOnlyOnesOwnTasksAreListedWhenAsked(t *testing.T) {
	s := open(t)
	s.mint(asked("T-0002", "Ada's"))
	s.mint(asked("T-0003", "Bo's", func(c *contract.Contract) { c.Owner = "Bo" }))
	r, o := s.here()
	o.Mine = "Bo"
	a, err := view.Status(t.Context(), r, o)
	if err != nil || len(a.Tasks) != 1 || a.Tasks[0].ID != "T-0003" || a.Counts["queued"] != 1 {
		t.Errorf("status %+v, %v", a.Tasks, err)
	}
}

func TestACommandToPasteIsSafeInAShell(t *testing.T) {
	s := open(t)
	s.mint(asked("T-0002", "Odd paths"))
	s.start("T-0002", 1, "first")
	s.finish("T-0002", 1, 5, record.Usage{Source: "unknown"})
	s.judge("T-0002", 1, "arrival", "law", "change 1: out")
	s.escalate("T-0002", 1, record.Escalation{Reason: "scope", Check: "law", Detail: "change 1: out", Paths: []string{"it's; rm -rf.go", "a[1].go"}})
	r, o := s.here()
	a, err := view.Status(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	if want := `torve widen T-0002 'it'\''s; rm -rf.go' 'a\[1].go'`; a.Tasks[0].Next != want {
		t.Errorf("next = %s, want %s", a.Tasks[0].Next, want)
	}
}

func TestACloneThatIsAheadOfItsUpstreamSaysSo(t *testing.T) {
	s := night(t)
	dir := filepath.Join(t.TempDir(), "fresh")
	s.Git("clone", "-q", s.Dir, dir)
	fresh := *s.Repo
	fresh.Dir = dir
	fresh.Write("x", "x")
	fresh.Commit("Go ahead")
	r, o := s.gather(dir, nil)
	a, err := view.Status(t.Context(), r, o)
	if err != nil || a.Target.Ahead != 1 || a.Target.Upstream != "origin/main" {
		t.Errorf("target %+v, %v", a.Target, err)
	}
}
