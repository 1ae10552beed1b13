package attempt

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"torve/internal/contract"
)

func TestAnAttemptGoesFromWorktreeToVerdict(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("append:a.txt:four\\n", "write:docs/new.md:hello\\n")
	wantEnd(t, res, "done")
	wantAccepted(t, res)
	want := []string{"task.minted", "task.claimed", "attempt.started", "attempt.finished", "gate.judged"}
	if got := w.kinds("T-0001"); !slices.Equal(got, want) {
		t.Errorf("the events are %v, want %v", got, want)
	}
	f := w.finished("T-0001", 1)
	if f.Changes != 2 || f.Lines != 2 || f.Base != w.head() || f.Head != res.Kept {
		t.Errorf("finished says %+v", f)
	}
	if got := w.task("T-0001"); got.State != "ready" || got.Accepted == nil || got.Accepted.Head != res.Kept {
		t.Errorf("the board says %s, %+v", got.State, got.Accepted)
	}
	if got := w.repo.Git("rev-parse", "refs/torve/attempts/T-0001/1^{tree}"); got != f.Tree {
		t.Errorf("the ref holds %s, want %s", got, f.Tree)
	}
	if j := w.judged("T-0001", 1)[0]; j.Tree != f.Tree || j.Moment != "arrival" || len(j.Checks) != 6 || j.Acceptance[0].Line != "test -f a.txt" {
		t.Errorf("judged says %+v", j.Judged)
	}
}

func TestTheHostTakesTheChangesItself(t *testing.T) {
	for name, steps := range map[string][]string{
		"left in the files":        {"append:a.txt:four\\n"},
		"committed by the agent":   {"append:a.txt:four\\n", "git:commit -qam mine"},
		"on a branch of the agent": {"git:checkout -q -b mine", "append:a.txt:four\\n", "git:commit -qam mine"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			res := w.attempt(steps...)
			wantAccepted(t, res)
			if got := w.show(res.Kept, "a.txt"); got != "one\ntwo\nthree\nfour" {
				t.Errorf("the kept tree says %q", got)
			}
			if parent := w.repo.Git("rev-parse", res.Kept+"^1"); parent != w.head() {
				t.Errorf("the kept commit's first parent is %s, and the base is %s", parent, w.head())
			}
		})
	}
}

func TestAnAgentsOwnCommitsStayOnTheKeptRef(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("append:a.txt:four\\n", "git:commit -qam first", "git:reset -q --hard HEAD~1",
		"append:a.txt:five\\n", "git:commit -qam second")
	wantAccepted(t, res)
	log := w.repo.Git("log", "--format=%s", res.Kept)
	if !strings.Contains(log, "first") || !strings.Contains(log, "second") {
		t.Errorf("the kept ref leads to:\n%s", log)
	}
	if head := w.repo.Git("-C", res.Worktree, "rev-parse", "HEAD"); head != w.head() {
		t.Errorf("HEAD of the worktree is left at %s", head)
	}
}

func TestTheKeptCommitCarriesTheAttemptsOwnAccount(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("append:a.txt:four\\n", `report:{"task":"T-0001","summary":"Added four","leans_on":[],"divergences":[]}`)
	c, err := w.git.ReadCommit(t.Context(), res.Ref)
	if err != nil {
		t.Fatal(err)
	}
	tr := c.Trailers()
	if tr["Torve-Task"] != "T-0001" || tr["Torve-Attempt"] != "1" || tr["Torve-Agent"] != "fake" ||
		tr["Torve-Contract"] != w.task("T-0001").Digest || tr["Torve-End"] != "done" || tr["Torve-Usage"] != "usd_source=unknown" {
		t.Errorf("the trailers are %v", tr)
	}
	if !strings.Contains(c.Message, "Added four") || c.Author.Name != "torve test" || c.Committer.Email != "test@example.com" {
		t.Errorf("the commit is by %v: %s", c.Author, c.Message)
	}
}

func TestEveryEndLeavesItsTreeOnTheRef(t *testing.T) {
	short := func(c *contract.Contract) { c.Budget.Minutes = 0.03 }
	cases := map[string]struct {
		end    string
		counts bool
		judged bool
		steps  []string
		change func(*contract.Contract)
		idle   time.Duration
	}{
		"exit 1 after edits is judged all the same": {"done", true, true, []string{"write:docs/x.md:x", "exit:1"}, nil, 0},
		"its time is over":                          {"time", true, false, []string{"write:docs/x.md:x", "hang"}, short, 0},
		"it is idle":                                {"idle", true, false, []string{"write:docs/x.md:x", "hang"}, nil, 1500 * time.Millisecond},
		"it halts":                                  {"halted", true, false, []string{"write:docs/x.md:x", `report:{"task":"T-0001","summary":"No","leans_on":[],"divergences":[],"halted":true}`}, nil, 0},
		"it floods":                                 {"done", true, true, []string{"write:docs/x.md:x", "flood:4096"}, nil, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.agent(c.steps...)
			if c.idle > 0 {
				w.s.Settings.Idle = c.idle
			}
			k := task("T-0001")
			if c.change != nil {
				c.change(&k)
			}
			w.mint(k)
			res := w.run(w.job("T-0001"))
			wantEnd(t, res, c.end)
			if res.Counts != c.counts || (res.Judged != nil) != c.judged {
				t.Errorf("counts %v, judged %v", res.Counts, res.Judged != nil)
			}
			if got := w.show("refs/torve/attempts/T-0001/1", "docs/x.md"); got != "x" {
				t.Errorf("the kept tree has %q", got)
			}
			if f := w.finished("T-0001", 1); f.End != c.end || f.Head != res.Kept || (f.Why == "") != (c.end == "done") {
				t.Errorf("finished says %+v", f)
			}
		})
	}
}

func TestExitZeroWithoutAChangeIsAFailedAttempt(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("exit:0")
	wantEnd(t, res, "done")
	wantRefused(t, res, "shape", "an attempt of no changes")
	if want := "$ git status --short\n(nothing: every file is as it was)"; res.Evidence != want {
		t.Errorf("the evidence is %q, want %q", res.Evidence, want)
	}
}

func TestAStopOrASecondInterruptEndsTheAttemptAndCountsNothing(t *testing.T) {
	for _, end := range []string{"stopped", "interrupted"} {
		t.Run(end, func(t *testing.T) {
			w := newWorld(t)
			w.agent("write:docs/x.md:x", "hang")
			w.mint(task("T-0001"))
			j := w.job("T-0001")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			stop := make(chan struct{})
			j.Stop = stop
			go func() {
				untilWritten(filepath.Join(w.s.Settings.Root, "T-0001-1", "docs", "x.md"), "x")
				if end == "stopped" {
					close(stop)
				} else {
					cancel()
				}
			}()
			res, err := w.s.Run(ctx, j)
			if err != nil {
				t.Fatal(err)
			}
			wantEnd(t, res, end)
			if res.Counts || w.task("T-0001").Counted != 0 || w.show(res.Ref, "docs/x.md") != "x" || w.finished("T-0001", 1).End != end {
				t.Errorf("counts %v, kept %q", res.Counts, w.show(res.Ref, "docs/x.md"))
			}
		})
	}
}

func TestAGrandchildThatLeftTheGroupIsEnded(t *testing.T) {
	w := newWorld(t)
	pid := filepath.Join(t.TempDir(), "pid")
	res := w.attempt("append:a.txt:four\\n", "away:"+pid)
	wantEnd(t, res, "done")
	text, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if alive(n) {
		t.Errorf("process %d still runs", n)
	}
}

// alive reports whether a process runs; one that is dead and not reaped does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func TestTheStartIsInTheRecordBeforeTheAgentRuns(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001"))
	j := w.job("T-0001")
	w.take("T-0001") // somebody else has it now
	res, err := w.s.Run(t.Context(), j)
	if err == nil || !strings.Contains(err.Error(), "no longer held") {
		t.Fatalf("Run gave %v, %v", res, err)
	}
	if slices.Contains(w.kinds("T-0001"), "attempt.started") || exists(filepath.Join(w.s.Settings.Root, "T-0001-1")) {
		t.Error("an agent was started, or its worktree was left")
	}
}

// untilWritten waits until a file holds a text: it is there before its text is.
func untilWritten(file, text string) {
	for {
		if have, _ := os.ReadFile(file); string(have) == text {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestAHolderThatLostItsClaimWritesNothing(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n", "write:docs/x.md:x", "hang")
	w.mint(task("T-0001"))
	j := w.job("T-0001")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		untilWritten(filepath.Join(w.s.Settings.Root, "T-0001-1", "docs", "x.md"), "x")
		w.take("T-0001")
		cancel()
	}()
	_, err := w.s.Run(ctx, j)
	if err == nil || !strings.Contains(err.Error(), "no longer held") {
		t.Fatalf("Run gave %v", err)
	}
	if slices.Contains(w.kinds("T-0001"), "attempt.finished") {
		t.Error("it wrote that it finished")
	}
	if w.show("refs/torve/attempts/T-0001/1", "docs/x.md") != "x" {
		t.Error("its tree is not kept")
	}
}

func TestAMissingAgentCostsNoNumber(t *testing.T) {
	w := newWorld(t)
	w.agent("exit:0")
	set := w.s.Settings.Agents["fake"]
	set.Run = []string{"no-such-program-here"}
	w.s.Settings.Agents["fake"] = set
	w.mint(task("T-0001"))
	res := w.run(w.job("T-0001"))
	wantEnd(t, res, "unavailable")
	if res.Counts || w.task("T-0001").NextAttempt() != 1 {
		t.Errorf("it cost a number: %v", w.kinds("T-0001"))
	}
}

func TestAFreshAttemptsPromptIsTheSameBytesWhetherOrNotAnEarlierOneWasRefused(t *testing.T) {
	w := newWorld(t)
	first := w.attempt("write:src/b.txt:outside")
	wantRefused(t, first, "law", "src/b.txt is outside scope.allow")
	j := w.job("T-0001")
	j.Mode, j.From, j.Evidence = "fresh", first.Kept, "$ go test\nboom"
	second := w.run(j)
	wantEnd(t, second, "done")
	a, b := w.task("T-0001").Attempt(1).Started, w.task("T-0001").Attempt(2).Started
	if a.Prompt != b.Prompt || b.From != "" {
		t.Errorf("the prompts differ: %s and %s", a.Prompt, b.Prompt)
	}
	if w.show(second.Kept, "src/b.txt") != "outside" { // by this very agent again, not from the first tree
		t.Error("the second attempt did nothing")
	}
}

func TestARepairStartsFromTheRefusedTreeWithEvidenceOfThePlace(t *testing.T) {
	w := newWorld(t)
	w.agent("write:docs/x.md:draft\\n")
	w.mint(task("T-0001", func(c *contract.Contract) { c.Acceptance = []string{"echo looked in vain; grep -q done docs/x.md"} }))
	first := w.run(w.job("T-0001"))
	wantRefused(t, first, "reach", "exited 1")
	if !strings.Contains(first.Evidence, "looked in vain") || !strings.Contains(first.Evidence, "$ echo looked") {
		t.Fatalf("the evidence is %q", first.Evidence)
	}
	for _, word := range []string{"refused", "reach", "verdict", "law", "gate"} {
		if strings.Contains(first.Evidence, word) {
			t.Errorf("the evidence speaks of the verdict: %q", first.Evidence)
		}
	}
	w.agent("append:docs/x.md:done\\n", "prompt:docs/told.md")
	j := w.job("T-0001")
	j.Mode, j.From, j.Evidence = "repair", first.Kept, first.Evidence
	second := w.run(j)
	wantAccepted(t, second)
	if got := w.show(second.Kept, "docs/x.md"); got != "draft\ndone" {
		t.Errorf("the repaired tree says %q", got)
	}
	if told := w.show(second.Kept, "docs/told.md"); !strings.Contains(told, "looked in vain") {
		t.Errorf("the repair was told:\n%s", told)
	}
	if s := w.task("T-0001").Attempt(2).Started; s.From != first.Kept || s.Mode != "repair" || s.Base != w.head() {
		t.Errorf("started says %+v", s)
	}
}

func TestARepairIsCutOnTheNewHeadWhereItMerges(t *testing.T) {
	w := newWorld(t)
	first := w.attempt("append:a.txt:four\\n")
	w.repo.Write("src/b.txt", "moved on\n")
	w.repo.Commit("Move on")
	w.agent("write:docs/x.md:x")
	j := w.job("T-0001")
	j.Mode, j.From = "continue", first.Kept
	second := w.run(j)
	wantAccepted(t, second)
	if second.Base != w.head() || w.show(second.Kept, "src/b.txt") != "moved on" || w.show(second.Kept, "a.txt") != "one\ntwo\nthree\nfour" {
		t.Errorf("base %s, a.txt %q", second.Base, w.show(second.Kept, "a.txt"))
	}
	if f := w.finished("T-0001", 2); f.Changes != 2 {
		t.Errorf("it changes %d paths against the new base", f.Changes)
	}
}

func TestWhereKeptWorkDoesNotMergeTheRepairStandsOnTheHeadWithTheHunksAsEvidence(t *testing.T) {
	w := newWorld(t)
	first := w.attempt("write:a.txt:mine\\n", "write:docs/x.md:x\\n")
	w.repo.Write("a.txt", "theirs\n")
	w.repo.Commit("Theirs")
	w.agent("write:a.txt:both\\n", "prompt:docs/told.md")
	j := w.job("T-0001")
	j.Mode, j.From = "repair", first.Kept
	second := w.run(j)
	wantAccepted(t, second)
	told := w.show(second.Kept, "docs/told.md")
	if !strings.Contains(told, "main has moved on, and this does not merge with it.") || !strings.Contains(told, "theirs") || !strings.Contains(told, "mine") {
		t.Errorf("the hunks are not in what it was told:\n%s", told)
	}
	if second.Base != w.head() || w.show(second.Kept, "docs/x.md") != "x" || w.show(second.Kept, "a.txt") != "both" {
		t.Errorf("base %s, docs/x.md %q", second.Base, w.show(second.Kept, "docs/x.md"))
	}
}
