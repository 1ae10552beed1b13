package record

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"
)

// Proposal is one row of the ledger: what was proposed, by which model as it was asked, and
// what the seam said. It rides in gate.judged, and a store shows the rows as a table that
// people read with SQL. A row is never updated.
type Proposal struct {
	ID        int64           `json:"-"`                    // from 1 in its partition, given by the store
	Actor     string          `json:"villager"`             // a villager's name or a task's id
	Tick      int64           `json:"tick"`                 // of the world, or how many commits the first-parent line has
	Kind      string          `json:"kind"`                 // plan: an arrival; step: a part of it, when due
	Model     string          `json:"model"`                // of the agent: its adapter, and @model where it names one
	Digest    string          `json:"digest"`               // of the model; of an agent, its version; "" unknown
	Settings  json.RawMessage `json:"settings"`             // a JSON object: how the model was asked
	Prompt    string          `json:"prompt_sha256"`        // hex; "" where there was none
	TokensIn  *int64          `json:"tokens_in,omitempty"`  // nil: unknown
	TokensOut *int64          `json:"tokens_out,omitempty"` // nil: unknown
	Grounding []string        `json:"grounding"`            // ids that it could know; of code, the base's tree
	Answer    []byte          `json:"answer"`               // the model's bytes, kept whatever they are; of code, the tree's id
	Verdict   string          `json:"verdict"`              // accepted or refused
	Failed    string          `json:"failed,omitempty"`     // the check that said no
	Reason    string          `json:"reason,omitempty"`     // and what it said
}

// The kinds of rows.
const (
	Plan = "plan"
	Step = "step"
)

// ProposalKinds lists them.
var ProposalKinds = []string{Plan, Step}

// Ledger is what a store offers beside its log: the rows that its events carry, as a table;
// of a partition without events, which is a bench's, the rows that it was given.
type Ledger interface {
	// Proposals yields a partition's rows in the order of their ids, paged inside; of one
	// actor where it is named.
	Proposals(ctx context.Context, p Partition, actor string) iter.Seq2[Proposal, error]
	// Current is an actor's newest accepted row of kind plan; nil where there is none. No
	// step is ever read back.
	Current(ctx context.Context, p Partition, actor string) (*Proposal, error)
	// Propose appends rows to a partition that has no event, all of them or none, and gives
	// the first one's id; ids are dense from 1 in the partition. ErrCarried where it has one;
	// and from then on it is a bench's, which takes no event (ErrBench).
	Propose(ctx context.Context, p Partition, rows ...Proposal) (first int64, err error)
}

// AdmitRows asks that each row is whole, and gives them in the form in which an event would
// carry them.
func AdmitRows(rows []Proposal) ([]Proposal, error) {
	all := make([]Proposal, len(rows))
	for i, row := range rows {
		row = whole(row).(Proposal)
		if err := row.validate(); err != nil {
			return nil, fmt.Errorf("row %d of %d: %w", i+1, len(rows), err)
		}
		settings, err := encode(row.Settings)
		if err != nil {
			return nil, fmt.Errorf("row %d of %d: row.settings is no JSON object: %w", i+1, len(rows), err)
		}
		row.Settings = settings
		all[i] = row
	}
	return all, nil
}

// ProposalOf gives the row that an event carries; nil when it carries none. What does not
// decode is an error.
func ProposalOf(e Event) (*Proposal, error) {
	if e.Kind != KindJudged {
		return nil, nil
	}
	p, err := Decode(e)
	if err != nil {
		return nil, err
	}
	return p.(Judged).Row, nil
}

func (p Proposal) validate() error {
	return first(
		need("row.villager", p.Actor),
		oneOf("row.kind", p.Kind, ProposalKinds),
		need("row.model", p.Model),
		oneOf("row.verdict", p.Verdict, Verdicts),
		maybe(digest, "row.prompt_sha256", p.Prompt),
		each("row.grounding", p.Grounding, filledIn),
		say(p.Tick < 0, "row.tick is below zero"),
		say(!bytes.HasPrefix(p.Settings, []byte("{")) || !utf8.Valid(p.Settings), "row.settings is no JSON object"),
		say(p.TokensIn != nil && *p.TokensIn < 0, "row.tokens_in is below zero"),
		say(p.TokensOut != nil && *p.TokensOut < 0, "row.tokens_out is below zero"),
		say(p.Verdict == "accepted" && (p.Failed != "" || p.Reason != ""), "row: accepted, with a reason of a refusal"),
		say(p.Verdict == "refused" && (p.Failed == "" || p.Reason == ""), "row: refused, and no check or reason is named"),
		say(strings.ContainsRune(strings.Join(append(p.texts(), p.Grounding...), " "), 0), "row: a text holds the byte 0, which no column holds"),
	)
}

// texts are the columns of text.
func (p Proposal) texts() []string {
	return []string{p.Actor, p.Model, p.Digest, p.Failed, p.Reason}
}

// of asks that the row says of a judging what the judging says.
func (p Proposal) of(j Judged) error {
	kind := map[string]string{"arrival": Plan, "due": Step}[j.Moment]
	return first(
		say(p.Kind != kind, "the ledger's row is of kind %s, and the moment is %s", p.Kind, j.Moment),
		say(kind == Step && j.Verdict == "accepted", "the ledger has a row for a refusal when due, and for no acceptance"),
		say(p.Verdict != j.Verdict || p.Failed != j.Check || p.Reason != j.Reason, "the ledger's row says otherwise than the checks"),
	)
}
