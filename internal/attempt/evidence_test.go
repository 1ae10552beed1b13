package attempt

import (
	"strings"
	"testing"

	"torve/internal/contract"
	"torve/internal/record"
)

func TestARefusalOfShapeShowsHowTheWorkLooksAndNoWordOfTheVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		steps []string
		edit  func(*contract.Contract)
		want  string
	}{
		"no change":           {steps: []string{"exit:0"}, want: "$ git status --short\n(nothing: every file is as it was)"},
		"too many changes":    {steps: []string{"write:docs/a:x", "write:docs/b:x"}, edit: func(c *contract.Contract) { c.Budget.Changes = 1 }, want: "$ git status --short | wc -l\n2\n(at most 1 may be changed)"},
		"a report of another": {steps: []string{"append:a.txt:four\\n", `report:{"task":"T-0009","summary":"","leans_on":[],"divergences":[],"halted":false}`}, want: "The report at $TORVE_REPORT is on T-0009, and this is T-0001."},
		"a broken report":     {steps: []string{"append:a.txt:four\\n", "report:{"}, want: "The report at $TORVE_REPORT is not in the form above: "},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.agent(c.steps...)
			edit := c.edit
			if edit == nil {
				edit = func(*contract.Contract) {}
			}
			w.mint(task("T-0001", edit))
			res := w.run(w.job("T-0001"))
			wantRefused(t, res, "shape", "")
			if !strings.HasPrefix(res.Evidence, c.want) {
				t.Errorf("the evidence is %q", res.Evidence)
			}
			for _, word := range []string{"shape", "refused", "verdict", "cap is", res.Judged.Verdict.Reason} {
				if strings.Contains(res.Evidence, word) {
					t.Errorf("the evidence %q says %q", res.Evidence, word)
				}
			}
		})
	}
}

func TestARefusalWhenDueShowsWhatTheMergedTreePrinted(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001", accepting("cat src/b.txt; ! grep -q theirs src/b.txt")))
	wantAccepted(t, w.run(w.job("T-0001")))
	w.repo.Write("src/b.txt", "this is theirs\n")
	w.repo.Commit("Theirs")
	due := w.due()
	if due.Verdict.OK || due.Verdict.Failed != "reach" {
		t.Fatalf("due says %v", due.Verdict)
	}
	if want := "$ cat src/b.txt; ! grep -q theirs src/b.txt\nthis is theirs\n(exited 1)"; due.Evidence != want {
		t.Errorf("the evidence is %q, want %q", due.Evidence, want)
	}
}

func TestARefusalThatARepeatCannotMendHasNoEvidence(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("write:src/b.txt:outside")
	wantRefused(t, res, "law", "")
	if res.Evidence != "" {
		t.Errorf("the evidence is %q", res.Evidence)
	}
}

func TestARowsCheckIsShownWithItsNameAndRunWithoutIt(t *testing.T) {
	w := newWorld(t)
	check := record.Row{ID: "S-0001/D-2", Grade: "LOCKED", Text: "No fours", Paths: []string{"docs/**"}, Check: "! grep four a.txt"}
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001"), check)
	res := w.run(w.job("T-0001"))
	wantRefused(t, res, "reach", "S-0001/D-2: ! grep four a.txt exited 1: four")
	if want := "$ ! grep four a.txt\nfour\n(exited 1)"; res.Evidence != want {
		t.Errorf("the evidence is %q, want %q", res.Evidence, want)
	}
	if ran := w.judged("T-0001", 1)[0].Acceptance; ran[len(ran)-1].Line != "S-0001/D-2: ! grep four a.txt" {
		t.Errorf("the record says %+v", ran)
	}
	w.agent("append:docs/b.md:x")
	w.mint(task("T-0002"), check)
	wantAccepted(t, w.run(w.job("T-0002")))
	j := w.job("T-0002")
	due, err := w.s.Due(t.Context(), j, *j.Task.Attempt(1), w.head())
	if err != nil || !due.Verdict.OK || !due.Acceptance[1].Again {
		t.Errorf("due says %+v, %v", due.Acceptance, err)
	}
}
