package gate

import (
	"strings"
	"testing"

	"torve/internal/seam"
)

func TestAFlakyLineIsAcceptedAndReachSaysSo(t *testing.T) {
	flaky := Ran{Line: "go test ./...", Tests: 3, Seconds: 0.84, Flaky: true, First: "exited 1: TestUnknown"}
	r := Reading{Runs: []Ran{flaky}, Planned: 1}
	if v := reach(Proposal{}, seam.Whole, r); !v.OK {
		t.Errorf("refused: %s", v)
	}
	want := "go test ./... 0.8 s, 3 tests, flaky: it exited 1: TestUnknown, and passed when it was run once more"
	if got := sawReach(r); got != want {
		t.Errorf("reach saw %q, want %q", got, want)
	}
	r.Runs[0].Again = true
	if got := sawReach(r); !strings.HasPrefix(got, "go test ./... passed on this very tree before, flaky: it exited 1") {
		t.Errorf("answered from before, reach saw %q", got)
	}
}
