package attempt

import (
	"slices"
	"strings"
	"testing"
	"time"

	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/record"
	"torve/internal/truth"
)

func TestADivergenceIsRecordedFromReportAndSpoolBeforeTheEnd(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n",
		`report:{"task":"T-0001","summary":"s","leans_on":["S-0001/D-1"],"divergences":[{"decision":"S-0001/D-1","claim":"kept","evidence":"a.txt:4","action":"upheld"}]}`,
		`note:{"decision":"unlisted","claim":"four","evidence":"a.txt:4","action":"decided","proposal":"Count to four"}`,
		`note:not an entry`)
	w.mint(task("T-0001"), rows()[0])
	res := w.run(w.job("T-0001"))
	wantAccepted(t, res)
	if got := w.kinds("T-0001")[3:6]; !slices.Equal(got, []string{"divergence.recorded", "divergence.recorded", "attempt.finished"}) {
		t.Errorf("the events are %v", got)
	}
	log := w.task("T-0001").Log
	if log[0].Grade != "LOCKED" || log[0].Decision != "S-0001/D-1" || log[1].Decision != "unlisted" || log[1].Grade != "" {
		t.Errorf("the log is %+v", log)
	}
	if !w.notes.said("warn", "line 2 of the agent's notes") {
		t.Error("a broken note was left out and nobody was told")
	}
	for e, err := range w.log.Read(t.Context(), partition, 1) {
		if err == nil && e.Kind == record.KindDivergence && (e.Actor.Kind != "agent" || e.Actor.ID != "fake/T-0001/1") {
			t.Errorf("the actor is %+v", e.Actor)
		}
	}
}

func TestTheLogIsRenderedIntoTheTreeThatIsAskedAndIsNoChangeOfTheAgents(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n", `note:{"decision":"unlisted","claim":"four","evidence":"a.txt:4","action":"decided","proposal":"p"}`)
	w.mint(task("T-0001", func(c *contract.Contract) { c.Acceptance = []string{"test -f .torve/tasks/T-0001/log.yaml"} }))
	res := w.run(w.job("T-0001"))
	wantAccepted(t, res)
	f := w.finished("T-0001", 1)
	if f.Changes != 1 || w.show(f.Tree, ".torve/tasks/T-0001/log.yaml") != "" {
		t.Errorf("the log is one of the agent's %d changes", f.Changes)
	}
	want, err := carrier.WriteLog(truth.LogOf(w.task("T-0001"), f.Base))
	if err != nil {
		t.Fatal(err)
	}
	if got := w.show(res.Judged.Tree, ".torve/tasks/T-0001/log.yaml"); got != strings.TrimSpace(string(want)) {
		t.Errorf("the tree has\n%s\nand the record renders\n%s", got, want)
	}
}

func TestTelemetryIsRenderedFromTheRecordOneRowAnAttempt(t *testing.T) {
	w := newWorld(t)
	wantAccepted(t, w.attempt("append:a.txt:four\\n"))
	w.agent("hang")
	w.s.Settings.Idle = 700 * time.Millisecond
	j := w.job("T-0001")
	j.Mode = "fresh"
	wantEnd(t, w.run(j), "idle")
	got, faults, err := carrier.ReadRows(w.s.Settings.Telemetry)
	if err != nil || len(faults) > 0 || len(got) != 2 {
		t.Fatalf("rows %v, faults %v, %v", got, faults, err)
	}
	for i, row := range got {
		want, ok := truth.RowOf("T-0001", *w.task("T-0001").Attempt(i + 1))
		if !ok || row.Verdict != want.Verdict || row.Regime != want.Regime || row.Head != want.Head || row.Attempt != want.Attempt || !row.At.Equal(want.At) {
			t.Errorf("row %d is %+v, want %+v", i, row, want)
		}
	}
	if got[0].Verdict != "accepted" || got[1].Verdict != "none" || got[0].USD != nil {
		t.Errorf("the rows say %+v", got)
	}
}

func TestSecretsOfTheEnvironmentAreMaskedInWhatIsRecorded(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n", `note:{"decision":"unlisted","claim":"hunter2hunter2","evidence":"a.txt:4","action":"decided","proposal":"p"}`)
	w.mint(task("T-0001", func(c *contract.Contract) { c.Acceptance = []string{"echo hunter2hunter2; exit 1"} }))
	res := w.run(w.job("T-0001"))
	wantRefused(t, res, "reach", "exited 1")
	for e, err := range w.log.Read(t.Context(), partition, 1) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != record.KindMinted && strings.Contains(string(e.Payload), "hunter2hunter2") {
			t.Errorf("%s holds the secret: %s", e.Kind, e.Payload)
		}
	}
	if strings.Contains(res.Evidence, "hunter2hunter2") {
		t.Errorf("the evidence holds the secret: %s", res.Evidence)
	}
}
