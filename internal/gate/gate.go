// Package gate is the six checks for code: pure questions over an attempt's
// changes, what it was given, the law of the repository, and a reading of the
// place that someone else took. It knows no store, no git and no file system.
package gate

import (
	"torve/internal/contract"
	"torve/internal/seam"
)

// The verbs of the table.
const (
	Add       = "add"
	Modify    = "modify"
	Delete    = "delete"
	Mode      = "mode"
	Symlink   = "symlink"
	Submodule = "submodule"
)

// Change is one path that an attempt changed, taken from the tree by the host.
type Change struct {
	Path       string
	Verb       string // add, modify, delete, mode, symlink or submodule
	Added      int    // lines; 0 when Uncounted
	Removed    int
	Remode     bool     // its mode changes besides: that is the verb mode, too
	Uncounted  bool     // binary, a lock file or generated: no part of the horizon
	Escapes    string   // why the path leaves the tree; empty when it does not
	InBase     bool     // the path is in the tree it was given
	AddedLines []Line   // the lines it adds, for secrets and skip markers; text files only
	Scripts    []string // what acceptance runs and this change gives another meaning, as Scripts says it
}

// Line is one added line and its number in the new file.
type Line struct {
	N    int
	Text string
}

// Entry is one divergence in the proposer's report.
type Entry struct {
	Decision, Claim, Evidence, Action, Why, Proposal string
	Resolves                                         bool // the evidence is a command with output, or a path:line that is in the tree
}

// Report is the proposer's account; it is checked, never believed.
type Report struct {
	Fault   string // why the bytes are not the shape asked for; empty when they are
	Task    string
	LeansOn []string
	Entries []Entry
	Halted  bool
}

// Row is a decision as minted.
type Row struct {
	ID, Grade, Text, Check string
	Paths                  []string
}

// Proposal is an attempt: its changes, its report, and what was stored with it.
// A contract without an id is none: then the repository's own law is asked
// alone, and scope, caps and decisions are not asked at all.
type Proposal struct {
	Contract contract.Contract
	Digest   string // of the contract it was asked under
	Changes  []Change
	Report   *Report         // nil when none was left
	Base     string          // the commit it was cut from
	Rows     []Row           // the minted rows
	Known    []string        // ids it was given: rows, dependencies
	Pack     map[string]bool // paths it was given, when it sees only those; nil: the base's whole tree
}

// Bound reports whether a contract binds the proposal.
func (p Proposal) Bound() bool { return p.Contract.ID != "" }

// Reading is what the last two checks need of the place, taken by whoever drives.
type Reading struct {
	Target    string   // the target's name, for words
	Head      string   // the target's head
	Money     string   // why the budget does not pay for it; empty when it does
	Runs      []Ran    // acceptance, in order, up to the first that is not green
	Planned   int      // how many acceptance lines there are
	OnTarget  bool     // the base is still on the target's line
	Since     int      // commits on the target since the base that touched its scope
	InForce   string   // the digest of the contract in force; empty when none is
	Conflicts []string // paths that changed since and do not merge
	Unlanded  []string // dependencies that have not landed
}

// Ran is one acceptance line as it ran.
type Ran struct {
	Line, Why, Last, Output, Tree string // Why: why it is not green, e.g. "exited 1"; empty when green
	Exit, Tests                   int    // Tests: how many ran; -1 is not counted
	Seconds                       float64
	Again                         bool   // answered from an earlier run over this very tree
	Flaky                         bool   // it was red, and green when it was run once more on the same tree
	First                         string // why the first of two runs was not green, with its last line
}

// Terms is what a proposal is judged under besides the place.
type Terms struct {
	Law   Law
	Stale int // commits; 0 is no cap
}

// Code fills the seam for code.
func Code(t Terms) seam.Seam[Proposal, Reading] {
	return seam.Seam[Proposal, Reading]{
		Shape:     shape,
		Verb:      verb,
		Grounding: grounding,
		Law:       func(p Proposal) seam.Verdict { return lawOf(p, t.Law) },
		Reach:     reach,
		Freshness: func(p Proposal, n seam.Part, r Reading) seam.Verdict { return freshness(p, r, t.Stale) },
	}
}

// NotAsked says why a check has nothing to ask of this proposal; empty when it
// has. What is not asked is shown as such and never counted as a yes.
func NotAsked(c seam.Check, p Proposal, r Reading) string {
	switch {
	case p.Bound():
		return ""
	case c == seam.OnVerb || c == seam.OnFreshness:
		return "no contract: verbs, caps and staleness are not asked"
	case c == seam.OnReach && r.Planned == 0 && len(r.Runs) == 0:
		return "no acceptance line is configured"
	}
	return ""
}

// Saw is what a check that said yes looked at, in a few words for people.
func Saw(c seam.Check, p Proposal, t Terms, r Reading) string {
	switch c {
	case seam.OnShape:
		return counted(len(p.Changes), "change")
	case seam.OnVerb:
		return sawVerbs(p)
	case seam.OnGrounding:
		return sawGrounding(p)
	case seam.OnLaw:
		return sawLaw(p, t.Law)
	case seam.OnReach:
		return sawReach(r)
	case seam.OnFreshness:
		return sawFreshness(p, r, t.Stale)
	}
	return ""
}
