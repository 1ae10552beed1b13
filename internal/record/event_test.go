package record_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"torve/internal/record"
	"torve/internal/record/recordtest"
)

func TestNewMakesAWholeEventWithAnIdOfItsOwn(t *testing.T) {
	at := time.Date(2026, 1, 31, 11, 0, 0, 999, time.FixedZone("CET", 3600))
	seen := map[string]bool{}
	for range 1000 {
		e, err := record.New(record.Message{Text: "x"}, at, record.Envelope{Actor: record.Actor{Kind: record.ByPerson}})
		if err != nil {
			t.Fatal(err)
		}
		if seen[e.ID] {
			t.Fatalf("the id %s came twice", e.ID)
		}
		seen[e.ID] = true
		if !e.At.Equal(recordtest.At) || e.At.Location() != time.UTC || e.Schema != record.Schema {
			t.Fatalf("made %+v", e)
		}
	}
	if _, err := record.New(record.Message{}, at, record.Envelope{Actor: record.Actor{Kind: record.ByPerson}}); err == nil {
		t.Error("an event of half a payload was made")
	}
}

func TestAListThatIsNilIsWrittenEmptyAndTheCallersValueStays(t *testing.T) {
	p := record.Decision{ID: "S-0001/D-1", Grade: "OPEN", Text: "how"}
	m := record.Minted{
		Digest: recordtest.Digest("1"), Contract: []byte(`{"id":"T-1"}`), Owner: "o", Path: "p", Commit: recordtest.Object("c"),
		Decisions: []record.Row{{ID: p.ID, Grade: p.Grade, Text: p.Text}},
	}
	for _, payload := range []record.Payload{p, m, &m} {
		e, err := record.New(payload, recordtest.At, record.Envelope{Task: "T-1", Actor: record.Actor{Kind: record.ByMint}})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(e.Payload), `"paths":[]`) || strings.Contains(string(e.Payload), "null") {
			t.Errorf("written as %s", e.Payload)
		}
	}
	if m.Decisions[0].Paths != nil {
		t.Error("the caller's rows were changed")
	}
}

func TestTheHashIsOverThePreviousOneTheSeqAndTheBody(t *testing.T) {
	body := []byte(`{"id":"x"}`)
	before := sha256.Sum256([]byte("before"))
	want := sha256.Sum256(slices.Concat(before[:], []byte{0, 0, 0, 0, 0, 0, 1, 2}, body))
	if got := record.HashOf(hex.EncodeToString(before[:]), 258, body); got != hex.EncodeToString(want[:]) {
		t.Errorf("hash %s", got)
	}
	first := sha256.Sum256(slices.Concat([]byte{0, 0, 0, 0, 0, 0, 0, 1}, body))
	if got := record.HashOf("", 1, body); got != hex.EncodeToString(first[:]) {
		t.Errorf("the first event's hash %s", got)
	}
}

func TestWhoMayWriteWhatIsOneTable(t *testing.T) {
	for actor, want := range map[string]string{
		"mint":     "source.imported decision.recorded task.minted task.reminted task.withdrawn",
		"dispatch": "task.claimed task.released attempt.finished escalation.raised",
		"attempt":  "attempt.started attempt.finished gate.judged spend.recorded",
		"landing":  "gate.judged landing.proposed landing.recorded",
		"person":   "task.minted landing.recorded escalation.resolved message.sent",
		"review":   "review.recorded blocker.raised",
		"agent":    "divergence.recorded message.sent",
		"":         "",
		"root":     "",
	} {
		var may []string
		for _, k := range record.Kinds() {
			if record.MayWrite(actor, k) {
				may = append(may, string(k))
			}
		}
		if got := strings.Join(may, " "); got != want {
			t.Errorf("%q may write %s", actor, got)
		}
	}
}

func TestARefusalByAuthorityNamesActorAndKind(t *testing.T) {
	e := sample(t, record.KindMinted)
	e.Actor.Kind = record.ByAgent
	err := record.Admit(e)
	var f *record.Forbidden
	if !errors.As(err, &f) || err.Error() != `the actor "agent" may not write task.minted` {
		t.Errorf("refused with %v", err)
	}
}

func TestEveryKindIsWrittenBySomeone(t *testing.T) {
	for _, e := range recordtest.Samples(t) {
		if err := record.Admit(e); err != nil {
			t.Error(err)
		}
	}
}

func TestADecodedPayloadIsAValueOfItsKind(t *testing.T) {
	for _, e := range recordtest.Samples(t) {
		p, err := record.Decode(e)
		if err != nil || p.Kind() != e.Kind {
			t.Errorf("%s decoded as %T, %v", e.Kind, p, err)
		}
	}
	if _, is := must(record.Decode(sample(t, record.KindMinted))).(record.Minted); !is {
		t.Error("task.minted is not decoded by value")
	}
}

func must(p record.Payload, err error) record.Payload {
	if err != nil {
		panic(err)
	}
	return p
}

func TestATextThatIsNoUTF8IsWrittenWithItsBytesShown(t *testing.T) {
	paths := []string{"latin-\xe9", "latin-\xe8", "店", "cut \xe5\xba"}
	e, err := record.New(record.Escalation{Reason: "scope", Detail: "x\xff", Paths: paths}, time.Unix(0, 0),
		record.Envelope{Task: "T-0001", Actor: record.Actor{Kind: record.ByDispatch, ID: "andr\xe9"}, Host: "h\xf6st"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := record.Decode(e)
	if err != nil {
		t.Fatal(err)
	}
	want := record.Escalation{Reason: "scope", Detail: `x\xff`, Paths: []string{`latin-\xe9`, `latin-\xe8`, "店", `cut \xe5\xba`}}
	if !reflect.DeepEqual(p, want) || e.Actor.ID != `andr\xe9` || e.Host != `h\xf6st` {
		t.Errorf("it is written as %+v by %+v", p, e.Actor)
	}
	body, err := e.Body()
	if err != nil || strings.ContainsRune(string(body), '\uFFFD') || paths[0] != "latin-\xe9" {
		t.Errorf("the body is %s, %v", body, err)
	}
}
