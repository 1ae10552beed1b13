package record

import (
	"errors"
	"slices"
)

// Judged is gate.judged: the six checks answered, on arrival or when due.
type Judged struct {
	Moment     string   `json:"moment"` // arrival or due
	Tree       string   `json:"tree"`   // the tree that was asked about: G
	Head       string   `json:"head"`   // the target's head as read
	Contract   string   `json:"contract"`
	Verdict    string   `json:"verdict"` // accepted or refused
	Check      string   `json:"check,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	Checks     []Answer `json:"checks"`
	Acceptance []Ran    `json:"acceptance"`
	Conflicts  []string `json:"conflicts"`

	// Row is the ledger's: one for an arrival, one for a refusal when due; nil otherwise.
	Row *Proposal `json:"row,omitempty"`
}

// Kind is gate.judged.
func (Judged) Kind() Kind { return KindJudged }

// Validate asks what the store cannot: that the fact is whole.
func (p Judged) Validate() error {
	if err := first(
		oneOf("moment", p.Moment, Moments),
		maybe(object, "tree", p.Tree),
		maybe(object, "head", p.Head),
		digest("contract", p.Contract),
		oneOf("verdict", p.Verdict, Verdicts),
		six(p.Checks),
		each("acceptance", p.Acceptance, Ran.validate),
		each("conflicts", p.Conflicts, filledIn),
	); err != nil {
		return err
	}
	if p.Row != nil {
		if err := first(p.Row.validate(), p.Row.of(p)); err != nil {
			return err
		}
	}
	return p.agrees()
}

// agrees asks that the verdict is the one that the answers give: the first no, or none.
func (p Judged) agrees() error {
	i := slices.IndexFunc(p.Checks, func(a Answer) bool { return a.Said == "no" })
	switch {
	case p.Verdict == "accepted":
		return first(
			say(i >= 0, "accepted, and a check said no"),
			say(p.Check != "" || p.Reason != "", "accepted, with a reason of a refusal"),
			say(p.Tree == "" || p.Head == "", "accepted, and no tree or head was read"),
			say(p.Checks[4].Said != "yes" || p.Checks[5].Said != "yes", "accepted, and reach or freshness was not asked"),
		)
	case i < 0:
		return errors.New("refused, and no check said no")
	}
	return first(
		say(p.Checks[i].Check != p.Check, "refused by %q, and the first no is %s", p.Check, p.Checks[i].Check),
		need("reason", p.Reason),
	)
}
