package carrier

import "time"

// LandingSchema names the only landing version this program reads.
const LandingSchema = "torve/landing/v1"

// Landing is one landing file: what landed, on what, under which rows, at what
// cost. It is written once, committed with the work, and never edited.
type Landing struct {
	Schema    string     `yaml:"schema" json:"schema"`
	Task      string     `yaml:"task" json:"task"`
	Title     string     `yaml:"title" json:"title"`
	Owner     string     `yaml:"owner,omitempty" json:"owner,omitempty"`
	Spec      string     `yaml:"spec,omitempty" json:"spec,omitempty"`
	Attempt   int        `yaml:"attempt" json:"attempt"` // 0: attested by a person
	At        time.Time  `yaml:"at" json:"at"`
	Target    string     `yaml:"target" json:"target"`
	Base      string     `yaml:"base,omitempty" json:"base,omitempty"` // what it was cut from
	Onto      string     `yaml:"onto,omitempty" json:"onto,omitempty"` // the head it landed on
	Commit    string     `yaml:"commit" json:"commit"`                 // W, the work commit
	Tree      string     `yaml:"tree,omitempty" json:"tree,omitempty"` // G, the tree that was gated
	Contract  string     `yaml:"contract" json:"contract"`             // digest
	Agent     Agent      `yaml:"agent,omitempty" json:"agent"`
	Walls     string     `yaml:"walls,omitempty" json:"walls,omitempty"`
	Intent    string     `yaml:"intent,omitempty" json:"intent,omitempty"`
	Scope     Scope      `yaml:"scope,omitempty" json:"scope"`
	Decisions []Decision `yaml:"decisions" json:"decisions"`
	Entries   []Entry    `yaml:"entries" json:"entries"`
	Gate      *Gate      `yaml:"gate" json:"gate"` // nil when attested
	Attested  string     `yaml:"attested_by,omitempty" json:"attested_by,omitempty"`
	Spent     Spent      `yaml:"spent" json:"spent"` // the whole task
	Reverts   []string   `yaml:"reverts,omitempty" json:"reverts"`
	Cut       []Cut      `yaml:"cut,omitempty" json:"cut,omitempty"` // what did not fit, by digest
}

// Cut names what was too large for the file: a text that ends early, or a list
// of which the first are kept.
type Cut struct {
	What   string `yaml:"what" json:"what"` // the key, entries[3].claim
	Of     int    `yaml:"of" json:"of"`     // bytes of the text, or length of the list
	Kept   int    `yaml:"kept" json:"kept"`
	Digest string `yaml:"sha256" json:"sha256"` // of the whole text, or of the whole list as JSON
}

// Agent is who wrote the work.
type Agent struct {
	Adapter string `yaml:"adapter" json:"adapter"`
	Model   string `yaml:"model,omitempty" json:"model,omitempty"`
	Version string `yaml:"version,omitempty" json:"version,omitempty"`
}

// Scope is the contract's scope as minted.
type Scope struct {
	Allow []string `yaml:"allow,omitempty" json:"allow"`
	Deny  []string `yaml:"deny,omitempty" json:"deny"`
}

// Decision is a row that the contract carried, as minted.
type Decision struct {
	ID    string `yaml:"id" json:"id"`
	Grade string `yaml:"grade" json:"grade"`
	Text  string `yaml:"text" json:"text"`
}

// Entry is one divergence of the task's log.
type Entry struct {
	Decision string    `yaml:"decision" json:"decision"` // S-0001/D-2, or unlisted
	Grade    string    `yaml:"grade,omitempty" json:"grade,omitempty"`
	Claim    string    `yaml:"claim" json:"claim"`
	Evidence string    `yaml:"evidence" json:"evidence"`
	Action   string    `yaml:"action" json:"action"` // upheld, departed, decided or halted
	Why      string    `yaml:"why,omitempty" json:"why,omitempty"`
	Proposal string    `yaml:"proposal,omitempty" json:"proposal,omitempty"`
	Attempt  int       `yaml:"attempt" json:"attempt"`
	At       time.Time `yaml:"at" json:"at"`
}

// Gate is what the six checks said of the work that landed.
type Gate struct {
	Asked      int      `yaml:"asked" json:"asked"`
	Checks     []Answer `yaml:"checks" json:"checks"`
	Acceptance []Ran    `yaml:"acceptance" json:"acceptance"`
}

// Answer is one check's answer at one moment.
type Answer struct {
	Moment string `yaml:"moment" json:"moment"`
	Check  string `yaml:"check" json:"check"`
	Said   string `yaml:"said" json:"said"` // yes, no or -
	Note   string `yaml:"note,omitempty" json:"note,omitempty"`
}

// Ran is one acceptance line as it ran.
type Ran struct {
	Line    string  `yaml:"line" json:"line"`
	Seconds float64 `yaml:"seconds" json:"seconds"`
	Exit    int     `yaml:"exit" json:"exit"`
	Output  string  `yaml:"output_sha256" json:"output_sha256"`
	Tests   int     `yaml:"tests" json:"tests"`                     // -1: not counted
	Flaky   bool    `yaml:"flaky,omitempty" json:"flaky,omitempty"` // it was red first, and green on the same tree
	First   string  `yaml:"first,omitempty" json:"first,omitempty"` // why it was not green first
}

// Spent is what a task cost over all its attempts. Nil is unknown, never zero.
type Spent struct {
	Attempts  int      `yaml:"attempts" json:"attempts"`
	Refused   int      `yaml:"refused" json:"refused"`
	Seconds   *float64 `yaml:"seconds,omitempty" json:"seconds,omitempty"`
	TokensIn  *int64   `yaml:"tokens_in,omitempty" json:"tokens_in,omitempty"`
	TokensOut *int64   `yaml:"tokens_out,omitempty" json:"tokens_out,omitempty"`
	USD       *float64 `yaml:"usd,omitempty" json:"usd,omitempty"`
	Source    string   `yaml:"usd_source" json:"usd_source"`
}
