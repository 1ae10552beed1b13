package attempt

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/contract"
	"torve/internal/record"
	"torve/internal/workload"
)

// due asks the accepted first attempt of T-0001 on the head as it is.
func (w *world) due() workload.Judged {
	w.t.Helper()
	j := w.job("T-0001")
	of := *j.Task.Attempt(1)
	got, err := w.s.Due(w.t.Context(), j, of, w.head())
	if err != nil {
		w.t.Fatalf("Due: %v", err)
	}
	return got
}

// counting is a contract whose one line notes each run in a file.
func counting(t *testing.T) (file string, change func(*contract.Contract)) {
	file = filepath.Join(t.TempDir(), "runs")
	return file, func(c *contract.Contract) {
		c.Base, c.Acceptance = "any", []string{"echo x >>" + file + " && test -f a.txt"}
	}
}

func runs(t *testing.T, file string) int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(data), "x")
}

func TestATreeThatPassedAlreadyIsNotRunAgain(t *testing.T) {
	w := newWorld(t)
	file, change := counting(t)
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001", change))
	res := w.run(w.job("T-0001"))
	wantAccepted(t, res)
	got := w.due()
	if !got.Verdict.OK || got.Tree != res.Judged.Tree || !got.Acceptance[0].Again || runs(t, file) != 1 {
		t.Errorf("due says %v, %+v, after %d runs", got.Verdict, got.Acceptance, runs(t, file))
	}
	if js := w.judged("T-0001", 1); len(js) != 2 || js[1].Moment != "due" || !js[1].Acceptance[0].Again {
		t.Errorf("judged says %+v", js)
	}
}

func TestWhenDueAcceptanceRunsOnTheMergedTree(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001", func(c *contract.Contract) { c.Acceptance = []string{"! test -f docs/no.md"} }))
	wantAccepted(t, w.run(w.job("T-0001")))
	w.repo.Write("src/b.txt", "moved on\n")
	w.repo.Commit("Move on")
	got := w.due()
	if !got.Verdict.OK || got.Acceptance[0].Again || got.Head != w.head() {
		t.Errorf("due says %v, %+v", got.Verdict, got.Acceptance)
	}
	if a, b := w.show(got.Tree, "a.txt"), w.show(got.Tree, "src/b.txt"); a != "one\ntwo\nthree\nfour" || b != "moved on" {
		t.Errorf("the merged tree has %q and %q", a, b)
	}
	w.repo.Write("docs/no.md", "no\n")
	w.repo.Commit("Break it")
	got = w.due()
	if got.Verdict.OK || got.Verdict.Failed != "reach" || w.task("T-0001").State != "claimed" {
		t.Errorf("due says %v, and the board %s", got.Verdict, w.task("T-0001").State)
	}
}

func TestAConflictBelongsToFreshnessAlone(t *testing.T) {
	w := newWorld(t)
	file, change := counting(t)
	w.agent("write:a.txt:mine\\n")
	w.mint(task("T-0001", change))
	wantAccepted(t, w.run(w.job("T-0001")))
	w.repo.Write("a.txt", "theirs\n")
	w.repo.Commit("Theirs")
	got := w.due()
	if got.Verdict.Failed != "freshness" || got.Tree != "" || len(got.Conflicts) != 1 || got.Answers[4].Said != "yes" || runs(t, file) != 1 {
		t.Errorf("due says %v, %+v after %d runs", got.Verdict, got.Answers, runs(t, file))
	}
}

func TestFreshnessReadsTheTargetAsItIsWhenAskedNotWhenCut(t *testing.T) {
	cases := map[string]struct {
		meanwhile func(w *world)
		part      string
	}{
		"the target was rewound": {func(w *world) {
			w.repo.Git("reset", "-q", "--hard", "HEAD~1")
			w.repo.Commit("Another")
		}, "which is no longer on main"},
		"too much came": {func(w *world) {
			for range 3 {
				w.repo.Write("docs/n.md", w.repo.Read("a.txt")+w.repo.Git("rev-parse", "HEAD"))
				w.repo.Commit("More")
			}
		}, "3 commits have touched its scope since: the cap is 2"},
		"the contract was minted again": {func(w *world) {
			c := task("T-0001", func(c *contract.Contract) { c.Title = "Another title" })
			w.append(record.Envelope{Task: c.ID, Actor: record.Actor{Kind: record.ByMint}}, record.Reminted{
				Digest: c.Digest(), Contract: c.Canonical(), Owner: "you@example.com", Path: contract.PathOf(c.ID),
				Commit: w.head(), Was: task("T-0001").Digest(), Changed: []string{"title"},
			})
		}, "and the contract in force is"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.repo.Commit("Second")
			w.s.Settings.Terms.Stale = 2
			w.agent("append:a.txt:four\\n")
			w.mint(task("T-0001"))
			j := w.job("T-0001")
			w.s.Head = func(ctx context.Context) (string, error) { // read when the gate asks, after the agent
				c.meanwhile(w)
				return w.head(), nil
			}
			wantRefused(t, w.run(j), "freshness", c.part)
		})
	}
}

func TestADependencyThatHasNotLandedIsAskedAbout(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001", func(c *contract.Contract) { c.DependsOn = []string{"T-0003"} }))
	j := w.job("T-0001")
	j.Landed = func(_ context.Context, _ string, ids []string) ([]string, error) { return ids, nil }
	wantRefused(t, w.run(j), "freshness", "the task depends on T-0003, which is not landed")
}

func TestTheBudgetPaysForTheTask(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		ok     bool
	}{"reported": {"reported", false}, "estimated": {"estimated", false}, "notional is nobody's bill": {"notional", true}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.agent("append:a.txt:four\\n")
			w.mint(task("T-0001"))
			usd := 5.0
			w.append(record.Envelope{Task: "T-0001", Actor: record.Actor{Kind: record.ByAttempt}},
				record.Spend{Usage: record.Usage{USD: &usd, Source: c.source}, What: "a review"})
			res := w.run(w.job("T-0001"))
			if c.ok {
				wantAccepted(t, res)
				return
			}
			wantRefused(t, res, "reach", "$5.00 are spent, and the budget is $5.00")
		})
	}
}

func TestAKeptTreeIsAskedAgainUnderTheContractInForceWithNoAgent(t *testing.T) {
	w := newWorld(t)
	first := w.attempt("append:a.txt:four\\n", "write:src/b.txt:wider\\n")
	wantRefused(t, first, "law", "src/b.txt is outside scope.allow")
	if len(first.Judged.Outside) != 1 {
		t.Errorf("outside is %v", first.Judged.Outside)
	}
	wider := task("T-0001", func(c *contract.Contract) { c.Scope.Allow = append(c.Scope.Allow, "src/b.txt") })
	w.append(record.Envelope{Task: "T-0001", Actor: record.Actor{Kind: record.ByMint}}, record.Reminted{
		Digest: wider.Digest(), Contract: wider.Canonical(), Owner: "you@example.com", Path: contract.PathOf("T-0001"),
		Commit: w.head(), Was: task("T-0001").Digest(), Changed: []string{"scope.allow"},
	})
	w.agent("exit:1") // nobody starts it
	j := w.job("T-0001")
	again, err := w.s.Again(t.Context(), j, *j.Task.Attempt(1))
	if err != nil {
		t.Fatal(err)
	}
	wantAccepted(t, again)
	if task := w.task("T-0001"); len(task.Attempts) != 1 || len(task.Attempts[0].Judged) != 2 || task.State != "ready" || again.Counts || again.Judged.Contract != wider.Digest() {
		t.Errorf("the board says %s, %+v", task.State, task.Attempts)
	}
}

func TestAKeptTreeIsAskedInANewWorktreeWhereItsOwnIsGoneOrChanged(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(w *world, dir string)
		anew      bool
	}{
		"as it was left": {func(*world, string) {}, false},
		"gone": {func(w *world, dir string) {
			w.repo.Git("worktree", "remove", "--force", dir)
		}, true},
		"a person edited in it": {func(_ *world, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("edited\n"), 0o644); err != nil {
				panic(err)
			}
		}, true},
		"its HEAD moved": {func(w *world, dir string) {
			w.repo.Git("-C", dir, "commit", "-q", "--allow-empty", "-m", "moved")
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			file, change := counting(t)
			w.agent("append:a.txt:four\\n", `note:{"decision":"unlisted","claim":"c","evidence":"a.txt:4","action":"decided","proposal":"p"}`)
			w.mint(task("T-0001", change))
			first := w.run(w.job("T-0001"))
			wantAccepted(t, first)
			c.meanwhile(w, first.Worktree)
			j := w.job("T-0001")
			again, err := w.s.Again(t.Context(), j, *j.Task.Attempt(1))
			if err != nil {
				t.Fatal(err)
			}
			wantAccepted(t, again)
			if again.Judged.Tree != first.Judged.Tree || runs(t, file) != 2 {
				t.Errorf("asked of %s after %d runs, want %s", again.Judged.Tree, runs(t, file), first.Judged.Tree)
			}
			rooms, err := w.s.rooms("T-0001", 9)
			if err != nil || (len(rooms) == 2) != c.anew {
				t.Errorf("rooms %v, %v", rooms, err)
			}
			if name == "a person edited in it" {
				if data, _ := os.ReadFile(filepath.Join(first.Worktree, "a.txt")); string(data) != "edited\n" {
					t.Errorf("the person's edit is %q", data)
				}
			}
		})
	}
}

func TestWhatTheAgentSaidIsKnownFromTheRecordWhereItsFolderIsGone(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n", `note:{"decision":"S-0001/D-1","claim":"kept","evidence":"a.txt:4","action":"upheld"}`)
	w.mint(task("T-0001"), rows()[0])
	first := w.run(w.job("T-0001"))
	wantAccepted(t, first)
	w.repo.Git("worktree", "remove", "--force", first.Worktree)
	if err := os.RemoveAll(first.Worktree + ".d"); err != nil {
		t.Fatal(err)
	}
	j := w.job("T-0001")
	again, err := w.s.Again(t.Context(), j, *j.Task.Attempt(1))
	if err != nil {
		t.Fatal(err)
	}
	wantAccepted(t, again)
}

func TestSetupRunsAgainOnlyWhenALockFileDiffers(t *testing.T) {
	w := newWorld(t)
	w.repo.Write("package-lock.json", "{}\n")
	w.repo.Commit("Lock")
	file := filepath.Join(t.TempDir(), "setups")
	w.s.Settings.Setup = []string{"echo x >>" + file}
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001"))
	wantAccepted(t, w.run(w.job("T-0001")))
	if n := runs(t, file); n != 1 {
		t.Errorf("setup ran %d times", n)
	}
	w.repo.Write("src/b.txt", "no lock\n")
	w.repo.Commit("No lock")
	w.due()
	if n := runs(t, file); n != 1 {
		t.Errorf("setup ran %d times, and no lock file differs", n)
	}
	w.repo.Write("package-lock.json", "{ }\n")
	w.repo.Commit("Lock again")
	if got := w.due(); !got.Verdict.OK || runs(t, file) != 2 {
		t.Errorf("due says %v, setup ran %d times", got.Verdict, runs(t, file))
	}
}

func TestASetupThatTheWorkBreaksIsARefusalByReachAndNoFault(t *testing.T) {
	w := newWorld(t)
	w.repo.Write("package-lock.json", "{}\n")
	w.repo.Commit("Lock")
	w.s.Settings.Setup = []string{"grep -q '{}' package-lock.json"}
	w.agent("write:package-lock.json:broken\\n")
	w.mint(task("T-0001", func(c *contract.Contract) { c.Scope.Allow = []string{"package-lock.json"} }))
	res := w.run(w.job("T-0001"))
	wantRefused(t, res, "reach", "grep -q '{}' package-lock.json exited 1")
}

func TestAReadingThatCannotBeTakenIsAnErrorAndNoVerdict(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001"))
	j := w.job("T-0001")
	w.s.Head = func(context.Context) (string, error) { return "", os.ErrPermission }
	res, err := w.s.Run(t.Context(), j)
	if err == nil || res.Judged != nil || len(w.judged("T-0001", 1)) != 0 {
		t.Errorf("Run gave %+v, %v", res, err)
	}
	if w.show("refs/torve/attempts/T-0001/1", "a.txt") == "" {
		t.Error("the tree is not kept")
	}
}
