package attempt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/carrier"
)

func TestANoteThatShapeWouldRefuseIsRefusedWhenItIsMade(t *testing.T) {
	side := t.TempDir()
	report := filepath.Join(side, "report.json")
	d := carrier.Divergence{Decision: "unlisted", Claim: "lamps are brass", Evidence: "a.txt:1", Action: "decided"}
	if err := AddNote(report, d); err == nil || !strings.Contains(err.Error(), "noted with a proposal") {
		t.Errorf("without a proposal: %v", err)
	}
	if exists(filepath.Join(side, SpoolName)) {
		t.Error("it was written all the same")
	}
	d.Proposal = "lamps are made of brass"
	if err := AddNote(report, d); err != nil {
		t.Fatal(err)
	}
	d.Decision, d.Proposal = "S-0001/D-2", ""
	if err := AddNote(report, d); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(side, SpoolName))
	if err != nil || strings.Count(string(data), "\n") != 2 {
		t.Errorf("the notes are %q, %v", data, err)
	}
}
