package carrier

import (
	"bytes"
	"strings"
	"testing"
)

func FuzzReadLanding(f *testing.F) {
	f.Add(written(f, aLanding()))
	f.Add(written(f, attested()))
	f.Add([]byte("schema: torve/landing/v1\ntask: T-0007\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := ReadLanding(pathOf(aLanding()), data)
		if err != nil {
			return
		}
		first, err := WriteLanding(l)
		if err != nil {
			return // a figure or a size that is read and never written
		}
		back, err := ReadLanding(pathOf(l), first)
		if err != nil {
			t.Fatalf("what was written does not read: %v\n%s", err, first)
		}
		if again := written(t, back); len(l.Cut) == 0 && !bytes.Equal(first, again) {
			t.Fatalf("written twice it differs\n%s\n%s", first, again)
		}
	})
}

func FuzzTexts(f *testing.F) {
	for _, text := range odd {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := strings.ToValidUTF8(text, "\uFFFD")
		l := aLanding()
		l.Title, l.Intent, l.Entries[0].Why = text, text, text
		got, err := ReadLanding(pathOf(l), written(t, l))
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Cut) > 0 {
			return
		}
		if got.Title != want || got.Intent != want || got.Entries[0].Why != want {
			t.Fatalf("%q came back as %q", text, got.Title)
		}
	})
}

func FuzzReadLog(f *testing.F) {
	data, _ := WriteLog(aLog())
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := ReadLog(LogPath("T-0007"), data)
		if err != nil {
			return
		}
		again, err := WriteLog(l)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadLog(LogPath("T-0007"), again); err != nil {
			t.Fatalf("what was written does not read: %v\n%s", err, again)
		}
	})
}

func FuzzDecodeState(f *testing.F) {
	data, _ := EncodeState(aState())
	f.Add(data)
	f.Add([]byte(`{"schema":"torve/state/v1","task":"T-0007","state":"x","history":[{"at":"2026-01-31T10:00:00Z"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := DecodeState("T-0007.state.json", data)
		if err != nil {
			return
		}
		first, err := EncodeState(s)
		if err != nil {
			return // a year that RFC 3339 has not
		}
		if _, err := DecodeState("T-0007.state.json", first); err != nil {
			t.Fatalf("what was written does not read: %v\n%s", err, first)
		}
	})
}

func FuzzDecodeRows(f *testing.F) {
	line, _ := EncodeRow(aRow())
	f.Add(line)
	f.Add([]byte("{}\n\n{\"half"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, faults, err := DecodeRows("t.jsonl", bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if len(rows)+len(faults) != notBlank(data) {
			t.Fatalf("%d rows and %d faults of %d lines", len(rows), len(faults), notBlank(data))
		}
	})
}

func FuzzReadReport(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(`{"task":null,"leans_on":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ReadReport(data)
		if err == nil && (r.LeansOn == nil || r.Divergences == nil) {
			t.Fatalf("%+v", r)
		}
		if err != nil && (err.Error() == "" || strings.Contains(err.Error(), "\n")) {
			t.Fatalf("no sentence: %q", err)
		}
	})
}

func FuzzParseLandingPath(f *testing.F) {
	f.Add(pathOf(aLanding()))
	f.Add(pathOf(attested()))
	f.Fuzz(func(t *testing.T, path string) {
		task, attempt, at, ok := ParseLandingPath(path)
		if ok && LandingPath(task, "", attempt, at) != path && !strings.HasPrefix(path, specPlace) {
			t.Fatalf("%q is read as %s, %d, %s", path, task, attempt, at)
		}
	})
}

func FuzzDecodeFindings(f *testing.F) {
	row := aFinding()
	for _, r := range []Finding{row, closed(row, FindingFixed, ""), closed(row, FindingDismissed, "meant so")} {
		r.Schema = FindingsSchema
		line, _ := encodeLine(r)
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l, faults, err := DecodeFindings("f.jsonl", bytes.NewReader(data))
		if err != nil || l.Rows+len(faults) != notBlank(data) || len(l.Found) > l.Rows {
			t.Fatalf("%d rows and %d faults of %d lines, %v", l.Rows, len(faults), notBlank(data), err)
		}
		for _, found := range l.Found {
			if err := found.whole(); err != nil && found.State == FindingOpen {
				t.Fatalf("%+v was taken: %v", found, err)
			}
		}
	})
}

func FuzzDecodeFeedback(f *testing.F) {
	row := aFeedback()
	row.Schema = FeedbackSchema
	line, _ := encodeLine(row)
	f.Add(line)
	f.Add([]byte("{}\n\n{\"half"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, faults, err := DecodeFeedback("f.jsonl", bytes.NewReader(data))
		if err != nil || len(rows)+len(faults) != notBlank(data) {
			t.Fatalf("%d rows and %d faults of %d lines, %v", len(rows), len(faults), notBlank(data), err)
		}
		for _, row := range rows {
			if err := row.whole(); err != nil {
				t.Fatalf("%+v was taken: %v", row, err)
			}
		}
	})
}

// notBlank counts the lines that hold something.
func notBlank(data []byte) int {
	n := 0
	for _, l := range bytes.Split(data, []byte("\n")) {
		if len(bytes.TrimSpace(l)) > 0 {
			n++
		}
	}
	return n
}
