package attempt

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"torve/internal/contract"
	"torve/internal/workload"
)

// here asks the gate of the scratch repository's own work tree.
func (w *world) here(change func(*HereOptions)) HereResult {
	w.t.Helper()
	o := HereOptions{Repo: w.git, Dir: w.repo.Dir, Base: "main", Settings: w.s.Settings, Now: w.clock.now}
	change(&o)
	got, err := Here(w.t.Context(), o)
	if err != nil {
		w.t.Fatalf("Here: %v", err)
	}
	return got
}

func answers(j workload.Judged) string {
	out := ""
	for _, a := range j.Answers {
		out += a.Said + " "
	}
	return out
}

func TestTheGateByHandAsksAllSixOfTheCurrentTree(t *testing.T) {
	w := newWorld(t)
	w.repo.Write("a.txt", "one\ntwo\nthree\nfour\n")
	c := task("T-0001", func(c *contract.Contract) { c.Acceptance = []string{"grep -q four a.txt"} })
	got := w.here(func(o *HereOptions) { o.Contract = &c })
	if !got.Judged.Verdict.OK || answers(got.Judged) != "yes yes yes yes yes yes " || len(got.NotAsked) != 0 {
		t.Errorf("it says %v, %s", got.Judged.Verdict, answers(got.Judged))
	}
	w.repo.Write("src/b.txt", "outside\n")
	got = w.here(func(o *HereOptions) { o.Contract = &c })
	if got.Judged.Verdict.Failed != "law" {
		t.Errorf("it says %v", got.Judged.Verdict)
	}
	if len(w.kinds("T-0001")) != 0 {
		t.Error("something was recorded")
	}
}

func TestWithoutAContractTheRepositorysOwnLawIsAskedAndTheRestIsNeverAYes(t *testing.T) {
	w := newWorld(t)
	w.s.Settings.Acceptance = []string{"grep -q four a.txt"}
	w.repo.Write("a.txt", "four\n")
	w.repo.Write(".github/ci.yml", "on: push\n")
	w.repo.Write(".torve/tasks/T-0001/contract.yaml", "id: T-0001\n")
	got := w.here(func(*HereOptions) {})
	if !got.Judged.Verdict.OK {
		t.Fatalf("it says %v", got.Judged.Verdict)
	}
	if want := []string{"freshness", "grounding", "law", "shape", "verb"}; !slices.Equal(slices.Sorted(maps.Keys(got.NotAsked)), want) {
		t.Errorf("not asked are %v", got.NotAsked)
	}
	for i, check := range map[int]string{1: "verb", 5: "freshness"} {
		if a := got.Judged.Answers[i]; a.Check != check || a.Said != "-" {
			t.Errorf("%s says %q", check, a.Said)
		}
	}
	w.repo.Write("key.txt", "aws = AKIA"+"QYZX3J5K7WP2LMNB\n")
	if got := w.here(func(*HereOptions) {}); got.Judged.Verdict.Failed != "law" {
		t.Errorf("a secret gives %v", got.Judged.Verdict)
	}
	w.repo.Write("key.txt", "")
	w.repo.Write("a.txt", "none\n")
	if got := w.here(func(*HereOptions) {}); got.Judged.Verdict.Failed != "reach" {
		t.Errorf("red acceptance gives %v", got.Judged.Verdict)
	}
}

func TestAnAgentInsideAnAttemptIsAnsweredTheFirstFour(t *testing.T) {
	w := newWorld(t)
	w.s.Settings.Setup = []string{"echo made >made.out"}
	res := w.attempt("append:a.txt:four\\n", "write:src/b.txt:outside\\n")
	env := func(name string) string {
		return map[string]string{"TORVE_TASK": "T-0001", "TORVE_REPORT": filepath.Join(res.Worktree+".d", "report.json")}[name]
	}
	given, inside, err := Given(res.Worktree, env)
	if err != nil || !inside {
		t.Fatalf("inside %v, %v", inside, err)
	}
	if given.Contract.ID != "T-0001" || given.Base != res.Base || given.Digest != w.task("T-0001").Digest {
		t.Errorf("it was given %+v", given)
	}
	gitWrite(w, res.Worktree, "src/b.txt") // the gate left the refused tree as it was
	got := w.here(func(o *HereOptions) { o.Dir, o.Given, o.Cheap = res.Worktree, given, true })
	if got.Judged.Verdict.Failed != "law" || answers(got.Judged) != "yes yes yes no - - " || got.Base != res.Base {
		t.Errorf("it says %v, %s", got.Judged.Verdict, answers(got.Judged))
	}
	if err := os.WriteFile(filepath.Join(res.Worktree, "src", "b.txt"), []byte("b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got = w.here(func(o *HereOptions) { o.Dir, o.Given, o.Cheap = res.Worktree, given, true })
	if !got.Judged.Verdict.OK || answers(got.Judged) != "yes yes yes yes - - " || got.NotAsked["reach"] == "" || got.NotAsked["freshness"] == "" {
		t.Errorf("it says %v, %s", got.Judged.Verdict, answers(got.Judged))
	}
	if _, inside, err := Given(w.repo.Dir, env); inside || err != nil {
		t.Errorf("another work tree is inside %v, %v", inside, err)
	}
	if _, inside, err := Given(res.Worktree, func(string) string { return "" }); inside || err != nil {
		t.Errorf("without a task it is inside %v, %v", inside, err)
	}
}
