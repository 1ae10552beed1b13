package gate

import (
	"fmt"
	"slices"
	"strings"

	"torve/internal/contract"
)

// The grades of a decision: what an executor may do with it.
const (
	Locked  = "LOCKED"  // keeps it, or halts
	Assumed = "ASSUMED" // may depart, and says why
	Open    = "OPEN"    // decides, and says what
)

// touch is a row whose paths a change meets.
type touch struct {
	row    Row
	change int // from 1, the first
	path   string
}

// touched lists the rows that the changes touch, in the rows' order.
func touched(p Proposal) []touch {
	if !p.Bound() {
		return nil
	}
	var all []touch
	for _, row := range p.Rows {
		for i, ch := range p.Changes {
			if _, ok := firstMatch(row.Paths, ch.Path); ok {
				all = append(all, touch{row, i + 1, quoted(ch.Path)})
				break
			}
		}
	}
	return all
}

// owed is the first graded row that the proposal does not answer for as its
// grade asks, or the first entry whose evidence does not resolve.
func owed(p Proposal) string {
	if !p.Bound() {
		return ""
	}
	if clause := entries(p); clause != "" {
		return clause
	}
	for _, t := range touched(p) {
		if clause := silent(p, t); clause != "" {
			return clause
		}
	}
	return ""
}

// entries asks each entry of the report what its row's grade asks of it.
func entries(p Proposal) string {
	if p.Report == nil {
		return ""
	}
	grade := make(map[string]string, len(p.Rows))
	for _, r := range p.Rows {
		grade[r.ID] = r.Grade
	}
	for i, e := range p.Report.Entries {
		departs := e.Action == "departed"
		switch {
		case grade[e.Decision] == Locked && departs:
			return fmt.Sprintf("%s is LOCKED, and entry %d departs from it", e.Decision, i+1)
		case grade[e.Decision] == Assumed && departs && strings.TrimSpace(e.Why) == "":
			return fmt.Sprintf("%s is ASSUMED, and entry %d departs from it without a why", e.Decision, i+1)
		case !e.Resolves:
			return fmt.Sprintf("the evidence of entry %d (%s) does not resolve: %s", i+1, e.Decision, evidence(e))
		}
	}
	return ""
}

func evidence(e Entry) string {
	if e.Evidence == "" {
		return "it has none"
	}
	return oneLine(e.Evidence)
}

// silent is what a touched row is owed and did not get. A row with a check owes
// nothing: its check is an acceptance line.
func silent(p Proposal, t touch) string {
	if t.row.Check != "" {
		return ""
	}
	owes := map[string]string{Locked: "upheld", Open: "decided"}[t.row.Grade]
	if owes == "" || p.answers(t.row.ID, owes) {
		return ""
	}
	sentence := fmt.Sprintf("%s is %s, and change %d touches it (%s): it owes an entry %q", t.row.ID, t.row.Grade, t.change, t.path, owes)
	if t.row.Grade == Locked {
		sentence += " with evidence"
	}
	return sentence
}

// answers reports whether an entry of that action cites the row.
func (p Proposal) answers(id, action string) bool {
	return p.Report != nil && slices.ContainsFunc(p.Report.Entries, func(e Entry) bool {
		return e.Decision == id && e.Action == action
	})
}

// Acceptance is the lines that an attempt has to pass, in order: the contract's
// own, the repository's, and the checks of its rows. A row that is ASSUMED and
// that the report departs from takes its check out. No line is run twice.
func Acceptance(c contract.Contract, repository []string, rows []Row, r *Report) []string {
	var lines []string
	add := func(line string) {
		if line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	for _, line := range c.Acceptance {
		add(line)
	}
	for _, line := range repository {
		add(line)
	}
	for _, row := range rows {
		departed := row.Grade == Assumed && Proposal{Report: r}.answers(row.ID, "departed")
		if !departed {
			add(row.Check)
		}
	}
	return lines
}

// Named is an acceptance line as people are shown it: one that is a row's check and
// nobody else's has the row's name before it.
func Named(line string, c contract.Contract, repository []string, rows []Row) string {
	if slices.Contains(c.Acceptance, line) || slices.Contains(repository, line) {
		return line
	}
	for _, row := range rows {
		if row.Check == line {
			return row.ID + ": " + line
		}
	}
	return line
}
