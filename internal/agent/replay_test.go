package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/agent"
	"torve/internal/git/gittest"
)

const addition = `diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+recorded
`

// recording is a folder with files, and the adapter that plays it in a repository.
func recording(t *testing.T, files map[string]string) (*stage, agent.Adapter) {
	t.Helper()
	gittest.Home(t)
	s := newStage(t)
	s.ask.Dir = gittest.New(t).Dir
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return s, s.find("rec", map[string]agent.Setting{"rec": {Adapter: "replay", Patches: folder}})
}

func TestARecordedAttemptIsPlayedWithItsReportAndItsCost(t *testing.T) {
	s, a := recording(t, map[string]string{
		"T-0007/2.patch": addition, "T-0007/2.report.json": `{"task":"T-0007"}`, "T-0007/2.usage.json": `{"tokens_in":10,"tokens_out":2,"usd":0.5}`,
	})
	begun := 0
	s.ask.Begun = func(int, int, string) { begun++ }
	out := a.Run(t.Context(), s.ask)
	if out.End != agent.Done || out.Why != "" || figures(out.Usage) != "10 in, 2 out, $0.5000 reported" || begun != 1 {
		t.Errorf("%s %s %s begun %d", out.End, out.Why, figures(out.Usage), begun)
	}
	if got, err := os.ReadFile(filepath.Join(s.ask.Dir, "new.txt")); err != nil || string(got) != "recorded\n" {
		t.Errorf("%q %v", got, err)
	}
	if got, err := os.ReadFile(s.ask.Report); err != nil || string(got) != `{"task":"T-0007"}` {
		t.Errorf("%q %v", got, err)
	}
}

func TestARecordingWithoutReportAndCostHasNone(t *testing.T) {
	s, a := recording(t, map[string]string{"T-0007/2.patch": ""})
	out := a.Run(t.Context(), s.ask)
	if out.End != agent.Done || figures(out.Usage) != "? in, ? out, $? unknown" {
		t.Errorf("%s %s %s", out.End, out.Why, figures(out.Usage))
	}
	if _, err := os.Stat(s.ask.Report); err == nil {
		t.Error("a report out of nothing")
	}
}

func TestAMissingRecordingIsNeverAnotherAttempts(t *testing.T) {
	s, a := recording(t, map[string]string{"T-0007/1.patch": addition, "T-0007/3.patch": addition})
	out := a.Run(t.Context(), s.ask)
	if out.End != agent.Unavailable || !strings.HasPrefix(out.Why, "agent rec: attempt 2 of T-0007 was not recorded: there is no ") {
		t.Errorf("%s %s", out.End, out.Why)
	}
	if _, err := os.Stat(filepath.Join(s.ask.Dir, "new.txt")); err == nil {
		t.Error("another attempt's patch was applied")
	}
	if err := os.WriteFile(filepath.Join(s.path, "git"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	for n, missing := range []bool{1: false, 2: true, 3: false} {
		if why := agent.MissingFor(a, "T-0007", n); n > 0 && (why != "") != missing || missing && why != out.Why {
			t.Errorf("before attempt %d is made: %q", n, why)
		}
	}
}

func TestARecordingThatDoesNotFitSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		says  string
	}{
		"a patch of another tree": {map[string]string{"T-0007/2.patch": strings.ReplaceAll(addition, "new file mode 100644\n--- /dev/null", "--- a/new.txt")}, "2.patch does not apply: "},
		"a patch out of the tree": {map[string]string{"T-0007/2.patch": strings.ReplaceAll(addition, "new.txt", "../new.txt")}, "2.patch does not apply: "},
		"no patch at all":         {map[string]string{"T-0007/2.patch": "hello"}, "2.patch does not apply: "},
		"a key that is not known": {map[string]string{"T-0007/2.patch": addition, "T-0007/2.usage.json": `{"cost":1}`}, `2.usage.json: json: unknown field "cost"`},
		"a negative cost":         {map[string]string{"T-0007/2.patch": addition, "T-0007/2.usage.json": `{"usd":-1}`}, "a figure is negative or beyond measure"},
		"two usages":              {map[string]string{"T-0007/2.patch": addition, "T-0007/2.usage.json": `{} {}`}, "something follows the usage"},
	} {
		t.Run(name, func(t *testing.T) {
			s, a := recording(t, c.files)
			out := a.Run(t.Context(), s.ask)
			if out.End != agent.Unavailable || !strings.Contains(out.Why, c.says) {
				t.Errorf("%s: %s", out.End, out.Why)
			}
			if _, err := os.Stat(filepath.Join(s.ask.Dir, "new.txt")); err == nil {
				t.Error("and yet the tree was changed")
			}
		})
	}
}
