package carrier

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

func aFinding() Finding {
	f := Finding{At: noon, Task: "T-0007", Attempt: 2, Commit: "4e1f0aa", Severity: "major", Path: "law/seam.go", Line: 42,
		Claim: "the refusal loses its check when the list is <empty>", By: "you@example.com", State: FindingOpen}
	f.ID = FindingID(f)
	return f
}

func closed(f Finding, state, why string) Finding {
	return Finding{At: f.At.Add(time.Hour), ID: f.ID, Task: f.Task, By: "ada@example.com", State: state, Why: why}
}

func aFeedback() Feedback {
	return Feedback{At: noon, Task: "T-0007", Minutes: new(12.5), Rework: true, Note: "renamed by hand: \"Cart\"", By: "you@example.com"}
}

func TestALedgersRowHasOneForm(t *testing.T) {
	dir := t.TempDir()
	findings, feedback := filepath.Join(dir, "findings.jsonl"), filepath.Join(dir, "feedback.jsonl")
	f := aFinding()
	for _, row := range []Finding{f, closed(f, FindingFixed, ""), closed(f, FindingDismissed, "it is meant so")} {
		if err := AppendFinding(findings, row); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []Feedback{aFeedback(), {At: noon, Task: "T-0008", Rework: true, By: "ada@example.com"}} {
		if err := AppendFeedback(feedback, row); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{findings, feedback} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Base(file), data)
	}
	rows, faults, err := ReadFeedback(feedback)
	want := aFeedback()
	want.Schema = FeedbackSchema
	if err != nil || len(faults) > 0 || len(rows) != 2 || !reflect.DeepEqual(rows[0], want) || rows[1].Minutes != nil {
		t.Errorf("%+v, %v, %v", rows, faults, err)
	}
}

func TestALaterRowOfTheSameIDChangesItsState(t *testing.T) {
	f := aFinding()
	other := aFinding()
	other.Claim, other.Severity = "another", "minor"
	other.ID = FindingID(other)
	again := f
	again.At = noon.Add(2 * time.Hour)
	for name, c := range map[string]struct {
		rows  []Finding
		state string
		why   string
	}{
		"opened":               {[]Finding{f}, FindingOpen, ""},
		"told twice":           {[]Finding{f, f}, FindingOpen, ""},
		"fixed":                {[]Finding{f, other, closed(f, FindingFixed, "")}, FindingFixed, ""},
		"dismissed":            {[]Finding{f, closed(f, FindingDismissed, "meant so"), other}, FindingDismissed, "meant so"},
		"fixed, and back":      {[]Finding{f, closed(f, FindingFixed, ""), again}, FindingOpen, ""},
		"fixed, then not so":   {[]Finding{f, closed(f, FindingFixed, ""), closed(f, FindingDismissed, "never was")}, FindingDismissed, "never was"},
		"dismissed, and fixed": {[]Finding{f, closed(f, FindingDismissed, "no"), closed(f, FindingFixed, "after all")}, FindingFixed, "after all"},
	} {
		file := filepath.Join(t.TempDir(), "findings.jsonl")
		for _, row := range c.rows {
			if err := AppendFinding(file, row); err != nil {
				t.Fatal(err)
			}
		}
		l, faults, err := ReadFindings(file)
		got, there := l.Find(f.ID)
		if err != nil || len(faults) > 0 || l.Rows != len(c.rows) || !there {
			t.Fatalf("%s: %+v, %v, %v", name, l, faults, err)
		}
		if got.State != c.state || got.Why != c.why || got.Claim != f.Claim || (got.State == FindingOpen) != got.ClosedAt.IsZero() {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestARowThatALedgerCannotTakeIsNamedWithItsLine(t *testing.T) {
	f := `"at":"2026-01-31T12:00:00Z","task":"T-0007","by":"you"`
	for why, line := range map[string]string{
		"it has no at":                              `{"schema":"torve/findings/v1","id":"F-1","task":"T-0007","by":"you","state":"open"}`,
		"task is \"../x\"":                          `{"schema":"torve/findings/v1","at":"2026-01-31T12:00:00Z","id":"F-1","task":"../x","by":"you","state":"open"}`,
		"it has no by":                              `{"schema":"torve/findings/v1","at":"2026-01-31T12:00:00Z","id":"F-1","task":"T-0007","by":" ","state":"open"}`,
		`id is ""`:                                  `{"schema":"torve/findings/v1",` + f + `,"state":"open","severity":"major","claim":"x"}`,
		`severity is "fatal"`:                       `{"schema":"torve/findings/v1",` + f + `,"id":"F-1","state":"open","severity":"fatal","claim":"x"}`,
		"it has no severity":                        `{"schema":"torve/findings/v1",` + f + `,"id":"F-1","state":"open","claim":"x"}`,
		"it has no claim":                           `{"schema":"torve/findings/v1",` + f + `,"id":"F-1","state":"open","severity":"major"}`,
		`state is "done"`:                           `{"schema":"torve/findings/v1",` + f + `,"id":"F-1","state":"done","severity":"major","claim":"x"}`,
		"it has no why":                             `{"schema":"torve/findings/v1",` + f + `,"id":"F-1","state":"dismissed"}`,
		`path is "../seam.go"`:                      `{"schema":"torve/findings/v1",` + f + `,"id":"F-1","state":"open","severity":"major","claim":"x","path":"../seam.go"}`,
		`path is "/etc/passwd"`:                     `{"schema":"torve/findings/v1",` + f + `,"id":"F-1","state":"open","severity":"major","claim":"x","path":"/etc/passwd"}`,
		"it names a line, and no path":              `{"schema":"torve/findings/v1",` + f + `,"id":"F-1","state":"open","severity":"major","claim":"x","line":3}`,
		"counted from 1":                            `{"schema":"torve/findings/v1",` + f + `,"id":"F-1","state":"open","severity":"major","claim":"x","path":"a","line":-3}`,
		"and no line above opens it":                `{"schema":"torve/findings/v1",` + f + `,"id":"F-9","state":"fixed"}`,
		`there is no key "sev"`:                     `{"schema":"torve/findings/v1",` + f + `,"id":"F-1","state":"open","sev":"major"}`,
		`the key "id" is given twice`:               `{"schema":"torve/findings/v1",` + f + `,"id":"F-1","id":"F-2","state":"open"}`,
		"torve/findings/v9 is newer":                `{"schema":"torve/findings/v9"}`,
		"the row names no schema":                   `{` + f + `,"id":"F-1","state":"open","severity":"major","claim":"x"}`,
		"the document ends early":                   `{"schema":"torve/findings/v1",`,
		"line is a string, and a whole number":      `{"schema":"torve/findings/v1",` + f + `,"line":"3"}`,
		`schema is "torve/feedback/v1", and torve/`: `{"schema":"torve/feedback/v1"}`,
	} {
		l, faults, err := DecodeFindings("f.jsonl", strings.NewReader("\n"+line+"\n"))
		if err != nil || len(l.Found) > 0 || len(faults) != 1 || !strings.HasPrefix(faults[0].Error(), "f.jsonl:2:") || !strings.Contains(faults[0].Error(), why) {
			t.Errorf("%s: %v, %v", why, faults, err)
		}
	}
	for why, line := range map[string]string{
		"it says nothing":             `{"schema":"torve/feedback/v1",` + f + `,"rework":false}`,
		"minutes are -1":              `{"schema":"torve/feedback/v1",` + f + `,"minutes":-1,"rework":false}`,
		"minutes are 1e+09":           `{"schema":"torve/feedback/v1",` + f + `,"minutes":1e9,"rework":false}`,
		`there is no key "hours"`:     `{"schema":"torve/feedback/v1",` + f + `,"hours":1}`,
		"rework is a string, and tr":  `{"schema":"torve/feedback/v1",` + f + `,"rework":"yes"}`,
		"torve/feedback/v2 is newer ": `{"schema":"torve/feedback/v2"}`,
	} {
		rows, faults, err := DecodeFeedback("f.jsonl", strings.NewReader(line+"\n"))
		if err != nil || len(rows) > 0 || len(faults) != 1 || !strings.Contains(faults[0].Error(), why) {
			t.Errorf("%s: %v, %v", why, faults, err)
		}
	}
}

func TestAnIDIsNeverTwoFindings(t *testing.T) {
	f := aFinding()
	other := f
	other.Claim = "another thing"
	elsewhere := closed(f, FindingFixed, "")
	elsewhere.Task = "T-0008"
	for why, second := range map[string]Finding{"is the id of another finding above": other, "is of T-0008, and it was opened for T-0007": elsewhere} {
		file := filepath.Join(t.TempDir(), "findings.jsonl")
		for _, row := range []Finding{f, second} {
			if err := AppendFinding(file, row); err != nil {
				t.Fatal(err)
			}
		}
		l, faults, err := ReadFindings(file)
		if err != nil || len(l.Found) != 1 || len(faults) != 1 || faults[0].Line != 2 || !strings.Contains(faults[0].Why, why) {
			t.Errorf("%s: %+v, %v, %v", why, l, faults, err)
		}
	}
	if FindingID(f) == FindingID(other) {
		t.Error("two claims have one id")
	}
}

func TestNothingIsWrittenThatWouldNotReadBack(t *testing.T) {
	dir := t.TempDir()
	nameless, long := aFinding(), aFinding()
	nameless.ID, long.Claim = "", strings.Repeat("x", mostText+1)
	for _, f := range []Finding{nameless, long, {}} {
		if err := AppendFinding(filepath.Join(dir, "findings.jsonl"), f); err == nil {
			t.Errorf("%+v is written", f.ID)
		}
	}
	for _, minutes := range []float64{-1, math.NaN(), math.Inf(1)} {
		f := aFeedback()
		f.Minutes = &minutes
		if err := AppendFeedback(filepath.Join(dir, "feedback.jsonl"), f); err == nil {
			t.Errorf("%v minutes are written", minutes)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("files were made: %v", left)
	}
}

func TestALedgerOnlyGrows(t *testing.T) {
	dir := t.TempDir()
	old := "{\"from\":\"before\"}\n\nno row at all\n{\"schema\":\"torve/cut"
	for name, grow := range map[string]func(file string) error{
		"telemetry": func(file string) error { return AppendRow(file, aRow()) },
		"findings":  func(file string) error { return AppendFinding(file, aFinding()) },
		"feedback":  func(file string) error { return AppendFeedback(file, aFeedback()) },
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				if err := grow(file); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		data, err := os.ReadFile(file)
		if err != nil || !strings.HasPrefix(string(data), old+"\n") {
			t.Errorf("%s: what stood there is another: %.80s, %v", name, data, err)
		}
		if n := strings.Count(string(data), "T-0007"); n < 16 {
			t.Errorf("%s: %d rows of 16", name, n)
		}
		if info, _ := os.Stat(file); info.Mode().Perm() != 0o600 {
			t.Errorf("%s: its permissions are %v", name, info.Mode())
		}
	}
}

func TestALedgerThatIsNotThereIsEmptyAndAFolderIsAnError(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	if l, faults, err := ReadFindings(none); len(l.Found)+l.Rows+len(faults) != 0 || err != nil {
		t.Errorf("%+v, %v, %v", l, faults, err)
	}
	if rows, faults, err := ReadFeedback(none); len(rows)+len(faults) != 0 || err != nil {
		t.Errorf("%+v, %v, %v", rows, faults, err)
	}
	_, _, one := ReadFindings(t.TempDir())
	_, _, two := ReadFeedback(t.TempDir())
	if one == nil || two == nil {
		t.Errorf("a folder reads: %v, %v", one, two)
	}
}

func TestOddTextsSurviveALedger(t *testing.T) {
	file := filepath.Join(t.TempDir(), "findings.jsonl")
	for i, text := range odd {
		f := aFinding()
		f.Claim = fmt.Sprintf("%d: %s", i, text)
		f.ID = FindingID(f)
		if err := AppendFinding(file, f); err != nil {
			t.Fatal(err)
		}
	}
	l, faults, err := ReadFindings(file)
	if err != nil || len(faults) > 0 || len(l.Found) != len(odd) {
		t.Fatalf("%d findings of %d, %v, %v", len(l.Found), len(odd), faults, err)
	}
	for i, text := range odd {
		if got := l.Found[i].Claim; got != fmt.Sprintf("%d: %s", i, strings.ToValidUTF8(text, "\uFFFD")) {
			t.Errorf("%q came back as %q", text, got)
		}
	}
}
