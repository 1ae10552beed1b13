package attempt

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/contract"
	"torve/internal/record"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func rows() []record.Row {
	return []record.Row{
		{ID: "S-0001/D-1", Grade: "LOCKED", Text: "A dependency is satisfied by a landing\nand by nothing else", Paths: []string{"*.txt"}},
		{ID: "S-0001/D-2", Grade: "LOCKED", Text: "The list is sorted", Paths: []string{"*.txt"}, Check: "sort -c a.txt"},
		{ID: "S-0001/D-3", Grade: "ASSUMED", Text: "Two hundred is long enough", Paths: []string{"docs/**"}},
		{ID: "S-0001/D-4", Grade: "OPEN", Text: "How a refusal is named", Paths: []string{"docs/**"}},
	}
}

func wholeBrief() brief {
	return brief{
		Contract: task("T-0001", func(c *contract.Contract) {
			c.Intent = "Answer 404 for an unknown order.\n\nAn operator must not read it as a fault.\n"
			c.Scope.Deny = []string{"docs/seeds/**"}
			c.DependsOn = []string{"T-0003"}
		}),
		Rows:       rows(),
		Acceptance: []string{"go test ./..."},
		Landings:   []string{"T-0003: .torve/execution/T-0003-1-20260131T100000Z.yaml"},
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%s", file, got)
	}
}

func TestThePromptSaysAllThatBindsAnAttempt(t *testing.T) {
	golden(t, "prompt.md", prompt(wholeBrief()))
}

func TestTheSmallestContractGivesAPromptWithNothingEmptyInIt(t *testing.T) {
	golden(t, "prompt-small.md", prompt(brief{Contract: task("T-0002", func(c *contract.Contract) {
		c.Intent, c.Acceptance, c.Tests = "", nil, "change"
		c.Budget.Changes, c.Budget.Lines = 0, 0
	})}))
}

func TestARepairIsGivenEvidenceOfThePlace(t *testing.T) {
	b := wholeBrief()
	b.GoesOn, b.Evidence = true, "$ go test ./...\n--- FAIL: TestUnknown\n\n## Not a heading of ours\n(exited 1)"
	golden(t, "prompt-repair.md", prompt(b))
}

func TestTheBriefsLastLineSendsTheAgentToTheGate(t *testing.T) {
	for name, b := range map[string]brief{"first": wholeBrief(), "repair": {Contract: task("T-0001"), GoesOn: true, Evidence: "x"}} {
		lines := strings.Split(strings.TrimRight(string(prompt(b)), "\n"), "\n")
		want := "Before you stop, run `torve gate`; it answers the first four checks on your tree."
		if got := lines[len(lines)-1]; got != want {
			t.Errorf("%s: the last line is %q", name, got)
		}
	}
}
