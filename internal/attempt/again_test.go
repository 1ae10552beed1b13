package attempt

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/board"
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

func TestFreshnessReadsTheRecordAndTheTargetAsTheyAreWhenAsked(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001"))
	j := w.job("T-0001")
	w.s.Head = func(ctx context.Context) (string, error) { // read when the gate asks, after the agent
		c := task("T-0001", func(c *contract.Contract) { c.Title = "Another title" })
		w.append(record.Envelope{Task: c.ID, Actor: record.Actor{Kind: record.ByMint}}, record.Reminted{
			Digest: c.Digest(), Contract: c.Canonical(), Owner: "you@example.com", Path: contract.PathOf(c.ID),
			Commit: w.head(), Was: task("T-0001").Digest(), Changed: []string{"title"},
		})
		return w.head(), nil
	}
	wantRefused(t, w.run(j), "freshness", "and the contract in force is")
}

func TestAReadingCountsTheCommitsThatTouchedTheScopeSince(t *testing.T) {
	w := newWorld(t)
	base := w.head()
	w.repo.Write("docs/n.md", "1\n")
	w.repo.Commit("In the scope")
	w.repo.Write("src/b.txt", "2\n")
	w.repo.Commit("Outside of it")
	w.mint(task("T-0001"))
	p := w.s.placeOf(w.job("T-0001"), base, w.repo.Git("rev-parse", base+"^{tree}"), nil)
	r, err := p.reading(t.Context(), w.task("T-0001"), w.head(), p.tree)
	if err != nil || r.Since != 1 || !r.OnTarget || r.InForce != w.task("T-0001").Digest || r.Planned != 1 || r.Target != "main" {
		t.Errorf("the reading is %+v, %v", r, err)
	}
	w.repo.Git("checkout", "-q", "--orphan", "other")
	r, err = p.reading(t.Context(), w.task("T-0001"), w.repo.Commit("Another line"), p.tree)
	if err != nil || r.OnTarget {
		t.Errorf("a base that is no longer on the target reads %+v, %v", r, err)
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
	five := 5.0
	for name, c := range map[string]struct {
		source string
		most   float64
		want   string
	}{
		"reported":                  {"reported", 5, "$5.00 are spent, and the budget is $5.00"},
		"estimated":                 {"estimated", 5, "$5.00 are spent, and the budget is $5.00"},
		"notional is nobody's bill": {"notional", 5, ""},
		"not all of it":             {"reported", 5.01, ""},
		"no limit":                  {"reported", 0, ""},
	} {
		k := board.Task{Spends: []record.Spend{{Usage: record.Usage{USD: &five, Source: c.source}}}}
		k.Contract.Budget.USD = c.most
		if got := money(&k); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestATaskWhoseMoneyIsSpentIsRefusedByReachWithNothingRun(t *testing.T) {
	w := newWorld(t)
	file, change := counting(t)
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001", change))
	usd := 5.0
	w.append(record.Envelope{Task: "T-0001", Actor: record.Actor{Kind: record.ByAttempt}},
		record.Spend{Usage: record.Usage{USD: &usd, Source: "reported"}, What: "a review"})
	wantRefused(t, w.run(w.job("T-0001")), "reach", "$5.00 are spent")
	if exists(file) {
		t.Error("acceptance was run all the same")
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
	w := newWorld(t)
	file, change := counting(t)
	w.agent("append:a.txt:four\\n", `note:{"decision":"unlisted","claim":"c","evidence":"a.txt:4","action":"decided","proposal":"p"}`)
	w.mint(task("T-0001", change))
	first := w.run(w.job("T-0001"))
	wantAccepted(t, first)
	ask := func(after string, rooms int) {
		t.Helper()
		before := runs(t, file)
		j := w.job("T-0001")
		again, err := w.s.Again(t.Context(), j, *j.Task.Attempt(1))
		if err != nil {
			t.Fatalf("%s: %v", after, err)
		}
		wantAccepted(t, again)
		if again.Judged.Tree != first.Judged.Tree || runs(t, file) != before+1 {
			t.Errorf("%s: asked of %s, want %s", after, again.Judged.Tree, first.Judged.Tree)
		}
		if all, err := w.s.rooms("T-0001", 9); err != nil || len(all) != rooms {
			t.Errorf("%s: %d rooms, %v, want %d", after, len(all), err, rooms)
		}
	}
	ask("as it was left", 1)
	gitWrite(w, first.Worktree, "a.txt")
	ask("a person edited in it", 2)
	ask("the second is as it was left", 2)
	if data, err := os.ReadFile(filepath.Join(first.Worktree, "a.txt")); err != nil || string(data) != "a person's\n" {
		t.Errorf("the person's edit is %q, %v", data, err)
	}
	w.repo.Git("-C", first.Worktree+".2", "commit", "-q", "--allow-empty", "-m", "moved")
	ask("the HEAD of the second moved", 3)
	w.repo.Git("worktree", "remove", "--force", first.Worktree+".3")
	ask("the third is gone", 4)
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
