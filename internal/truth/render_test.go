package truth

import (
	"path/filepath"
	"reflect"
	"testing"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/record"
	"torve/internal/record/recordtest"
)

// lived is a record with one task that was tried and accepted, and one whose only
// attempt was refused after it ran out of time.
func lived(t *testing.T) (*place, *board.Board) {
	p := newPlace(t).opened()
	p.ask(task)
	p.ask("T-0002")
	p.mint(task, record.Row{ID: "S-0001/D-1", Grade: "OPEN", Text: "named later", Paths: []string{"a/**"}})
	p.mint("T-0002")
	p.try(task)
	p.event(task, 1, "c1", record.ByLanding, recordtest.Accepted("due"))
	p.event("T-0002", 0, "c2", record.ByDispatch, record.Claimed{Boot: "b", PID: 1, Start: "1", Worker: "w"})
	p.event("T-0002", 1, "c2", record.ByAttempt, record.Started{Mode: "first", Agent: record.Agent{Adapter: "replay"}, Base: recordtest.Object("b"),
		Worktree: "/w", Walls: "none", Contract: recordtest.Digest("1"), Prompt: recordtest.Digest("2")})
	p.event("T-0002", 1, "c2", record.ByAttempt, record.Finished{End: "time", Exit: -1, Seconds: new(1800.0), Base: recordtest.Object("b"), Head: recordtest.Object("c"),
		Tree: recordtest.Object("d"), Ref: "refs/torve/attempts/T-0002/1", Usage: record.Usage{Source: "unknown"},
		Agent: record.Agent{Adapter: "replay"}, Regime: recordtest.Digest("3"), Why: "it ran out of time"})
	return p, p.gather().Board
}

func TestTelemetryIsRenderedFromTheRecord(t *testing.T) {
	_, b := lived(t)
	file := filepath.Join(t.TempDir(), "telemetry.jsonl")
	want := map[string]board.Attempt{}
	for _, task := range b.Tasks {
		for _, a := range task.Attempts {
			row, finished := RowOf(task.ID, a)
			if !finished {
				t.Fatalf("%s, attempt %d still runs", task.ID, a.N)
			}
			if err := carrier.AppendRow(file, row); err != nil {
				t.Fatal(err)
			}
			want[task.ID] = a
		}
	}
	rows, faults, err := carrier.ReadRows(file)
	if err != nil || len(faults) > 0 || len(rows) != 2 {
		t.Fatalf("%d rows, faults %v, %v", len(rows), faults, err)
	}
	for _, row := range rows {
		if again, _ := RowOf(row.Task, want[row.Task]); !reflect.DeepEqual(row, again) {
			t.Errorf("the file holds %+v, the record says %+v", row, again)
		}
		f := want[row.Task].Finished
		if row.Base != f.Base || row.Head != f.Head || row.Regime != f.Regime || !reflect.DeepEqual(row.Seconds, f.Seconds) || !reflect.DeepEqual(row.USD, f.Usage.USD) ||
			!reflect.DeepEqual(row.TokensIn, f.Usage.TokensIn) || row.Source != f.Usage.Source || row.Agent != carrier.Agent(f.Agent) {
			t.Errorf("the row %+v is not what attempt.finished says: %+v", row, f)
		}
	}
}

func TestARowHasTheVerdictOfItsArrival(t *testing.T) {
	_, b := lived(t)
	a := b.Tasks[task].Attempts[0]
	if row, _ := RowOf(task, a); row.Verdict != "accepted" || row.Check != "" {
		t.Errorf("the row is %+v", row)
	}
	// What a kept tree is asked later is no part of a row that was written before.
	a.Judged = append(a.Judged, board.Judging{Judged: recordtest.Refused("arrival", "law", "no")})
	if row, _ := RowOf(task, a); row.Verdict != "accepted" {
		t.Errorf("asked again the row is %+v", row)
	}
	a.Judged = []board.Judging{{Judged: recordtest.Refused("arrival", "law", "no")}}
	if row, _ := RowOf(task, a); row.Verdict != "refused" || row.Check != "law" || row.Reason != "no" {
		t.Errorf("refused the row is %+v", row)
	}
	if row, _ := RowOf("T-0002", b.Tasks["T-0002"].Attempts[0]); row.Verdict != "none" || row.USD != nil {
		t.Errorf("not judged the row is %+v", row)
	}
	a.Finished.Seconds = nil
	if row, _ := RowOf(task, a); row.Seconds != nil {
		t.Errorf("of a time that nobody knows the row says %v", *row.Seconds)
	}
	if l := LandingOf(b.Tasks[task], a, Facts{}); l.Spent.Seconds != nil {
		t.Errorf("of a time that nobody knows the landing says %v", *l.Spent.Seconds)
	}
	a.Finished = nil
	if _, finished := RowOf(task, a); finished {
		t.Error("an attempt that runs has a row")
	}
}

func TestALogIsRenderedFromTheRecord(t *testing.T) {
	p, b := lived(t)
	l := LogOf(b.Tasks[task], "9c41e07")
	data, err := carrier.WriteLog(l)
	if err != nil {
		t.Fatal(err)
	}
	got, err := carrier.ReadLog(carrier.LogPath(task), data)
	if err != nil || !reflect.DeepEqual(got, l) {
		t.Fatalf("the file holds %+v, the record says %+v: %v", got, l, err)
	}
	n := 0
	for e, err := range p.log.Read(t.Context(), partition, 1) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != record.KindDivergence {
			continue
		}
		payload, err := record.Decode(e)
		if err != nil {
			t.Fatal(err)
		}
		d, x := payload.(record.Divergence), got.Entries[n]
		want := carrier.Entry{Decision: d.Decision, Grade: d.Grade, Claim: d.Claim, Evidence: d.Evidence, Action: d.Action, Why: d.Why, Proposal: d.Proposal, Attempt: e.Attempt, At: e.At}
		if x != want {
			t.Errorf("entry %d is %+v, the record says %+v", n, x, want)
		}
		n++
	}
	if n != 1 || len(got.Entries) != n {
		t.Errorf("%d entries of %d divergences", len(got.Entries), n)
	}
}

func TestALandingIsRenderedFromTheRecord(t *testing.T) {
	_, b := lived(t)
	tk := b.Tasks[task]
	a := tk.Attempts[0]
	f := Facts{At: noon, Target: "main", Onto: recordtest.Object("1"), Work: recordtest.Object("2"), Tree: recordtest.Object("3"), Due: &a.Judged[1].Judged}
	l := LandingOf(tk, a, f)
	data, err := carrier.WriteLanding(l)
	if err != nil {
		t.Fatal(err)
	}
	got, err := carrier.ReadLanding(carrier.LandingPath(task, "", 1, noon), data)
	if err != nil {
		t.Fatal(err)
	}
	usd := 0.5
	for name, same := range map[string]bool{
		"title":     got.Title == tk.Contract.Title,
		"contract":  got.Contract == tk.Digest,
		"scope":     reflect.DeepEqual(got.Scope.Allow, tk.Contract.Scope.Allow),
		"decisions": reflect.DeepEqual(got.Decisions, []carrier.Decision{{ID: "S-0001/D-1", Grade: "OPEN", Text: "named later"}}),
		"entries":   reflect.DeepEqual(got.Entries, LogOf(tk, "").Entries),
		"agent":     got.Agent == carrier.Agent{Adapter: "replay", Model: "m", Version: "2"},
		"walls":     got.Walls == "none",
		"base":      got.Base == a.Finished.Base,
		"onto":      got.Onto == f.Onto && got.Commit == f.Work && got.Tree == f.Tree && got.Target == "main",
		"spent":     got.Spent.Attempts == 1 && *got.Spent.Seconds == 61 && *got.Spent.USD == usd && got.Spent.Source == "reported" && *got.Spent.TokensIn == 10,
		"reverts":   got.Reverts == nil && got.Attested == "",
	} {
		if !same {
			t.Errorf("%s is not what the record says: %+v", name, got)
		}
	}
	asked := 0
	var want []carrier.Answer
	for _, j := range a.Judged {
		for _, c := range j.Checks {
			want = append(want, carrier.Answer{Moment: j.Moment, Check: c.Check, Said: c.Said, Note: c.Note})
			if j.Moment == "arrival" {
				asked++
			}
		}
	}
	if !reflect.DeepEqual(got.Gate.Checks, want) || got.Gate.Asked != asked {
		t.Errorf("the gate said %+v, the record says %+v", got.Gate, want)
	}
}

func TestAnAttestedLandingNamesThePersonAndNoGate(t *testing.T) {
	_, b := lived(t)
	l := LandingOf(b.Tasks["T-0002"], board.Attempt{}, Facts{At: noon, Target: "main", Work: recordtest.Object("2"), Attested: "you"})
	if _, err := carrier.WriteLanding(l); err != nil || l.Gate != nil || l.Attempt != 0 || l.Attested != "you" || l.Spent.USD != nil || l.Spent.Source != "unknown" {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestALandingOfARevertNamesWhatItReverts(t *testing.T) {
	_, b := lived(t)
	tk := *b.Tasks[task]
	tk.Contract.Role, tk.Contract.Targets = "revert", []string{"T-0009"}
	if l := LandingOf(&tk, tk.Attempts[0], Facts{At: noon}); !reflect.DeepEqual(l.Reverts, []string{"T-0009"}) {
		t.Errorf("it reverts %v", l.Reverts)
	}
}

func TestCarrierAndContractKnowATaskByTheSameName(t *testing.T) {
	for _, id := range []string{"T-0001", "OPS-rotate-keys", "T-a_b", "t-1", "T-", "T-1-", "T", "", "T-1/../x", "T-é", "TT-0-0"} {
		if carrier.ValidTask(id) != contract.ValidID(id) {
			t.Errorf("%q: carrier says %v, contract %v", id, carrier.ValidTask(id), contract.ValidID(id))
		}
	}
}
