package attempt

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"torve/internal/gate"
)

// coin is a line that is red the first time that it runs and green after that, and notes
// each run outside of the room.
func coin(file string) string {
	return fmt.Sprintf("echo x >>%s; if [ $(wc -l <%[1]s) = 1 ]; then echo unlucky; exit 3; fi", file)
}

func TestALineThatIsRedAndThenGreenOnTheSameTreeIsAcceptedAsFlaky(t *testing.T) {
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "runs")
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001", accepting(coin(file))))
	res := w.run(w.job("T-0001"))
	wantAccepted(t, res)
	ran := w.judged("T-0001", 1)[0].Acceptance[0]
	if runs(t, file) != 2 || !ran.Flaky || ran.First != "exited 3: unlucky" || ran.Exit != 0 || ran.Why != "" {
		t.Errorf("after %d runs the record says %+v", runs(t, file), ran)
	}
	if reach := res.Judged.Answers[4].Note; !strings.Contains(reach, "flaky: it exited 3: unlucky") {
		t.Errorf("reach says %q", reach)
	}
	if !w.notes.said("flaky", "exited 3: unlucky; run once more on the same tree it passed") {
		t.Error("nobody was told")
	}
	// What was answered over this very tree is answered with its mark.
	due := w.due().Acceptance[0]
	if !due.Again || !due.Flaky || due.First != ran.First || runs(t, file) != 2 {
		t.Errorf("due says %+v after %d runs", due, runs(t, file))
	}
	if w.notes.count("flaky") != 1 {
		t.Errorf("it was told %d times", w.notes.count("flaky"))
	}
}

// Whatever a line leaves behind, it does not make its own second run pass.
func TestTheSecondRunFindsTheRoomAsTheFirstDid(t *testing.T) {
	for name, c := range map[string]struct{ mark, seen string }{
		"an untracked file":   {"echo x > mark", "test -e mark"},
		"an ignored file":     {"echo x > mark.log", "test -e mark.log"},
		"an ignored folder":   {"mkdir -p deps && echo x > deps/mark", "test -e deps/mark"},
		"a shut folder":       {"mkdir -p deps/shut && echo x > deps/shut/mark && chmod 500 deps/shut", "test -e deps"},
		"a tracked file":      {"echo marked >> a.txt", "grep -q marked a.txt"},
		"the index":           {"echo x > mark && git add mark", "git ls-files --error-unmatch mark"},
		"a temporary file":    {"echo x > $TMPDIR/mark", "test -e $TMPDIR/mark"},
		"no temporary folder": {"rm -rf $TMPDIR", "test ! -e $TMPDIR"},
	} {
		for _, before := range []string{"", "true"} {
			t.Run(name+" "+before, func(t *testing.T) {
				w := newWorld(t)
				w.agent("append:a.txt:four\\n")
				lines := []string{fmt.Sprintf("if %s; then exit 0; fi; %s; exit 4", c.seen, c.mark)}
				if before != "" {
					lines = append([]string{before}, lines...)
				}
				w.mint(task("T-0001", accepting(lines...)))
				wantRefused(t, w.run(w.job("T-0001")), "reach", "exited 4")
			})
		}
	}
}

func TestWhatEarlierLinesMadeStandsForTheSecondRun(t *testing.T) {
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "runs")
	w.agent("append:a.txt:four\\n")
	made := "echo made >> a.txt; echo x > new.txt; mkdir -p deps; echo x > deps/built; echo x > $TMPDIR/made"
	w.mint(task("T-0001", accepting(made, "grep -q made a.txt && test -e new.txt && test -e deps/built && test -e $TMPDIR/made && git diff --name-only | grep -q a.txt && "+coin(file))))
	wantAccepted(t, w.run(w.job("T-0001")))
	if ran := w.judged("T-0001", 1)[0].Acceptance; len(ran) != 2 || ran[0].Flaky || !ran[1].Flaky {
		t.Errorf("the record says %+v", ran)
	}
}

// A generated file that is not committed is found out by the second run as by the first.
func TestADifferenceThatAnEarlierLineMadeIsRedTwice(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001", accepting("echo generated >> src/b.txt", "git diff --exit-code")))
	wantRefused(t, w.run(w.job("T-0001")), "reach", "git diff --exit-code exited 1")
	if ran := w.judged("T-0001", 1)[0].Acceptance[1]; ran.Flaky || ran.First != "" {
		t.Errorf("the record says %+v", ran)
	}
}

func TestALineThatIsRedTwiceIsRedForItsSecondReasonAndTheEvidenceShowsBoth(t *testing.T) {
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "runs")
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001", accepting(coin(file)+"; echo unlucky again; exit 5")))
	res := w.run(w.job("T-0001"))
	wantRefused(t, res, "reach", "exited 5: unlucky again")
	if ran := w.judged("T-0001", 1)[0].Acceptance[0]; ran.Flaky || ran.First != "exited 3: unlucky" {
		t.Errorf("the record says %+v", ran)
	}
	if e := res.Evidence; strings.Count(e, "$ echo x") != 2 || strings.Index(e, "(exited 3)") > strings.Index(e, "(exited 5)") {
		t.Errorf("the evidence is\n%s", e)
	}
	if w.notes.count("flaky") != 0 {
		t.Error("what is red twice was called flaky")
	}
}

func TestWhatARepeatCannotMendIsRunOnce(t *testing.T) {
	for name, end := range map[string]string{"did not end within 1s": "sleep 30", "is not there": "nonesuch", "exited 1: missing script: x": "echo missing script: x; exit 1"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			file := filepath.Join(t.TempDir(), "runs")
			w.s.Settings.AcceptanceLimit = time.Second
			w.agent("append:a.txt:four\\n")
			w.mint(task("T-0001", accepting("echo x >>"+file+"; "+end)))
			wantRefused(t, w.run(w.job("T-0001")), "reach", name)
			if runs(t, file) != 1 {
				t.Errorf("it ran %d times", runs(t, file))
			}
		})
	}
	ran := once("go test ./...", "")
	if ran.Why != "ran no test" || ran.mayPass() {
		t.Errorf("a line that ran no test: %+v", ran.Ran)
	}
}

// once is a line that exited 0 and printed something.
func once(line, output string) tried {
	return tried{Ran: gate.Ran{Line: line, Why: gate.Why(line, 0, 0, 0), Last: output}}
}

func TestABaseThatIsRedAndThenGreenIsGreenAndSaidToBeFlaky(t *testing.T) {
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "runs")
	w.s.Settings.Acceptance = []string{coin(file)}
	wantAccepted(t, w.attempt("append:a.txt:four\\n"))
	if !w.notes.said("base", "acceptance passes") || !w.notes.said("base", "; flaky: echo x") || !w.notes.said("base", "exited 3: unlucky; run once more") {
		t.Errorf("people were told %+v", w.notes.all)
	}
}

func TestALineThatFailsOnTheBaseOnceAndPassesThenDoesNotProveThatItTestsTheChange(t *testing.T) {
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "runs")
	w.agent("append:a.txt:four\\n")
	c := task("T-0001", accepting(coin(file)))
	c.Base = "red"
	w.mint(c)
	res := w.run(w.job("T-0001"))
	wantEnd(t, res, EndBaseBroken)
	if !strings.Contains(res.Red.Why, "passed, and the contract says base: red; flaky: ") {
		t.Errorf("it says %q", res.Red.Why)
	}
}

func TestTheGateByHandRunsARedLineOnceMoreAndPutsNothingBack(t *testing.T) {
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "runs")
	w.repo.Write("a.txt", "four\n")
	w.repo.Write("notes.txt", "mine\n")
	c := task("T-0001", accepting("echo x >> made.log; "+coin(file)))
	got := w.here(func(o *HereOptions) { o.Contract = &c })
	if !got.Judged.Verdict.OK || !got.Judged.Acceptance[0].Flaky {
		t.Errorf("it says %v, %+v", got.Judged.Verdict, got.Judged.Acceptance)
	}
	made, err := os.ReadFile(filepath.Join(w.repo.Dir, "made.log"))
	if err != nil || string(made) != "x\nx\n" || !exists(filepath.Join(w.repo.Dir, "notes.txt")) {
		t.Errorf("the work tree holds %q, %v", made, err)
	}
}
