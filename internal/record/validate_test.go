package record_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"torve/internal/record"
	"torve/internal/record/recordtest"
)

// needs lists what each kind's payload cannot be without.
var needs = map[record.Kind]string{
	record.KindSource:     "blob commit",
	record.KindDecision:   "id grade text paths",
	record.KindMinted:     "digest contract owner path commit",
	record.KindReminted:   "digest contract owner path commit was changed",
	record.KindWithdrawn:  "commit why",
	record.KindClaimed:    "boot pid start worker",
	record.KindReleased:   "why",
	record.KindStarted:    "mode agent base from worktree walls contract prompt_sha256",
	record.KindFinished:   "end base head tree ref usage agent why",
	record.KindJudged:     "moment contract verdict check reason checks",
	record.KindDivergence: "decision claim evidence action",
	record.KindReview:     "of verdict findings",
	record.KindBlocker:    "path severity claim",
	record.KindProposed:   "branch sha",
	record.KindLanded:     "path target commit contract",
	record.KindEscalation: "reason detail",
	record.KindResolved:   "answer mode",
	record.KindMessage:    "text",
	record.KindSpend:      "usage what",
}

// wrongs lists values that each kind's payload must refuse.
var wrongs = map[record.Kind]string{
	record.KindSource:     `{"blob":"abc"} {"path":""} {"root":"x"}`,
	record.KindDecision:   `{"grade":"locked"} {"id":"D-3"} {"paths":[""]} {"blob":"b"}`,
	record.KindMinted:     `{"digest":"1f3c9ab"} {"contract":[]} {"contract":{"id":"T-0002"}} {"commit":"HEAD"} {"decisions":[{"id":"S-0001/D-1"}]}`,
	record.KindReminted:   `{"was":"2222222222222222222222222222222222222222222222222222222222222222"} {"changed":[]} {"changed":[""]} {"contract":{}}`,
	record.KindWithdrawn:  `{"why":"  "}`,
	record.KindClaimed:    `{"pid":0} {"pid":-1}`,
	record.KindReleased:   `{"why":"bored"} {"why":"landed"} {"not_before":"2026-01-31T12:00:00+01:00"} {"not_before":"2026-01-31T12:00:00.5Z"}`,
	record.KindStarted:    `{"mode":"again"} {"mode":"first"} {"mode":"fresh"} {"from":""} {"agent":{"adapter":""}}`,
	record.KindFinished:   `{"end":"bored"} {"seconds":-1} {"changes":-1} {"ref":"refs/heads/main"} {"usage":{"usd_source":"reported"}} {"usage":{"usd_source":"unknown","usd":0}} {"usage":{"usd_source":"reported","usd":-1}} {"usage":{"usd_source":"unknown","tokens_in":-1}} {"usage":{"usd_source":"free"}} {"output_sha256":"x"} {"end":"done","head":"","tree":"","ref":""}`,
	record.KindJudged:     `{"moment":"later"} {"verdict":"maybe"} {"verdict":"accepted"} {"check":"law"} {"check":"luck"} {"checks":[]} {"acceptance":[{"line":"go test"}]} {"conflicts":[""]} {"tree":"x"}`,
	record.KindDivergence: `{"grade":"locked"} {"action":"ignored"}`,
	record.KindReview:     `{"of":0} {"verdict":"fine"} {"blockers":4} {"blockers":-1}`,
	record.KindBlocker:    `{"line":-1}`,
	record.KindProposed:   `{"sha":"8"}`,
	record.KindLanded:     `{"path":"x.yaml"} {"path":".torve/execution/T-0002-2-20260131T100000Z.yaml"} {"path":".torve/execution/T-0001-3-20260131T100000Z.yaml"} {"path":".torve/execution/T-0001-2-today.yaml"} {"path":".torve/x/T-0001-2-20260131T100000Z.yaml"} {"head":"x"} {"reverts":[""]}`,
	record.KindEscalation: `{"reason":"bored"} {"reason":"refused","check":""} {"check":"luck"} {"paths":[""]}`,
	record.KindResolved:   `{"answer":"ignored"} {"mode":"again"} {"answer":"abandoned"}`,
	record.KindMessage:    `{"text":"\n"}`,
	record.KindSpend:      `{"usage":{"usd_source":"unknown","usd":1}}`,
}

func TestNothingHalfEmptyIsValid(t *testing.T) {
	for _, e := range recordtest.Samples(t) {
		keys := strings.Fields(needs[e.Kind])
		if len(keys) == 0 {
			t.Errorf("%s needs nothing", e.Kind)
		}
		for _, key := range keys {
			if spoilt(t, e, map[string]json.RawMessage{key: nil}).Validate() == nil {
				t.Errorf("%s is valid without %s", e.Kind, key)
			}
		}
	}
}

func TestWhatIsOutsideAClosedListOrAFormIsRefused(t *testing.T) {
	for _, e := range recordtest.Samples(t) {
		var all []map[string]json.RawMessage
		for dec := json.NewDecoder(strings.NewReader(wrongs[e.Kind])); dec.More(); {
			var w map[string]json.RawMessage
			if err := dec.Decode(&w); err != nil {
				t.Fatal(e.Kind, err)
			}
			all = append(all, w)
		}
		if len(all) == 0 {
			t.Errorf("%s refuses nothing", e.Kind)
		}
		for _, w := range all {
			if spoilt(t, e, w).Validate() == nil {
				t.Errorf("%s is valid with %s", e.Kind, w)
			}
		}
	}
}

// spoilt is the event with keys of its payload set, or taken away where nil.
func spoilt(t *testing.T, e record.Event, keys map[string]json.RawMessage) record.Event {
	t.Helper()
	var have map[string]json.RawMessage
	if err := json.Unmarshal(e.Payload, &have); err != nil {
		t.Fatal(err)
	}
	maps.Copy(have, keys)
	maps.DeleteFunc(have, func(_ string, v json.RawMessage) bool { return v == nil })
	out, err := json.Marshal(have)
	if err != nil {
		t.Fatal(err)
	}
	e.Payload = out
	return e
}

func TestAnEnvelopeOwesWhatItsKindSays(t *testing.T) {
	for name, spoil := range map[string]func(*record.Event){
		"no id":               func(e *record.Event) { e.ID = " " },
		"no task":             func(e *record.Event) { e.Task = "" },
		"no attempt":          func(e *record.Event) { e.Attempt = 0 },
		"an attempt below":    func(e *record.Event) { e.Attempt = -1 },
		"no actor":            func(e *record.Event) { e.Actor.Kind = "" },
		"no time":             func(e *record.Event) { e.At = time.Time{} },
		"a time elsewhere":    func(e *record.Event) { e.At = e.At.In(time.FixedZone("CET", 3600)) },
		"part of a second":    func(e *record.Event) { e.At = e.At.Add(time.Millisecond) },
		"a schema of nothing": func(e *record.Event) { e.Schema = 0 },
	} {
		e := sample(t, record.KindStarted)
		if spoil(&e); e.Validate() == nil {
			t.Errorf("%s is valid", name)
		}
	}
	for _, k := range []record.Kind{record.KindClaimed, record.KindReleased} {
		e := sample(t, k)
		if e.Claim = ""; e.Validate() == nil {
			t.Errorf("%s is valid without a claim", k)
		}
	}
}

func sample(t *testing.T, k record.Kind) record.Event {
	t.Helper()
	all := recordtest.Samples(t)
	return all[slices.IndexFunc(all, func(e record.Event) bool { return e.Kind == k })]
}

func TestAVerdictIsTheOneThatItsAnswersGive(t *testing.T) {
	if err := recordtest.Accepted("due").Validate(); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*record.Judged){
		"a no among the answers": func(j *record.Judged) { j.Checks[3].Said = "no" },
		"reach was not asked":    func(j *record.Judged) { j.Checks[4].Said = "-" },
		"no tree":                func(j *record.Judged) { j.Tree = "" },
		"a reason":               func(j *record.Judged) { j.Reason = "well" },
		"refused without a no":   func(j *record.Judged) { j.Verdict, j.Check, j.Reason = "refused", "law", "x" },
		"five answers":           func(j *record.Judged) { j.Checks = j.Checks[:5] },
		"another order": func(j *record.Judged) {
			j.Checks[0], j.Checks[1] = j.Checks[1], j.Checks[0]
		},
	} {
		j := recordtest.Accepted("arrival")
		if spoil(&j); j.Validate() == nil {
			t.Errorf("accepted with %s is valid", name)
		}
	}
	ran := record.Ran{Line: "go test", Tree: recordtest.Object("7"), Output: recordtest.Digest("3"), Tests: -1}
	for name, spoil := range map[string]func(*record.Ran){
		"failed, and no why":     func(r *record.Ran) { r.Exit = 1 },
		"green without output":   func(r *record.Ran) { r.Output = "" },
		"a count below unknown":  func(r *record.Ran) { r.Tests = -2 },
		"no tree it was run on":  func(r *record.Ran) { r.Tree = "" },
		"a time below zero":      func(r *record.Ran) { r.Seconds = -1 },
		"no line":                func(r *record.Ran) { r.Line = "" },
		"an output of no digest": func(r *record.Ran) { r.Output = "ok" },
		"flaky, and red":         func(r *record.Ran) { r.Exit, r.Why, r.Flaky, r.First = 1, "exited 1", true, "exited 1" },
		"flaky, and no why":      func(r *record.Ran) { r.Flaky = true },
	} {
		j, r := recordtest.Accepted("arrival"), ran
		if j.Acceptance = []record.Ran{r}; j.Validate() != nil {
			t.Fatal(j.Validate())
		}
		if spoil(&j.Acceptance[0]); j.Validate() == nil {
			t.Errorf("an acceptance line with %s is valid", name)
		}
	}
}

func TestAnAttemptThatBrokeBeforeItHadATreeKeepsNone(t *testing.T) {
	p := record.Finished{
		End: "infrastructure", Why: "the disk is full", Base: recordtest.Object("a"), Agent: record.Agent{Adapter: "x"},
		Usage: record.Usage{Source: "unknown"},
	}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	if p.Head = recordtest.Object("8"); p.Validate() == nil {
		t.Error("half a kept tree is valid")
	}
}

func TestThePartitionOpensWithTheRepositorysRoot(t *testing.T) {
	if err := (record.Source{Root: recordtest.Object("0")}).Validate(); err != nil {
		t.Error(err)
	}
	if (record.Source{}).Validate() == nil {
		t.Error("a source of nothing is valid")
	}
}

func TestATimeThatNobodyKnowsIsAbsentAndAnOldFigureStillReads(t *testing.T) {
	e := sample(t, record.KindFinished)
	whole, err := record.Decode(e)
	if err != nil {
		t.Fatal(err)
	}
	unknown := whole.(record.Finished)
	unknown.Seconds = nil
	data, err := json.Marshal(unknown)
	if err != nil || strings.Contains(string(data), "seconds") || unknown.Validate() != nil {
		t.Errorf("%s: %v, %v", data, err, unknown.Validate())
	}
	e.Payload = json.RawMessage(strings.Replace(string(data), `"exit":-1`, `"exit":-1,"seconds":0`, 1))
	old, err := record.Decode(e)
	if f, ok := old.(record.Finished); err != nil || !ok || f.Seconds == nil || *f.Seconds != 0 {
		t.Errorf("an older crash reads as %+v, %v", old, err)
	}
}
