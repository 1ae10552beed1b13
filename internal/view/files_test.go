package view_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/record/recordtest"
	"torve/internal/truth"
	"torve/internal/view"
)

func status(t testing.TB, r *truth.Reading, o view.Options) view.StatusAnswer {
	t.Helper()
	a, err := view.Status(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// landedFile commits a landing of long ago as it is written, and what change makes of it.
func (s *shop) landedFile(task string, at time.Time, change func(string) string) string {
	s.t.Helper()
	data, err := carrier.WriteLanding(carrier.Landing{Task: task, Title: "Answer " + task, Attempt: 1, At: at, Target: "main",
		Commit: recordtest.Object("e"), Contract: recordtest.Digest("1"), Gate: &carrier.Gate{}, Spent: carrier.Spent{Source: "unknown"}})
	if err != nil {
		s.t.Fatal(err)
	}
	path := carrier.LandingPath(task, "", 1, at)
	s.Write(path, change(string(data)))
	s.Commit("Land " + task)
	return path
}

func asItIs(text string) string { return text }

func TestAttemptsWithoutARecordAreThoseOfThisCheckoutsTelemetry(t *testing.T) {
	s := night(t)
	r, o := s.clone()
	a := status(t, r, o)
	if got := a.Sources["attempts"]; got.Carrier != "none" || got.Rows != 0 {
		t.Errorf("a clone tells of attempts: %+v", got)
	}
	if out := text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) }); strings.Contains(out, "attempts today") {
		t.Errorf("what is not known is shown as a figure:\n%s", out)
	}
	o.Telemetry = filepath.Join(t.TempDir(), "telemetry.jsonl")
	usd := 0.5
	for n := range 3 {
		row := carrier.Row{At: now.Add(-time.Hour), Task: "T-0001", Attempt: n + 1, Agent: carrier.Agent{Adapter: "claude"}, Verdict: "none", Source: "unknown"}
		if n > 0 {
			row.USD, row.Source = &usd, "reported"
		}
		if err := carrier.AppendRow(o.Telemetry, row); err != nil {
			t.Fatal(err)
		}
	}
	a = status(t, r, o)
	if got := a.Sources["attempts"]; got.Carrier != "files" || got.Rows != 3 {
		t.Errorf("sources %+v", got)
	}
	out := text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) })
	for _, want := range []string{"3 attempts today", "$1.00 reported", "1 attempt of unknown cost"} {
		if !strings.Contains(out, want) {
			t.Errorf("the day lacks %q:\n%s", want, out)
		}
	}
	f, err := os.OpenFile(o.Telemetry, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, `{"schema":"torve/telemetry/v1","tsk":1}`)
	f.Close()
	if a = status(t, r, o); len(a.Faults) != 1 || !strings.Contains(a.Faults[0].Error, "telemetry.jsonl:4:") {
		t.Errorf("a row that does not read is not named: %+v", a.Faults)
	}
	r, here := s.here()
	here.Telemetry = o.Telemetry
	if got := status(t, r, here).Sources["attempts"]; got.Carrier != "record" || got.Rows == 3 {
		t.Errorf("where a record is read, attempts are from %+v", got)
	}
}

func TestALandingThatReadsNoFurtherThanItsHeadHasLandedAndIsNamed(t *testing.T) {
	s := open(t)
	path := s.landedFile("T-0021", eve, func(text string) string { return text + "extra: 1\n" })
	r, o := s.here()
	a := status(t, r, o)
	if len(a.Tasks) != 1 || a.Tasks[0].State != board.Landed || a.Tasks[0].Landing.Path != path {
		t.Errorf("tasks %+v", a.Tasks)
	}
	if len(a.Faults) != 1 || a.Faults[0].Path != path || !strings.Contains(a.Faults[0].Error, `there is no key "extra"`) {
		t.Errorf("faults %+v", a.Faults)
	}
}

func TestOldLandingsAreNotReadForABoardThatDoesNotShowThem(t *testing.T) {
	s := open(t)
	old := now.AddDate(0, -1, 0)
	for n := range 5 {
		s.landedFile(fmt.Sprintf("T-%04d", 30+n), old.Add(time.Duration(n)*time.Hour), asItIs)
	}
	s.Write(carrier.LandingPath("T-0030", "", 1, old), s.Read(carrier.LandingPath("T-0030", "", 1, old))+"extra: 1\n")
	s.Commit("Edit the oldest")
	r, o := s.here()
	if a := status(t, r, o); len(a.Faults) != 1 || a.Tasks[1].Title != "Answer T-0031" {
		t.Errorf("the whole answer lacks the oldest: %+v, faults %v", a.Tasks, a.Faults)
	}
	o.Brief = true
	a := status(t, r, o)
	if len(a.Faults) != 0 || a.Counts["landed"] != 5 || len(a.Tasks) != 3 || a.Sources["tasks"].Rows != 5 {
		t.Errorf("%v, %+v, faults %v", a.Counts, a.Tasks, a.Faults)
	}
	out := text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) })
	if !strings.Contains(out, "Answer T-0034") || !strings.Contains(out, "Answer T-0032") || strings.Contains(out, "T-0031") {
		t.Errorf("the board is\n%s", out)
	}
}
