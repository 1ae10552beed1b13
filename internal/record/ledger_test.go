package record_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"torve/internal/record"
	"torve/internal/record/recordtest"
)

func rowOf(t *testing.T, e record.Event) record.Proposal {
	t.Helper()
	row, err := record.ProposalOf(e)
	if err != nil || row == nil {
		t.Fatalf("%s carries %v, %v", e.Kind, row, err)
	}
	return *row
}

func TestAnEventCarriesItsRowOfTheLedgerAsItWasMade(t *testing.T) {
	bytes := []byte("\x00\xff{\n")
	j := recordtest.Proposed(recordtest.Refused("arrival", "law", "it holds \xff and \x00"), "Halla\xe9", func(r *record.Proposal) {
		r.Answer, r.Grounding, r.TokensIn = bytes, []string{"1 Halla", "\xe9"}, nil
		r.Settings = []byte(`{"b": 0.00, "a": "<\u0000>"}`)
	})
	e, err := record.New(j, recordtest.At, record.Envelope{Task: "T-0001", Attempt: 1, Actor: record.Actor{Kind: record.ByAttempt}})
	if err != nil {
		t.Fatal(err)
	}
	want := *j.Row
	want.Actor, want.Reason = `Halla\xe9`, `it holds \xff and \x00`
	want.Grounding = []string{"1 Halla", `\xe9`}
	want.Settings = []byte(`{"b":0.00,"a":"<\u0000>"}`)
	if got := rowOf(t, e); !reflect.DeepEqual(got, want) {
		t.Errorf("it carries\n%+v\nand was given\n%+v", got, want)
	}
	if j.Row.Actor != "Halla\xe9" || j.Row.Grounding[1] != "\xe9" {
		t.Errorf("the caller's row became %+v", j.Row)
	}
	for _, other := range recordtest.Samples(t) {
		if row, err := record.ProposalOf(other); err != nil || (row != nil) != (other.Kind == record.KindJudged) {
			t.Errorf("%s carries %v, %v", other.Kind, row, err)
		}
	}
}

func TestARowThatIsNilInPartsIsWrittenEmpty(t *testing.T) {
	j := recordtest.Proposed(recordtest.Accepted("arrival"), "T-0001", func(r *record.Proposal) { r.Grounding, r.Answer = nil, nil })
	e, err := record.New(j, recordtest.At, record.Envelope{Task: "T-0001", Attempt: 1, Actor: record.Actor{Kind: record.ByAttempt}})
	if err != nil || bytes.Contains(e.Payload, []byte("null")) {
		t.Errorf("written as %s, %v", e.Payload, err)
	}
}

func TestARowSaysWhatItsJudgementSays(t *testing.T) {
	refused, due := recordtest.Refused("arrival", "law", "outside"), recordtest.Refused("due", "freshness", "stale")
	for _, j := range []record.Judged{refused, due, recordtest.Accepted("arrival")} {
		if err := recordtest.Proposed(j, "T-0001").Validate(); err != nil {
			t.Error(err)
		}
	}
	for name, c := range map[string]struct {
		of    record.Judged
		spoil func(*record.Proposal)
	}{
		"nobody's":                    {refused, func(r *record.Proposal) { r.Actor = " " }},
		"of no kind":                  {refused, func(r *record.Proposal) { r.Kind = "half" }},
		"a step, on arrival":          {refused, func(r *record.Proposal) { r.Kind = record.Step }},
		"a plan, when due":            {due, func(r *record.Proposal) { r.Kind = record.Plan }},
		"of an acceptance when due":   {recordtest.Accepted("due"), func(*record.Proposal) {}},
		"by no model":                 {refused, func(r *record.Proposal) { r.Model = "" }},
		"of a prompt in part":         {refused, func(r *record.Proposal) { r.Prompt = "abc" }},
		"before time":                 {refused, func(r *record.Proposal) { r.Tick = -1 }},
		"of less than no tokens":      {refused, func(r *record.Proposal) { r.TokensIn = new(int64(-1)) }},
		"of less than none out":       {refused, func(r *record.Proposal) { r.TokensOut = new(int64(-1)) }},
		"with settings in a list":     {refused, func(r *record.Proposal) { r.Settings = []byte(`[]`) }},
		"without settings":            {refused, func(r *record.Proposal) { r.Settings = nil }},
		"with settings of no text":    {refused, func(r *record.Proposal) { r.Settings = []byte("{\"a\":\"\xff\"}") }},
		"with an id of nothing":       {refused, func(r *record.Proposal) { r.Grounding = []string{""} }},
		"with the byte 0":             {refused, func(r *record.Proposal) { r.Grounding = []string{"a\x00"} }},
		"with the byte 0 in its name": {refused, func(r *record.Proposal) { r.Actor = "a\x00" }},
		"accepted, of a refusal":      {refused, func(r *record.Proposal) { r.Verdict, r.Failed, r.Reason = "accepted", "", "" }},
		"refused, of an acceptance":   {recordtest.Accepted("arrival"), func(r *record.Proposal) { r.Verdict, r.Failed, r.Reason = "refused", "law", "x" }},
		"refused by another check":    {refused, func(r *record.Proposal) { r.Failed = "reach" }},
		"refused for another reason":  {refused, func(r *record.Proposal) { r.Reason = "no" }},
		"accepted with a reason":      {recordtest.Accepted("arrival"), func(r *record.Proposal) { r.Reason = "no" }},
	} {
		if err := recordtest.Proposed(c.of, "T-0001", c.spoil).Validate(); err == nil || strings.TrimSpace(err.Error()) == "" {
			t.Errorf("a row %s is valid", name)
		}
	}
}
