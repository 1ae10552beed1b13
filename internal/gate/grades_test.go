package gate

import (
	"slices"
	"testing"

	"torve/internal/contract"
	"torve/internal/seam"
)

func TestGradedRowsAreAnsweredForAsTheirGradeAsks(t *testing.T) {
	locked := Row{ID: "S-0001/D-1", Grade: Locked, Paths: []string{"internal/**"}}
	assumed := Row{ID: "S-0001/D-2", Grade: Assumed, Paths: []string{"x.go"}}
	open := Row{ID: "S-0001/D-3", Grade: Open, Paths: []string{"x.go"}}
	checked := func(r Row) Row { r.Check = "make d"; return r }
	elsewhere := func(r Row) Row { r.Paths = []string{"docs/**"}; return r }
	entry := func(id, action string) Entry {
		return Entry{Decision: id, Action: action, Evidence: "x.go:1", Resolves: true}
	}
	because := func(e Entry) Entry { e.Why = "slower machines"; return e }
	bad := func(e Entry) Entry { e.Evidence, e.Resolves = "x.go:9000", false; return e }
	for _, c := range []struct {
		name    string
		rows    []Row
		entries []Entry
		want    string
	}{
		{"LOCKED, departed", []Row{locked}, []Entry{because(entry("S-0001/D-1", "departed"))}, "S-0001/D-1 is LOCKED, and entry 1 departs from it"},
		{"LOCKED with a check, departed", []Row{checked(locked)}, []Entry{because(entry("S-0001/D-1", "departed"))}, "S-0001/D-1 is LOCKED, and entry 1 departs from it"},
		{"LOCKED, silence", []Row{locked}, nil, `S-0001/D-1 is LOCKED, and change 1 touches it (internal/a.go): it owes an entry "upheld" with evidence`},
		{"LOCKED, another answer", []Row{locked}, []Entry{entry("S-0001/D-1", "decided")}, `S-0001/D-1 is LOCKED, and change 1 touches it (internal/a.go): it owes an entry "upheld" with evidence`},
		{"LOCKED, silence, with a check", []Row{checked(locked)}, nil, ""},
		{"LOCKED, silence, not touched", []Row{elsewhere(locked)}, nil, ""},
		{"LOCKED, upheld", []Row{locked}, []Entry{entry("S-0001/D-1", "upheld")}, ""},
		{"LOCKED, upheld without evidence that resolves", []Row{locked}, []Entry{bad(entry("S-0001/D-1", "upheld"))}, "the evidence of entry 1 (S-0001/D-1) does not resolve: x.go:9000"},
		{"ASSUMED, departed without a why", []Row{assumed}, []Entry{entry("S-0001/D-2", "departed")}, "S-0001/D-2 is ASSUMED, and entry 1 departs from it without a why"},
		{"ASSUMED, departed with a why", []Row{assumed}, []Entry{because(entry("S-0001/D-2", "departed"))}, ""},
		{"ASSUMED, silence", []Row{assumed}, nil, ""},
		{"OPEN, silence", []Row{open}, nil, `S-0001/D-3 is OPEN, and change 2 touches it (x.go): it owes an entry "decided"`},
		{"OPEN, decided", []Row{open}, []Entry{entry("S-0001/D-3", "decided")}, ""},
		{"OPEN without paths", []Row{{ID: "S-0001/D-3", Grade: Open}}, nil, ""},
		{"unlisted, without evidence", nil, []Entry{{Decision: Unlisted, Action: "decided", Proposal: "write it down"}}, "the evidence of entry 1 (unlisted) does not resolve: it has none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, r := good()
			p.Rows, p.Report.Entries = c.rows, c.entries
			v, _ := arrive(p, r, terms())
			switch {
			case c.want == "" && !v.OK:
				t.Errorf("got %s, want it accepted", v)
			case c.want != "" && (v.Failed != seam.OnLaw || v.Reason != c.want):
				t.Errorf("got  %s\nwant refused by law: %s", v, c.want)
			}
		})
	}
}

func TestSilenceWithoutAReportIsSilence(t *testing.T) {
	p, r := good()
	p.Report = nil
	p.Rows = []Row{{ID: "S-0001/D-3", Grade: Open, Paths: []string{"x.go"}}}
	if v, _ := arrive(p, r, terms()); v.Failed != seam.OnLaw {
		t.Error(v)
	}
}

func TestTheRowsThatWereAskedAreNamed(t *testing.T) {
	p, r := good()
	p.Rows = []Row{{ID: "S-0001/D-3", Grade: Assumed, Paths: []string{"x.go"}}, {ID: "S-0001/D-4", Grade: Assumed, Paths: []string{"docs/**"}}}
	if got := Saw(seam.OnLaw, p, terms(), r); got != "scope, protected paths, secrets, tests, D-3" {
		t.Errorf("saw %q", got)
	}
}

func TestAcceptanceIsTheContractsThenTheRepositorysThenTheRowsChecks(t *testing.T) {
	c := contract.Contract{Acceptance: []string{"go test ./law", "go vet ./..."}}
	rows := []Row{
		{ID: "S-0001/D-1", Grade: Locked, Check: "make d1"},
		{ID: "S-0001/D-2", Grade: Assumed, Check: "make d2"},
		{ID: "S-0001/D-3", Grade: Open},
	}
	repo := []string{"go vet ./...", "go test ./..."}
	want := []string{"go test ./law", "go vet ./...", "go test ./...", "make d1", "make d2"}
	if got := Acceptance(c, repo, rows, nil); !slices.Equal(got, want) {
		t.Errorf("Acceptance = %q, want %q", got, want)
	}
	// A logged departure takes out the check of an ASSUMED row, and of no other.
	r := &Report{Entries: []Entry{{Decision: "S-0001/D-2", Action: "departed"}, {Decision: "S-0001/D-1", Action: "departed"}}}
	if got := Acceptance(c, repo, rows, r); !slices.Equal(got, want[:4]) {
		t.Errorf("Acceptance = %q, want %q", got, want[:4])
	}
}

func TestALineThatIsOnlyARowsCheckIsShownWithTheRowsName(t *testing.T) {
	rows := []Row{{ID: "S-0001/D-1", Check: "go test ./..."}, {ID: "S-0001/D-3", Check: "make seam"}, {ID: "S-0001/D-4", Check: "make seam"}}
	c := contract.Contract{Acceptance: []string{"sh own.sh"}}
	for line, want := range map[string]string{
		"sh own.sh": "sh own.sh", "go test ./...": "go test ./...", "make seam": "S-0001/D-3: make seam", "nobody's": "nobody's",
	} {
		if got := Named(line, c, []string{"go test ./..."}, rows); got != want {
			t.Errorf("%s is shown as %s, want %s", line, got, want)
		}
	}
}
