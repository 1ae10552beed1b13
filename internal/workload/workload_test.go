package workload

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"torve/internal/contract"
	"torve/internal/gate"
	"torve/internal/seam"
)

const (
	base   = "9c41e07aa0b1c2d3e4f5061728394a5b6c7d8e9f"
	head   = "5d02e7caa0b1c2d3e4f5061728394a5b6c7d8e9f"
	tree   = "7e1f0aaaa0b1c2d3e4f5061728394a5b6c7d8e9f"
	merged = "8e1f0aaaa0b1c2d3e4f5061728394a5b6c7d8e9f"
	digest = "1f3c9abaa0b1c2d3e4f5061728394a5b6c7d8e9f1f3c9abaa0b1c2d3e4f50617"
)

// field is a place whose readings the test gives; it counts how often it is read.
type field struct {
	changes              []gate.Change
	arrival, due         gate.Reading
	mergedTree           string
	changesErr, err      error
	readArrival, readDue int
	headAsked            string
}

func (f *field) Changes(context.Context) ([]gate.Change, error) { return f.changes, f.changesErr }

func (f *field) Arrival(context.Context) (gate.Reading, string, error) {
	f.readArrival++
	return f.arrival, tree, f.err
}

func (f *field) Due(_ context.Context, head string) (gate.Reading, string, error) {
	f.readDue++
	f.headAsked = head
	return f.due, f.mergedTree, f.err
}

func good() (Attempt, *field) {
	c := contract.Default()
	c.ID, c.Title, c.Acceptance = "T-0001", "Answer 404", []string{"go test ./..."}
	c.Scope.Allow = []string{"law/**"}
	a := Attempt{
		Contract: c, Digest: digest, Base: base, Known: []string{"S-0001/D-3"},
		Report:   []byte(`{"task":"T-0001","summary":"done","leans_on":[],"divergences":[]}`),
		Resolves: func(e string) bool { return e == "law/seam.go:42" },
	}
	ran := []gate.Ran{{Line: "go test ./...", Tests: 3, Seconds: 0.8}}
	f := &field{
		changes:    []gate.Change{{Path: "law/seam.go", Verb: gate.Modify, Added: 3, Removed: 1, InBase: true}},
		arrival:    gate.Reading{Target: "main", Head: base, OnTarget: true, InForce: digest, Planned: 1, Runs: ran},
		due:        gate.Reading{Target: "main", Head: head, OnTarget: true, InForce: digest, Planned: 1, Runs: ran, Since: 2},
		mergedTree: merged,
	}
	return a, f
}

var terms = gate.Terms{Law: gate.Repository{Secrets: true}, Stale: 200}

func said(j Judged) string {
	var s []string
	for _, a := range j.Answers {
		s = append(s, a.Said)
	}
	return strings.Join(s, " ")
}

func checks(j Judged) []string {
	var s []string
	for _, a := range j.Answers {
		s = append(s, a.Check)
	}
	return s
}

func TestAnAcceptedArrivalCarriesSixAnswersAndTheTreeThatWasAsked(t *testing.T) {
	a, f := good()
	j, err := Code(a, f, terms).Arrive(t.Context())
	if err != nil || !j.Verdict.OK || j.Asked != 6 || said(j) != "yes yes yes yes yes yes" {
		t.Fatalf("Arrive = %+v, %v", j, err)
	}
	if j.Moment != Arrival || j.Tree != tree || j.Head != base || j.Contract != digest || len(j.Acceptance) != 1 {
		t.Errorf("judged %+v", j)
	}
	for i, want := range []string{"1 change", "1 modify; 4 lines", "all in the tree it was given", "scope, protected paths, secrets, tests",
		"go test ./... 0.8 s, 3 tests", "0 commits touched its scope since, the cap is 200"} {
		if j.Answers[i].Note != want {
			t.Errorf("%s: note %q, want %q", j.Answers[i].Check, j.Answers[i].Note, want)
		}
	}
}

func TestARefusalHasSixAnswersAndTheLaterOnesAreNotAsked(t *testing.T) {
	for _, c := range []struct {
		check, said string
		read        int
		how         func(*Attempt, *field)
	}{
		{seam.OnShape, "no - - - - -", 0, func(a *Attempt, _ *field) { a.Report = []byte("{") }},
		{seam.OnVerb, "yes no - - - -", 0, func(_ *Attempt, f *field) { f.changes[0].Verb = gate.Symlink }},
		{seam.OnGrounding, "yes yes no - - -", 0, func(_ *Attempt, f *field) { f.changes[0].InBase = false }},
		{seam.OnLaw, "yes yes yes no - -", 0, func(_ *Attempt, f *field) { f.changes[0].Path = "board/row.go" }},
		{seam.OnReach, "yes yes yes yes no -", 1, func(_ *Attempt, f *field) { f.arrival.Runs = nil }},
		{seam.OnFreshness, "yes yes yes yes yes no", 1, func(_ *Attempt, f *field) { f.arrival.OnTarget = false }},
	} {
		t.Run(c.check, func(t *testing.T) {
			a, f := good()
			c.how(&a, f)
			j, err := Code(a, f, terms).Arrive(t.Context())
			if err != nil || j.Verdict.Failed != c.check || said(j) != c.said || f.readArrival != c.read {
				t.Fatalf("said %q, %s, read %d times, %v", said(j), j.Verdict, f.readArrival, err)
			}
			if !slices.Equal(checks(j), seam.Checks[:]) {
				t.Errorf("answers of %v", checks(j))
			}
			i := j.Asked - 1
			if j.Answers[i].Note != j.Verdict.Reason {
				t.Errorf("the no's note is %q, want the reason", j.Answers[i].Note)
			}
			if (j.Tree != "") != (c.read > 0) || (j.Head != "") != (c.read > 0) {
				t.Errorf("tree %q and head %q, and the place was read %d times", j.Tree, j.Head, c.read)
			}
		})
	}
}

func TestAPlaceThatCannotBeReadIsAnErrorAndNoVerdict(t *testing.T) {
	full := errors.New("no space left on device")
	a, f := good()
	f.err = full
	if j, err := Code(a, f, terms).Arrive(t.Context()); !errors.Is(err, full) || j.Answers != nil {
		t.Errorf("Arrive = %+v, %v", j, err)
	}
	if j, err := Code(a, f, terms).Due(t.Context(), head); !errors.Is(err, full) || j.Answers != nil {
		t.Errorf("Due = %+v, %v", j, err)
	}
	f.changesErr = full
	if _, err := Code(a, f, terms).Arrive(t.Context()); !errors.Is(err, full) {
		t.Errorf("Arrive = %v", err)
	}
}

func TestDueAsksTheLastTwoOverTheMergedTree(t *testing.T) {
	a, f := good()
	j, err := Code(a, f, terms).Due(t.Context(), head)
	if err != nil || !j.Verdict.OK || said(j) != "- - - - yes yes" || j.Moment != Due {
		t.Fatalf("Due = %+v, %v", j, err)
	}
	if j.Tree != merged || j.Head != head || f.headAsked != head || f.readArrival != 0 {
		t.Errorf("judged %+v, asked of %s", j, f.headAsked)
	}
	f.due.Runs[0] = gate.Ran{Line: "go test ./...", Exit: 1, Why: "exited 1", Last: "FAIL"}
	j, err = Code(a, f, terms).Due(t.Context(), head)
	if err != nil || j.Verdict.Failed != seam.OnReach || said(j) != "- - - - no -" {
		t.Errorf("Due = %+v, %v", j, err)
	}
}

func TestAConflictRepeatsArrivalsAnswerAndFreshnessRefuses(t *testing.T) {
	a, f := good()
	f.mergedTree = ""
	f.due.Runs, f.due.Conflicts = nil, []string{"law/seam.go"}
	j, err := Code(a, f, terms).Due(t.Context(), head)
	if err != nil || j.Verdict.Failed != seam.OnFreshness || said(j) != "- - - - yes no" {
		t.Fatalf("Due = %+v, %v", j, err)
	}
	if j.Verdict.Reason != "change 1 names law/seam.go, which has changed since and does not merge" {
		t.Error(j.Verdict.Reason)
	}
	if !slices.Equal(j.Conflicts, []string{"law/seam.go"}) || j.Acceptance != nil || j.Tree != "" {
		t.Errorf("judged %+v", j)
	}
	if note := j.Answers[4].Note; note != "as on arrival: it does not merge, and nothing was run" {
		t.Errorf("reach says %q", note)
	}
}

func TestOutsideIsFilledWhenTheClauseWasTheScope(t *testing.T) {
	a, f := good()
	f.changes = append(f.changes, gate.Change{Path: "board/row.go", Verb: gate.Add}, gate.Change{Path: "mail/x.go", Verb: gate.Add})
	j, err := Code(a, f, terms).Arrive(t.Context())
	if err != nil || !slices.Equal(j.Outside, []string{"board/row.go", "mail/x.go"}) {
		t.Errorf("Outside = %v, %v (%s)", j.Outside, err, j.Verdict)
	}
	f.changes[0].AddedLines = []gate.Line{{N: 1, Text: "-----BEGIN " + "PRIVATE KEY-----"}}
	j, _ = Code(a, f, terms).Arrive(t.Context())
	if j.Outside != nil {
		t.Errorf("Outside = %v, and the clause was: %s", j.Outside, j.Verdict)
	}
}

func TestAHaltIsNotPutToTheSeam(t *testing.T) {
	a, f := good()
	a.Rows = []gate.Row{{ID: "S-0001/D-3", Grade: gate.Locked}, {ID: "S-0001/D-4", Grade: gate.Open}}
	for _, c := range []struct{ name, divergences, reason, why string }{
		{"a LOCKED row is cited", `{"decision":"S-0001/D-3","claim":"it forbids the fix","evidence":"law/seam.go:42","action":"halted","why":"the two cannot both hold"}`,
			"locked_conflict", "S-0001/D-3: the two cannot both hold"},
		{"a LOCKED row is upheld", `{"decision":"S-0001/D-3","claim":"it holds","evidence":"law/seam.go:42","action":"upheld"}`,
			"underspecified", "cannot go on"},
		{"another is cited", `{"decision":"S-0001/D-4","claim":"it is not said which","evidence":"law/seam.go:42","action":"halted"}`,
			"underspecified", "it is not said which"},
		{"none is cited", "", "underspecified", "cannot go on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a.Report = []byte(`{"task":"T-0001","summary":"cannot go on","leans_on":[],"halted":true,"divergences":[` + c.divergences + `]}`)
			h, halted := Halted(a)
			if !halted || h.Reason != c.reason || h.Why != c.why {
				t.Errorf("Halted = %+v, %v", h, halted)
			}
			if _, err := Code(a, f, terms).Arrive(t.Context()); !errors.Is(err, ErrHalted) || f.readArrival != 0 {
				t.Errorf("Arrive = %v, read %d times", err, f.readArrival)
			}
		})
	}
	a.Report = []byte(`{"halted":true`)
	if _, halted := Halted(a); halted {
		t.Error("a broken report was taken for a halt")
	}
}

func TestABrokenReportIsAFaultForShapeAndNeverAnError(t *testing.T) {
	for raw, want := range map[string]string{
		"":                        "not the shape asked for: ",
		"{":                       "not the shape asked for: ",
		`{"task":"T-0001"}`:       "not the shape asked for: the report has no summary",
		`{"task":"T-0001","x":1}`: "not the shape asked for: ",
		`{"task":"T-0002","summary":"","leans_on":[],"divergences":[]}`: "the report answers for T-0002, and the task is T-0001",
	} {
		a, f := good()
		a.Report = []byte(raw)
		j, err := Code(a, f, terms).Arrive(t.Context())
		if err != nil || j.Verdict.Failed != seam.OnShape || !strings.HasPrefix(j.Verdict.Reason, want) {
			t.Errorf("%q: %s, %v", raw, j.Verdict, err)
		}
	}
	a, f := good()
	a.Report = nil
	if j, err := Code(a, f, terms).Arrive(t.Context()); err != nil || !j.Verdict.OK {
		t.Errorf("no report is fine, and %s, %v", j.Verdict, err)
	}
}

func TestEvidenceIsAPathWithALineOrACommandWithItsOutput(t *testing.T) {
	inTree := func(e string) bool { return e == "law/seam.go:42" || e == "law/seam.go:50" || e == "a b.go:1" }
	for evidence, want := range map[string]bool{
		"law/seam.go:42":                      true,
		"law/seam.go:42-50":                   true,
		"law/seam.go:42-5000":                 false,
		"law/seam.go:42 returns its own name": true,
		"a b.go:1":                            true,
		"law/seam.go:4200":                    false,
		"law/seam.go":                         false,
		"go test ./...\nok torve/law 0.1s":    true,
		"go test ./...\n":                     false,
		"\nok torve/law 0.1s":                 false,
		"  law/seam.go:42\n":                  true,
		"it works":                            false,
		"":                                    false,
	} {
		if got := Resolves(evidence, inTree); got != want {
			t.Errorf("Resolves(%q) = %v, want %v", evidence, got, want)
		}
	}
	if Resolves("law/seam.go:42", nil) {
		t.Error("without a tree nothing resolves")
	}
}

func TestTheFirstFourAreAskedWithNoPlace(t *testing.T) {
	a, f := good()
	if j := First(a, f.changes, terms); !j.Verdict.OK || said(j) != "yes yes yes yes - -" || j.Asked != 4 {
		t.Errorf("First = %+v", j)
	}
	f.changes[0].Path = "board/row.go"
	if j := First(a, f.changes, terms); j.Verdict.Failed != seam.OnLaw || said(j) != "yes yes yes no - -" || len(j.Outside) != 1 {
		t.Errorf("First = %+v", j)
	}
}

func TestWhatIsNotAskedWithoutAContractIsShownAsSuch(t *testing.T) {
	a, f := good()
	a.Contract, a.Digest, a.Report = contract.Contract{}, "", nil
	j, err := Code(a, f, terms).Arrive(t.Context())
	if err != nil || !j.Verdict.OK || said(j) != "yes - yes yes yes -" {
		t.Errorf("said %q, %s, %v", said(j), j.Verdict, err)
	}
}

func FuzzReport(f *testing.F) {
	f.Add([]byte(`{"task":"T-0001","summary":"","leans_on":["S-0001/D-1"],"divergences":[{"decision":"unlisted","claim":"c","evidence":"a:1","action":"decided","proposal":"p"}]}`))
	f.Add([]byte("{}"))
	f.Add([]byte("\xff"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, read := Report(raw, func(string) bool { return true })
		switch {
		case raw == nil:
			if r != nil || read != nil {
				t.Error("nil bytes are no report")
			}
		case r == nil || (r.Fault == "") != (read != nil):
			t.Errorf("Report = %+v, %+v: a fault or the report itself, and never both", r, read)
		}
	})
}
