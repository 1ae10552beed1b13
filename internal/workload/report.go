package workload

import (
	"regexp"
	"strings"

	"torve/internal/carrier"
	"torve/internal/gate"
)

// Report reads an agent's report strictly; a broken one is a fault inside the
// value, for shape to refuse, and never an error. Nil bytes are no report. The
// second value is nil when there is none or it is broken.
func Report(raw []byte, resolves func(string) bool) (*gate.Report, *carrier.Report) {
	if raw == nil {
		return nil, nil
	}
	read, err := carrier.ReadReport(raw)
	if err != nil {
		return &gate.Report{Fault: err.Error()}, nil
	}
	r := &gate.Report{Task: read.Task, LeansOn: read.LeansOn, Halted: read.Halted}
	for _, d := range read.Divergences {
		r.Entries = append(r.Entries, gate.Entry{
			Decision: d.Decision, Claim: d.Claim, Evidence: d.Evidence, Action: d.Action,
			Why: d.Why, Proposal: d.Proposal, Resolves: Resolves(d.Evidence, resolves),
		})
	}
	return r, &read
}

// placed is a path with a line, or with a first and a last line.
var placed = regexp.MustCompile(`^(.+):(\d+)(?:-(\d+))?$`)

// Resolves reports whether evidence is what an entry owes: a path:line that is
// in the tree (asked of inTree as path:line), or a command with its output: a
// first line and something below it.
func Resolves(evidence string, inTree func(string) bool) bool {
	evidence = strings.TrimSpace(evidence)
	if command, output, two := strings.Cut(evidence, "\n"); two {
		return strings.TrimSpace(command) != "" && strings.TrimSpace(output) != ""
	}
	if inTree == nil || evidence == "" {
		return false
	}
	for _, word := range []string{evidence, strings.TrimRight(strings.Fields(evidence)[0], ",;.")} {
		m := placed.FindStringSubmatch(word)
		if m == nil {
			continue
		}
		if inTree(m[1]+":"+m[2]) && (m[3] == "" || inTree(m[1]+":"+m[3])) {
			return true
		}
	}
	return false
}

// Halt is why an executor stopped without a proposal.
type Halt struct {
	Reason string // of the closed list: locked_conflict or underspecified
	Why    string // in the executor's words
}

// Halted reports whether the attempt's report says that the executor halted.
// That is no proposal: the attempt ends halted and a person is asked.
func Halted(a Attempt) (Halt, bool) {
	_, read := Report(a.Report, a.Resolves)
	if read == nil || !read.Halted {
		return Halt{}, false
	}
	locked := make(map[string]bool, len(a.Rows))
	for _, r := range a.Rows {
		locked[r.ID] = r.Grade == gate.Locked
	}
	h := Halt{Reason: "underspecified", Why: read.Summary}
	for _, d := range read.Divergences {
		if locked[d.Decision] && d.Action != "upheld" { // what is upheld stands in nobody's way
			return Halt{Reason: "locked_conflict", Why: d.Decision + ": " + firstOf(d.Why, d.Claim, read.Summary)}, true
		}
		if d.Action == "halted" {
			h.Why = firstOf(d.Why, d.Claim, h.Why)
		}
	}
	return h, true
}

func firstOf(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}
