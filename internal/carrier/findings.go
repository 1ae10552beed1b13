package carrier

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// FindingsSchema names the only version of a finding's row that this program writes.
const FindingsSchema = "torve/findings/v1"

// Severities are the severities of a finding, the gravest first.
var Severities = []string{"blocker", "major", "minor"}

// The states of a finding.
const (
	FindingOpen      = "open"
	FindingFixed     = "fixed"
	FindingDismissed = "dismissed"
)

// Finding is one row of .torve/findings.jsonl. A row that is open says what was found;
// a later one with the same id says what became of it, and need not say it again.
type Finding struct {
	Schema   string    `json:"schema"`
	At       time.Time `json:"at"`
	ID       string    `json:"id"`
	Task     string    `json:"task"`
	Attempt  int       `json:"attempt,omitempty"`  // 0: none is named
	Commit   string    `json:"commit,omitempty"`   // what was looked at
	Severity string    `json:"severity,omitempty"` // minor, major or blocker
	Path     string    `json:"path,omitempty"`     // "" when it is of no one place
	Line     int       `json:"line,omitempty"`     // 0: of the whole file
	Claim    string    `json:"claim,omitempty"`
	By       string    `json:"by"`
	State    string    `json:"state"`         // open, fixed or dismissed
	Why      string    `json:"why,omitempty"` // why it is closed
}

// Found is a finding as its rows leave it.
type Found struct {
	Finding            // as it was opened, with the state that it has now
	ClosedAt time.Time // zero while it is open
	ClosedBy string
}

// Place is where it was found: law/seam.go:42; "" when it is of no one place.
func (f Finding) Place() string {
	if f.Line > 0 {
		return fmt.Sprintf("%s:%d", f.Path, f.Line)
	}
	return f.Path
}

// FindingID names a finding by what it says, so that the same one told twice has one id:
// F- and seven hexadecimal digits.
func FindingID(f Finding) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Task, f.Commit, f.Place(), f.Severity, f.Claim}, "\x00")))
	return "F-" + hex.EncodeToString(sum[:])[:7]
}

var findingID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// whole asks what the shape alone does not.
func (f *Finding) whole() error {
	if err := about(f.At, f.Task, f.By); err != nil {
		return err
	}
	switch {
	case !findingID.MatchString(f.ID):
		return fmt.Errorf("id is %q, and one such as F-1a2b3c4 is wanted", f.ID)
	case f.Attempt < 0, f.Line < 0:
		return errors.New("attempt and line are counted from 1")
	case f.Line > 0 && f.Path == "":
		return errors.New("it names a line, and no path")
	case f.Severity != "" && !slices.Contains(Severities, f.Severity):
		return fmt.Errorf("severity is %q, and one of minor, major, blocker is wanted", f.Severity)
	}
	if err := errors.Join(within(f.Path), said("claim", f.Claim, f.State == FindingOpen), said("why", f.Why, f.State == FindingDismissed)); err != nil {
		return err
	}
	switch f.State {
	case FindingOpen:
		return said("severity", f.Severity, true)
	case FindingFixed, FindingDismissed:
		return nil
	}
	return fmt.Errorf("state is %q, and one of open, fixed, dismissed is wanted", f.State)
}

// same reports whether two rows that open a finding say the same.
func (f Finding) same(o Finding) bool {
	return f.Task == o.Task && f.Severity == o.Severity && f.Place() == o.Place() && f.Claim == o.Claim
}
