package agent

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func FuzzAnAccountIsReadOrUnknown(f *testing.F) {
	files, err := filepath.Glob("testdata/said/*")
	if err != nil || len(files) == 0 {
		f.Fatal("no fixtures", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, printed []byte) {
		for name, k := range builtins() {
			said := k.reader()
			for line := range bytes.Lines(printed) {
				said.line(bytes.TrimSpace(line))
			}
			said.whole(printed)
			out := Outcome{End: Done, Usage: Usage{Source: Unknown}}
			said.fill(&out, nil)
			sensible(t, name, out)
		}
	})
}

func sensible(t *testing.T, name string, out Outcome) {
	t.Helper()
	u := out.Usage
	if u.TokensIn != nil && *u.TokensIn < 0 || u.TokensOut != nil && *u.TokensOut < 0 || u.USD != nil && !(*u.USD >= 0) {
		t.Errorf("%s: a negative figure: %+v", name, u)
	}
	if (u.USD == nil) != (u.Source == Unknown) {
		t.Errorf("%s: a cost and its source do not agree: %+v", name, u)
	}
	if !slices.Contains([]string{Done, Unavailable, Quota}, out.End) || out.End != Done && out.Why == "" {
		t.Errorf("%s: ended %q, why %q", name, out.End, out.Why)
	}
}

func FuzzARecordedUsageIsReadOrRefused(f *testing.F) {
	f.Add([]byte(`{"tokens_in":10,"tokens_out":2,"usd":0.5}`))
	f.Add([]byte(`{"usd":-1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if u, err := parseUsage(data); err == nil {
			sensible(t, "replay", Outcome{End: Done, Usage: u})
		}
	})
}
