package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"torve/internal/decide"
	"torve/internal/lang"
	"torve/internal/record"
	"torve/internal/record/postgres"
)

// decided is one run of the bench in a folder of its own.
func decided(t *testing.T, dir string, env map[string]string, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	a := &app{args: args, in: strings.NewReader(""), out: &o, err: &e, dir: dir, now: time.Now, env: func(name string) string { return env[name] }}
	code = a.decide(t.Context(), args)
	return code, o.String(), e.String()
}

// modelServer answers every question with the same words, on the wire of a model server.
func modelServer(t *testing.T, answer string) map[string]string {
	t.Helper()
	const model = "qwen2.5:0.5b-instruct-q4_K_M"
	said, _ := json.Marshal(answer)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/generate":
			fmt.Fprintf(w, `{"model":%q,"response":%s,"done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":5}`+"\n", model, said)
		default:
			fmt.Fprintf(w, `{"models":[{"name":%q,"model":%q,"digest":"c5396e06af294bd1"}]}`, model, model)
		}
	}))
	t.Cleanup(s.Close)
	return map[string]string{"OLLAMA_HOST": s.URL}
}

func TestTheBenchRunsADay(t *testing.T) {
	code, out, errs := decided(t, t.TempDir(), nil, "-mode", "day")
	if code != 0 || errs != "" || !strings.Contains(out, "\n  9 accepted, 6 refused: 6 by shape") || !strings.Contains(out, "  60 checks run in all") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
	code, out, _ = decided(t, t.TempDir(), nil, "--mode=day", "--reversed")
	if code != 0 || !strings.Contains(out, "  64 checks run in all") {
		t.Errorf("with two dashes, %d: %s", code, out)
	}
	code, out, _ = decided(t, t.TempDir(), nil, "-mode", "day", "-law")
	if code != 0 || !strings.Contains(out, "  the law is the one that ships, configs/law.json\n") {
		t.Errorf("under the law, %d: %s", code, out)
	}
}

func TestTheBenchSaysWhatIsWrongWithACommand(t *testing.T) {
	dir := t.TempDir()
	for want, c := range map[string]struct {
		args []string
		code int
	}{
		"no mode is named; there are settings, arrive, stale, refuse, day, beside, dispatch, live, record": {nil, 3},
		`there is no mode "dance"; there are settings`:                                                     {[]string{"-mode", "dance"}, 3},
		`"day" is no flag: the mode is named with -mode`:                                                   {[]string{"day"}, 3},
		"flag provided but not defined: -whom":                                                             {[]string{"-mode", "day", "-whom", "x"}, 3},
		`invalid value "x" for flag -now`:                                                                  {[]string{"-mode", "arrive", "-now", "x"}, 3},
		"-late says nothing to the mode arrive":                                                            {[]string{"-mode", "arrive", "-late", "3"}, 3},
		"-dsn says nothing to the mode day":                                                                {[]string{"-mode", "day", "-dsn", "x.db"}, 3},
		"-stale 0: a staleness cap of 0 ticks would refuse every proposal":                                 {[]string{"-mode", "day", "-stale", "0"}, 3},
		"-wait 0s: no answer comes within it":                                                              {[]string{"-mode", "live", "-wait", "0s"}, 3},
		`there is no villager "Bert"; there are Halla, Ander, Mose`:                                        {[]string{"-mode", "arrive", "-who", "Bert"}, 3},
		"-now 7: the world begins at tick 900":                                                             {[]string{"-mode", "arrive", "-now", "7"}, 3},
		"no answer is recorded for Ander at tick 1401":                                                     {[]string{"-mode", "arrive", "-now", "1401"}, 3},
		"-dsn DSN, @FILE or PATH.db names it, or TORVE_DSN":                                                {[]string{"-mode", "live"}, 3},
		"shop names no store; -dsn takes DSN, @FILE or PATH.db":                                            {[]string{"-mode", "live", "-dsn", "shop"}, 3},
		"there is no file ":                                                                                {[]string{"-mode", "live", "-dsn", "@nowhere"}, 3},
		"-partition names no partition":                                                                    {[]string{"-mode", "live", "-dsn", "x.db", "-partition", "a b"}, 3},
		"-partition names no partition: it is empty":                                                       {[]string{"-mode", "live", "-dsn", "x.db", "-partition", ""}, 3},
		dir + " is a folder":                                                                               {[]string{"-mode", "record", "-out", dir}, 3},
		"this is not torve's source, whose configs/day.json is written; -out names":                        {[]string{"-mode", "record"}, 3},
		"there is no folder " + filepath.Join(dir, "none"):                                                 {[]string{"-mode", "record", "-out", "none/day.json"}, 3},
		"-late says nothing to the mode day, nor do -now, -who":                                            {[]string{"-mode", "day", "-who", "x", "-late", "3", "-now", "5"}, 3},
		"lang: no model server answers at http://127.0.0.1:1: ":                                            {[]string{"-mode", "live", "-dsn", "x.db"}, 4},
	} {
		code, out, errs := decided(t, dir, map[string]string{"OLLAMA_HOST": "127.0.0.1:1"}, c.args...)
		flat := strings.Join(strings.Fields(errs), " ")
		if code != c.code || !strings.HasPrefix(errs, "decide: error: ") || !strings.Contains(errs, "\ndecide: hint: ") || !strings.Contains(flat, strings.Join(strings.Fields(want), " ")) || code == 3 && out != "" {
			t.Errorf("decide %v: %d\n%s%s\nand should say %s", c.args, code, out, errs, want)
		}
	}
}

func TestAHintOfTheBenchIsACommandThatCanBeTyped(t *testing.T) {
	for typed, want := range map[string]string{
		"-mode arrive -now 1500":                               "-mode arrive -now 1400",
		"-mode arrive -who=Nobody -law -now 1900":              "-mode arrive -law -now 1900 -who Halla",
		"-mode stale -who Mose":                                "-mode day",
		"-mode live -dsn postgres://me:pw@x/y -stale 0":        "-mode live -dsn @FILE -stale 60",
		"-mode live -dsn x.db -partition bench/mine -wait -1s": "-mode live -dsn x.db -partition bench/mine -wait 2m",
		"-mode live -dsn shop":                                 "-mode live -dsn bench.db",
	} {
		_, _, errs := decided(t, t.TempDir(), nil, strings.Fields(typed)...)
		if _, hint, _ := strings.Cut(errs, "\ndecide: hint: "); strings.Join(strings.Fields(hint), " ") != "go run ./cmd/decide "+want {
			t.Errorf("%s: %s", typed, errs)
		}
	}
	for _, command := range []string{"-mode arrive -now 1400", "-mode arrive -law -now 1900 -who Halla", "-mode day"} {
		if code, _, errs := decided(t, t.TempDir(), nil, strings.Fields(command)...); code != 0 {
			t.Errorf("%s: %s", command, errs)
		}
	}
}

func TestAMistakeInTheLawIsNotThrownAwayWithTheRestOfIt(t *testing.T) {
	const stay = `{"id":"stay","verb":"go","permit":false,"says":"nobody goes"}`
	for text, want := range map[string]string{
		`{"profiles":{"villager":"lives here"},"clauses":[` + stay + `,{"id":"west","verb":"go","within":{"x":[0,3]},"permit":true,"says":"west"}]}`: "put west before stay in configs/law.json, or take it out",
		`{"profiles":{"villager":"lives here"},"clauses":[{"id":"stay"}]}`:                                                                           "mend configs/law.json; the form of a clause: docs/decisions/0057-the-form-of-a-law.md",
	} {
		_, err := lawOf([]byte(text))
		if _, hint, outcome := explain(err); hint != want || outcome != Usage {
			t.Errorf("%v: %s", err, hint)
		}
	}
	if _, err := os.Stat("../../docs/decisions/0057-the-form-of-a-law.md"); err != nil {
		t.Error(err)
	}
}

func TestTheHelpOfTheBenchFitsAndNamesEveryModeAndFlag(t *testing.T) {
	code, out, _ := decided(t, t.TempDir(), nil, "-h")
	if code != 0 {
		t.Errorf("it exits %d", code)
	}
	for l := range strings.Lines(out) {
		if len(l) > 81 {
			t.Errorf("%d columns: %s", len(l)-1, l)
		}
	}
	for _, m := range decide.Modes() {
		if !strings.Contains(out, "\n  "+m.Name+" ") {
			t.Errorf("the mode %s is not named", m.Name)
		}
		for _, name := range m.Flags {
			if !strings.Contains(out, "\n  -"+name+" ") {
				t.Errorf("-%s is not named", name)
			}
		}
	}
}

func TestALiveRunKeepsItsRowsInAFile(t *testing.T) {
	dir := t.TempDir()
	env := modelServer(t, `{"steps":[{"reason":"x","verb":"wait"}]}`)
	code, out, errs := decided(t, dir, env, "-mode", "live", "-who", "mose", "-now", "950", "-dsn", "bench.db")
	if code != 0 || !strings.Contains(out, "  the row appended as proposal 1, accepted; memory rows before it 1, after it 1\n") {
		t.Fatalf("%d: %s%s", code, out, errs)
	}
	env["TORVE_DSN"] = "bench.db"
	code, out, errs = decided(t, dir, env, "-mode", "live", "-who", "mose", "-now", "950", "-wait", "30s")
	if code != 0 || !strings.Contains(out, "proposals read back, ORDER BY id: 2 row(s)\n") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
	code, out, errs = decided(t, dir, env, "-mode", "live", "-who", "mose", "-now", "950", "-partition", "bench/other")
	if code != 0 || !strings.Contains(out, "  the row appended as proposal 1, ") {
		t.Errorf("in another partition, %d: %s%s", code, out, errs)
	}
}

func TestARowThatNoStoreTookIsAFile(t *testing.T) {
	a := &app{dir: t.TempDir()}
	row := record.Proposal{Actor: "Ander", Tick: 1400, Kind: record.Plan, Answer: []byte("half \xff\x00")}
	where, err := a.keepRow(row)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(where)
	if err != nil {
		t.Fatal(err)
	}
	var back record.Proposal
	if err := json.Unmarshal(text, &back); err != nil || !bytes.Equal(back.Answer, row.Answer) || !strings.HasPrefix(filepath.Base(where), "decide-ander-1400-") {
		t.Errorf("%s holds %s: %v", where, text, err)
	}
	other, err := a.keepRow(row)
	if err != nil || other == where {
		t.Errorf("the next is in %s: %v", other, err)
	}
}

func TestADayIsRecordedWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "cmd", "deep")
	for _, d := range []string{inside, filepath.Join(dir, "configs")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module torve\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	env := modelServer(t, "prose")
	code, out, errs := decided(t, inside, env, "-mode", "record")
	if code != 0 || !strings.Contains(out, "  15 answers recorded, 15 of them other than before\n") {
		t.Fatalf("%d: %s%s", code, out, errs)
	}
	file := filepath.Join(dir, "configs", "day.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if day, err := lang.NewRecorded(text); err != nil || len(day.Rows()) != 15 {
		t.Errorf("%v", err)
	}
	env["OLLAMA_HOST"] = "127.0.0.1:1"
	if code, _, _ := decided(t, inside, env, "-mode", "record"); code != 4 {
		t.Errorf("without a server it exits %d", code)
	}
	if again, err := os.ReadFile(file); err != nil || !bytes.Equal(again, text) {
		t.Errorf("and the recording that was is gone: %v", err)
	}
	left, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(left) != 1 {
		t.Errorf("left beside it: %v, %v", left, err)
	}
}

func TestTheBenchEndsWhenItIsInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var o, e bytes.Buffer
	a := &app{out: &o, err: &e, dir: t.TempDir(), now: time.Now, env: func(string) string { return "" }}
	if code := a.decide(ctx, []string{"-mode", "day"}); code != 130 || e.String() != "decide: error: interrupted\n" {
		t.Errorf("%d: %s", code, e.String())
	}
}

func TestTheBenchSaysAllThatWentWrongWithARow(t *testing.T) {
	_, away := postgres.Open(t.Context(), "postgres://torve@127.0.0.1:1/torve")
	away = fmt.Errorf("appending the row: %w", away)
	for want, c := range map[string]struct {
		err  error
		code int
	}{
		"appending the row: opening the record torve@127.0.0.1:1/torve: the store cannot be reached: connection refused; and the row is not kept: no space left": {fmt.Errorf("%w; and the row is not kept: %w", away, errors.New("no space left")), 4},
		"interrupted: appending the row: opening the record torve@127.0.0.1:1/torve: the store cannot be reached: connection refused, after context canceled":    {fmt.Errorf("%w, after %w", away, context.Canceled), 130},
		"interrupted": {fmt.Errorf("asking: %w", context.Canceled), 130},
	} {
		var e bytes.Buffer
		a := &app{err: &e, env: func(string) string { return "" }}
		if code := a.failDecide(c.err, decideFlags{}); code != c.code || strings.Join(strings.Fields(e.String()), " ") != "decide: error: "+want {
			t.Errorf("%d: %s\nand should say %s", code, e.String(), want)
		}
	}
}
