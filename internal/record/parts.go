package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// Row is a decision as a task inherited it.
type Row struct {
	ID    string   `json:"id"`    // S-0001/D-3
	Grade string   `json:"grade"` // LOCKED, ASSUMED or OPEN
	Text  string   `json:"text"`
	Paths []string `json:"paths"`
	Check string   `json:"check,omitempty"` // a command; it becomes an acceptance line
}

func (r Row) validate() error {
	return first(
		say(!decisionID.MatchString(r.ID), "id %q is no decision's, as S-0001/D-3", r.ID),
		oneOf("grade", r.Grade, Grades),
		need("text", r.Text),
		say(r.Grade == "LOCKED" && len(r.Paths) == 0, "a LOCKED row names no paths"),
		each("paths", r.Paths, filledIn),
	)
}

// Agent is who made an attempt.
type Agent struct {
	Adapter string `json:"adapter"`
	Model   string `json:"model,omitempty"`
	Version string `json:"version,omitempty"`
}

func (a Agent) validate() error { return need("agent.adapter", a.Adapter) }

// Usage is what an attempt cost. A nil figure is unknown, never zero.
type Usage struct {
	TokensIn  *int64   `json:"tokens_in,omitempty"`
	TokensOut *int64   `json:"tokens_out,omitempty"`
	USD       *float64 `json:"usd,omitempty"`
	Source    string   `json:"usd_source"` // reported, estimated, notional or unknown
}

func (u Usage) validate() error {
	return first(
		oneOf("usd_source", u.Source, Prices),
		say(u.Source == "unknown" && u.USD != nil, "usd has a figure, and usd_source says unknown"),
		say(u.Source != "unknown" && u.USD == nil, "usd_source says %s, and usd has no figure", u.Source),
		say(u.USD != nil && !(*u.USD >= 0), "usd is below zero"),
		say(u.TokensIn != nil && *u.TokensIn < 0, "tokens_in is below zero"),
		say(u.TokensOut != nil && *u.TokensOut < 0, "tokens_out is below zero"),
	)
}

// Answer is what one check said.
type Answer struct {
	Check string `json:"check"`
	Said  string `json:"said"`           // yes, no, or - for not asked
	Note  string `json:"note,omitempty"` // the refusal's reason, or what a yes saw
}

func (a Answer) validate() error {
	return first(oneOf("check", a.Check, Checks), oneOf("said", a.Said, Said))
}

// six asks that there is one answer for each check, in their order.
func six(answers []Answer) error {
	asked := make([]string, len(answers))
	for i, a := range answers {
		asked[i] = a.Check
	}
	return first(
		say(!slices.Equal(asked, Checks), "checks are %v, and the six are %v", asked, Checks),
		each("checks", answers, Answer.validate),
	)
}

// Ran is one acceptance line as it ran.
type Ran struct {
	Line    string  `json:"line"`
	Seconds float64 `json:"seconds"`
	Exit    int     `json:"exit"` // -1 when it did not exit by itself
	Output  string  `json:"output_sha256"`
	Last    string  `json:"last,omitempty"` // the last line it printed
	Tests   int     `json:"tests"`          // how many tests ran; -1: not counted
	Why     string  `json:"why,omitempty"`  // why it is not green; empty when green
	Tree    string  `json:"tree"`
	Again   bool    `json:"again,omitempty"` // answered from an earlier run over this very tree
	Flaky   bool    `json:"flaky,omitempty"` // it was red, and green when it was run once more on the same tree
	First   string  `json:"first,omitempty"` // why the first of two runs was not green, with its last line
}

func (r Ran) validate() error {
	return first(
		need("line", r.Line),
		say(!(r.Seconds >= 0), "seconds are below zero"),
		say(r.Exit != 0 && r.Why == "", "exit %d, and no word why it is not green", r.Exit),
		say(r.Tests < -1, "tests %d", r.Tests),
		maybe(digest, "output_sha256", r.Output),
		say(r.Why == "" && r.Output == "", "it is green, and its output has no digest"),
		say(r.Flaky && r.Why != "", "it is flaky, and not green"),
		say(r.Flaky && r.First == "", "it is flaky, and first does not say why it was red"),
		object("tree", r.Tree),
	)
}

// contractOf asks that a contract rides whole: a JSON object, of that task.
func contractOf(raw json.RawMessage, task string) error {
	var c struct {
		ID string `json:"id"`
	}
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		return errors.New("contract is no JSON object")
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return err
	}
	return say(c.ID != task, "the contract is of %q, and the envelope's task is %q", c.ID, task)
}
