package attempt

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"torve/internal/contract"
	"torve/internal/process"
)

func TestARedBaseCostsNothing(t *testing.T) {
	w := newWorld(t)
	w.s.Settings.Acceptance = []string{"echo no luck; exit 3"}
	res := w.attempt("append:a.txt:four\\n")
	wantEnd(t, res, "base_red")
	if r := res.Red; r == nil || r.Own || r.Line != "echo no luck; exit 3" || !strings.Contains(r.Why, "exited 3") || !strings.Contains(r.Why, "no luck") || r.Head != w.head() || r.Mend == "" {
		t.Errorf("red says %+v", res.Red)
	}
	if got := w.kinds("T-0001"); !slices.Equal(got, []string{"task.minted", "task.claimed"}) || w.task("T-0001").NextAttempt() != 1 {
		t.Errorf("it cost %v", got)
	}
	if exists(filepath.Join(w.s.Settings.Root, "T-0001-1")) || exists(filepath.Join(w.s.Settings.Root, "T-0001-1.d")) || exists(filepath.Join(w.repo.Dir, ".wt", "T-0001.state.json")) {
		t.Error("something is left of it")
	}
}

func TestTheRepositorysOwnAcceptancePassesAndTheContractsLinesNeedOnlyStart(t *testing.T) {
	for name, c := range map[string]struct {
		own []string
		end string
	}{
		"a line that fails yet starts": {[]string{"grep -q four a.txt"}, "done"},
		"a program that is missing":    {[]string{"no-such-program --run"}, "base_broken"},
		"a file that is no program":    {[]string{"./a.txt"}, "base_broken"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.agent("append:a.txt:four\\n")
			w.mint(task("T-0001", func(k *contract.Contract) { k.Acceptance = c.own }))
			res := w.run(w.job("T-0001"))
			wantEnd(t, res, c.end)
			if c.end != "done" && (res.Red == nil || !res.Red.Own || !strings.Contains(res.Red.Why, "is not there")) {
				t.Errorf("red says %+v", res.Red)
			}
		})
	}
}

func TestALineCannotStartWhenItsProgramOrItsScriptIsMissing(t *testing.T) {
	for said, c := range map[string]struct {
		exit int
		want bool
	}{
		"sh: 1: vitest: not found":                     {127, true},
		"./x.sh: Permission denied":                    {126, true},
		"npm ERR! Missing script: \"test\"":            {1, true},
		"make: *** No rule to make target 'check'.":    {2, true},
		"--- FAIL: TestUnknown":                        {1, false},
		"all is well, and a missing script: is quoted": {0, false},
	} {
		if got := cannotStart(process.Result{End: process.Exited, Exit: c.exit, Output: []byte(said)}); got != c.want {
			t.Errorf("%q, exit %d: cannot start is %v", said, c.exit, got)
		}
	}
}

func TestBaseRedAsksThatTheContractsOwnLinesFailOnTheBase(t *testing.T) {
	for name, c := range map[string]struct {
		own []string
		end string
	}{
		"they fail":          {[]string{"true", "grep -q four a.txt"}, "done"},
		"they pass":          {[]string{"true"}, "base_broken"},
		"they are not there": {[]string{"no-such-program"}, "base_broken"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.agent("append:a.txt:four\\n")
			w.mint(task("T-0001", func(k *contract.Contract) { k.Base, k.Acceptance = "red", c.own }))
			res := w.run(w.job("T-0001"))
			wantEnd(t, res, c.end)
			if res.Red != nil && !res.Red.Own {
				t.Errorf("red says %+v", res.Red)
			}
		})
	}
}

func TestBaseAnyAsksNothing(t *testing.T) {
	w := newWorld(t)
	w.s.Settings.Acceptance = []string{"exit 1"}
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001", func(c *contract.Contract) { c.Base = "any" }))
	wantEnd(t, w.run(w.job("T-0001")), "done")
}

func TestTheBaseIsAskedOnceATreeHoweverManyWorkersAsk(t *testing.T) {
	w := newWorld(t)
	count := filepath.Join(t.TempDir(), "count")
	w.s.Settings.Acceptance = []string{"[ \"$TORVE_ATTEMPT\" != 0 ] && test -f a.txt && ! grep -q four a.txt && echo x >>" + count + "; sleep 0.2; true"}
	w.agent("append:a.txt:four\\n")
	var jobs []Job
	for _, id := range []string{"T-0001", "T-0002", "T-0003"} {
		w.mint(task(id))
		jobs = append(jobs, w.job(id))
	}
	var wg sync.WaitGroup
	for _, j := range jobs {
		wg.Go(func() {
			if res, err := w.s.Run(t.Context(), j); err != nil || res.End != "done" {
				t.Errorf("%s: %v, %v", j.Task.ID, res, err)
			}
		})
	}
	wg.Wait()
	data, err := os.ReadFile(count)
	if err != nil || string(data) != "x\n" {
		t.Errorf("the base was asked %q, %v", data, err)
	}
	if w.notes.count("base") != 1 {
		t.Errorf("it was told %d times", w.notes.count("base"))
	}
}

func TestAFailingSetupIsSaidLikeARedBase(t *testing.T) {
	w := newWorld(t)
	w.s.Settings.Setup = []string{"echo cannot reach the registry; exit 7"}
	res := w.attempt("append:a.txt:four\\n")
	wantEnd(t, res, "base_red")
	if res.Red.Own || !strings.Contains(res.Red.Line, "exit 7") || !strings.Contains(res.Red.Why, "exited 7") {
		t.Errorf("red says %+v", res.Red)
	}
}

func TestTheLikelyMendIsSaidByWhatIsInTheTree(t *testing.T) {
	for file, c := range map[string]struct{ says, mend string }{
		"package-lock.json": {"sh: 1: vitest: not found", `worktree: {setup: ["npm ci"]}`},
		"requirements.txt":  {"ModuleNotFoundError: No module named 'flask'", `worktree: {setup: ["pip install -r requirements.txt"]}`},
		"go.mod":            {"missing go.sum entry for module", `worktree: {setup: ["go mod download"]}`},
		"Cargo.toml":        {"error: failed to download 'serde'", `worktree: {setup: ["cargo fetch"]}`},
		"README":            {"assertion failed", "make it pass on the target first: the line"},
	} {
		r := &run{Station: &Station{}, room: roomAt(t.TempDir())}
		if err := os.WriteFile(filepath.Join(r.room.dir, file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		res := process.Result{End: process.Exited, Exit: 1, Output: []byte(c.says)}
		if got := r.mend("the line", res); got != c.mend {
			t.Errorf("with %s the mend is %q, want %q", file, got, c.mend)
		}
		r.Settings.Setup = []string{"make deps"}
		if got := r.mend("the line", res); strings.Contains(got, "worktree:") {
			t.Errorf("with setup configured the mend is %q", got)
		}
	}
}

func TestTheTreeIsEqualToTheBaseAgainBeforeTheAgent(t *testing.T) {
	w := newWorld(t)
	w.s.Settings.Acceptance = []string{"if ! grep -q four a.txt; then echo junk >>a.txt; echo junk >left.txt; rm src/b.txt; fi"}
	res := w.attempt("append:a.txt:four\\n")
	wantAccepted(t, res)
	if f := w.finished("T-0001", 1); f.Changes != 1 || w.show(res.Kept, "a.txt") != "one\ntwo\nthree\nfour" {
		t.Errorf("what acceptance did to the base is in it: %+v", f)
	}
}
