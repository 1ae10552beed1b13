package attempt

import (
	"strings"
	"testing"
	"time"

	"torve/internal/contract"
	"torve/internal/gate"
	"torve/internal/process"
)

func TestEvidenceIsTheCommandAndTheEndOfWhatItPrinted(t *testing.T) {
	long := strings.Repeat("a line of some length\n", 2000) + "the last line\n"
	got := shown("go test ./...", gate.Ran{Why: "exited 1"}, process.Result{Output: []byte(long)})
	if len(got) > evidenceCap+200 || !strings.HasPrefix(got, "$ go test ./...\n[...]\na line") || !strings.HasSuffix(got, "the last line\n(exited 1)") {
		t.Errorf("%d bytes: %.80q ... %q", len(got), got, got[len(got)-40:])
	}
	if got := shown("x", gate.Ran{Why: "exited 1"}, process.Result{Output: []byte("bad \xff byte\n")}); got != "$ x\nbad ? byte\n(exited 1)" {
		t.Errorf("%q", got)
	}
}

func TestAcceptanceStopsAtTheFirstLineThatIsNotGreen(t *testing.T) {
	w := newWorld(t)
	w.s.Settings.Acceptance = []string{"true"}
	w.s.Settings.AcceptanceLimit = time.Second
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001", func(c *contract.Contract) {
		c.Base, c.Acceptance = "any", []string{"echo first", "sleep 30", "echo third"}
	}))
	res := w.run(w.job("T-0001"))
	wantRefused(t, res, "reach", "sleep 30 did not end within 1s")
	runs := w.judged("T-0001", 1)[0].Acceptance
	if len(runs) != 2 || runs[0].Last != "first" || runs[0].Output == "" || runs[0].Why != "" || runs[1].Exit != -1 || runs[1].Tree != res.Judged.Tree {
		t.Errorf("it ran %+v", runs)
	}
}

func TestARunnerThatRanNoTestIsNotGreen(t *testing.T) {
	got := ranOf("go test ./...", "tree", process.Result{End: process.Exited, Output: []byte("?   \tx\t[no test files]\n")},
		gate.CountTests("go test ./...", []byte("?   \tx\t[no test files]\n")), time.Minute)
	if got.Why != "ran no test" || got.Tests != 0 {
		t.Errorf("it says %+v", got)
	}
	if got := whyNot("make check", process.Result{End: process.Exited, Exit: -1, Signal: "SIGKILL"}, -1, time.Minute); got != "was ended by SIGKILL" {
		t.Errorf("a signal says %q", got)
	}
}
