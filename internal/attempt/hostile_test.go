package attempt

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"torve/internal/contract"
	"torve/internal/record"
)

// Every attempt that ends, for whatever reason, leaves its tree on its ref.
func TestWhateverAnAgentDoesToItsWorktreeItsTreeIsKept(t *testing.T) {
	own := "$(git rev-parse --absolute-git-dir)"
	for name, c := range map[string]struct{ does, end, why string }{
		"its .git removed and pruned": {"c=$(git rev-parse --path-format=absolute --git-common-dir); rm .git; git --git-dir=$c worktree prune --expire=now", "isolation", "the worktree's registration is gone"},
		"its registration removed":    {"rm -rf " + own, "isolation", "the worktree's registration is gone"},
		"another repository named":    {"git init -q --bare $TMPDIR/other && echo $TMPDIR/other > " + own + "/commondir", "isolation", "registration is not the one that was made"},
		"a HEAD that is none":         {"echo hello > " + own + "/HEAD", "isolation", "HEAD does not read"},
		"an index that is a pipe":     {"rm " + own + "/index; mkfifo " + own + "/index", "isolation", "index was no file"},
		"what git reads is no file":   {"mkfifo .gitattributes docs/.gitignore .gitmodules; rm src/b.txt; mkfifo src/b.txt; printf '1%.0s' $(seq 40) > " + own + "/HEAD", "done", ""},
		"what git refuses to take":    {"echo hello > " + own + "/index; echo '*.md working-tree-encoding=bogus' > docs/.gitattributes; mkdir docs/.GIT; echo x > docs/.GIT/config; ln -s /dev/zero docs/.gitmodules; git init -q docs/in; echo '[[[' > docs/in/.git/config", "done", ""},
		"pipes in the git dir":        {"cd $(git rev-parse --git-common-dir); mkdir -p hooks info; mkfifo hooks/pre-commit info/attributes", "isolation", "info/attributes was added and is no file"},
		"unborn":                      {"git checkout -q --orphan nothing", "done", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			res := w.attempt("write:docs/x.md:x", "sh:"+c.does)
			wantEnd(t, res, c.end)
			if !strings.Contains(res.Why, c.why) {
				t.Errorf("why is %q, want %q", res.Why, c.why)
			}
			if got := w.show("refs/torve/attempts/T-0001/1", "docs/x.md"); got != "x" {
				t.Errorf("kept %q", got)
			}
			if c.end == "done" && res.Judged == nil {
				t.Error("it was not judged")
			}
		})
	}
}

func TestAWorktreeThatIsGoneEndsTheAttemptAndTakesNothingElseForIt(t *testing.T) {
	for name, does := range map[string]string{
		"removed":                  "w=$PWD; cd /; rm -rf $w",
		"removed by git":           "git worktree remove --force $PWD",
		"a link to another folder": "w=$PWD; m=$(dirname $(git rev-parse --path-format=absolute --git-common-dir)); cd /; rm -rf $w; ln -s $m $w",
		"a file":                   "w=$PWD; cd /; rm -rf $w; echo x > $w",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.repo.Write("person.txt", "a person's, not committed\n")
			res := w.attempt("write:docs/x.md:x", "git:add -A", "git:commit -qm mine", "sh:"+does)
			wantEnd(t, res, "isolation")
			if !strings.Contains(res.Why, "the worktree is gone") {
				t.Errorf("why is %q", res.Why)
			}
			if w.show(res.Ref, "person.txt") != "" || w.repo.Read("person.txt") != "a person's, not committed\n" {
				t.Error("another folder was taken for the worktree")
			}
			if got, _ := w.repo.Try("log", "--format=%s", "refs/torve/attempts/T-0001/1"); name != "removed by git" && !strings.Contains(got, "mine") {
				t.Errorf("its own commit is not held: %q", got)
			}
		})
	}
}

func TestACommitThatIsNotHereWholeIsNotHeld(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("write:docs/x.md:x", "sh:git add -A; t=$(git write-tree); c=$(printf 'tree %s\\nparent 1111111111111111111111111111111111111111\\nauthor a <a@b> 1 +0000\\ncommitter a <a@b> 1 +0000\\n\\nx\\n' $t | git hash-object -t commit -w --stdin --literally); echo $c > $(git rev-parse --absolute-git-dir)/HEAD")
	wantAccepted(t, res)
	if out, err := w.repo.Try("rev-list", "--objects", res.Ref); err != nil {
		t.Errorf("the kept ref breaks a walk: %s", out)
	}
}

// planted is a contract whose acceptance runs what the agent leaves in docs.
func planted(c *contract.Contract) {
	c.Base, c.Acceptance = "any", []string{"find docs -name '*.sh' -exec sh {} ';'"}
}

// Acceptance commands run the agent's code.
func TestAcceptanceIsGuardedAsTheAgentIs(t *testing.T) {
	common := "$(git rev-parse --path-format=absolute --git-common-dir)"
	for name, c := range map[string]struct{ does, why string }{
		"a hook":                     {"mkdir -p " + common + "/hooks; echo x > " + common + "/hooks/post-commit", "hooks/post-commit was added"},
		"configuration":              {"git config alias.x '!x'", "alias.x of the local configuration was added"},
		"the attempt's own ref":      {"git update-ref refs/torve/attempts/T-0001/1 HEAD", "refs/torve/attempts/T-0001/1 moved"},
		"the target":                 {"git commit -q --allow-empty -m x; git update-ref refs/heads/main HEAD", "refs/heads/main moved"},
		"its .git":                   {"rm .git; git init -q .", "the worktree's .git is not the one that was made"},
		"an index that is a pipe":    {"i=$(git rev-parse --absolute-git-dir)/index; rm $i; mkfifo $i", "index was no file"},
		"its own files, as tests do": {"mkfifo docs/.gitignore .gitattributes; echo more > docs/made.md; rm a.txt; (setsid sh -c 'exec >/dev/null 2>&1; sleep 100' &)", ""},
		"what torve has beside it":   {"echo '{}' > \"$PWD.json\"; rm -rf \"$PWD.d\"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.agent("write:docs/x.sh:x", "sh:cat > docs/x.sh <<'END'\n"+c.does+"\nEND")
			w.mint(task("T-0001", planted))
			began := time.Now()
			res := w.run(w.job("T-0001"))
			if time.Since(began) > 30*time.Second {
				t.Errorf("it took %s", time.Since(began))
			}
			if c.why == "" {
				wantAccepted(t, res)
				return
			}
			wantEnd(t, res, "isolation")
			if res.Judged != nil || res.Counts || !strings.Contains(res.Why, c.why) || len(w.judged("T-0001", 1)) != 0 {
				t.Errorf("judged %v, counts %v, why %q", res.Judged, res.Counts, res.Why)
			}
		})
	}
}

func TestWhenDueAcceptanceIsGuardedToo(t *testing.T) {
	w := newWorld(t)
	w.agent("sh:mkdir docs; echo '[ ! -f src/later ] || git config alias.x y' > docs/x.sh")
	w.mint(task("T-0001", planted))
	wantAccepted(t, w.run(w.job("T-0001")))
	w.repo.Write("src/later", "x")
	w.repo.Commit("Later")
	j := w.job("T-0001")
	_, err := w.s.Due(t.Context(), j, *j.Task.Attempt(1), w.head())
	var broken *Broken
	if !errors.As(err, &broken) || !strings.Contains(err.Error(), "alias.x of the local configuration was added") {
		t.Errorf("Due gave %v", err)
	}
	if n := len(w.judged("T-0001", 1)); n != 1 {
		t.Errorf("%d answers are recorded", n)
	}
}

func TestABranchThatIsCheckedOutIsMovedInItsWorkTreeOrNotByAPerson(t *testing.T) {
	behind := "c=$(git commit-tree HEAD^{tree} -p HEAD -m x); git update-ref -m 'commit: x' refs/heads/main $c"
	w := newWorld(t)
	res := w.attempt("write:docs/x.md:x", "sh:"+behind)
	wantEnd(t, res, "isolation")
	if !strings.Contains(res.Why, "refs/heads/main moved") {
		t.Errorf("why is %q", res.Why)
	}
}

func TestALandingIsOneThatTheRecordHolds(t *testing.T) {
	w := newWorld(t)
	w.repo.Git("checkout", "-q", "--detach")
	forged := "c=$(git commit-tree HEAD^{tree} -p HEAD -m 'x\n\nTorve-Task: T-0009'); git update-ref refs/heads/main $c; rm -f $(git rev-parse --git-common-dir)/logs/refs/heads/main"
	res := w.attempt("write:docs/x.md:x", "sh:"+forged)
	wantEnd(t, res, "isolation")
}

func TestALandingMeanwhileIsExplainedByTheRecord(t *testing.T) {
	w := newWorld(t)
	w.repo.Git("config", "core.logAllRefUpdates", "false") // as in a bare repository
	w.repo.Git("checkout", "-q", "--detach")
	head := w.repo.Git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "Land T-0002")
	g := w.repo.Git("rev-parse", "HEAD^{tree}")
	if err := os.RemoveAll(filepath.Join(w.repo.Dir, ".git", "logs")); err != nil { // git goes on with one that is there
		t.Fatal(err)
	}
	recorded := make(chan struct{})
	go func() {
		defer close(recorded)
		untilWritten(filepath.Join(w.s.Settings.Root, "T-0001-1", "docs", "x.md"), "x")
		w.repo.Git("update-ref", "refs/heads/main", head)
		time.Sleep(100 * time.Millisecond) // git is written before the record
		w.append(record.Envelope{Task: "T-0002", Attempt: 1, Actor: record.Actor{Kind: record.ByLanding}}, record.Landed{
			Path: ".torve/execution/T-0002-1-20260131T100000Z.yaml", Target: "main", Base: head, Onto: head, Commit: head,
			Head: head, Tree: g, Contract: strings.Repeat("1", 64), Observed: true,
		})
	}()
	w.agent("write:docs/x.md:x", "sh:while [ $(git rev-parse main) != "+head+" ]; do sleep 0.02; done")
	w.mint(task("T-0001"))
	wantEnd(t, w.run(w.job("T-0001")), "done")
	<-recorded
}

func TestAHolderThatLostItsClaimMovesNoKeptTree(t *testing.T) {
	w := newWorld(t)
	w.agent("write:docs/x.md:x", "sh:while [ ! -f $TMPDIR/go ]; do sleep 0.02; done")
	w.mint(task("T-0001"))
	j := w.job("T-0001")
	room := filepath.Join(w.s.Settings.Root, "T-0001-1")
	var kept string
	go func() {
		untilWritten(filepath.Join(room, "docs", "x.md"), "x")
		w.take("T-0001") // somebody else holds it now, and keeps what there is
		kept = w.repo.Git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "kept by the next holder")
		w.repo.Git("update-ref", "refs/torve/attempts/T-0001/1", kept)
		_ = os.WriteFile(filepath.Join(room+".d", "tmp", "go"), nil, 0o644)
	}()
	_, err := w.s.Run(t.Context(), j)
	if !errors.Is(err, record.ErrMoved) {
		t.Errorf("Run gave %v", err)
	}
	if got := w.repo.Git("rev-parse", "refs/torve/attempts/T-0001/1"); got != kept {
		t.Errorf("the kept tree was moved to %s", got)
	}
	if st, _, _ := w.s.read("T-0001"); st.State != "running" {
		t.Errorf("the state file says %s", st.State)
	}
}

func TestASecretIsMaskedWhereverAnAgentPutsIt(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n", `report:{"task":"T-0001","summary":"hunter2hunter2","leans_on":[],"divergences":[{"decision":"hunter2hunter2","claim":"hunter2hunter2","evidence":"a.txt:1 hunter2hunter2","action":"decided","why":"hunter2hunter2","proposal":"hunter2hunter2"}],"halted":false}`)
	w.mint(task("T-0001", func(c *contract.Contract) {
		c.Acceptance = []string{"echo $SHOP_TOKEN hunter2hunter2; false"}
		c.Base = "any"
	}))
	w.run(w.job("T-0001"))
	for e, err := range w.log.Read(t.Context(), partition, 1) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != record.KindMinted && strings.Contains(string(e.Payload), "hunter2hunter2") {
			t.Errorf("%s holds it: %s", e.Kind, e.Payload)
		}
	}
	if got := w.repo.Git("log", "-1", "--format=%B", "refs/torve/attempts/T-0001/1"); strings.Contains(got, "hunter2hunter2") {
		t.Errorf("the kept commit says %s", got)
	}
	for _, file := range []string{w.s.Settings.Telemetry, filepath.Join(w.s.Settings.States, "T-0001.state.json")} {
		if data, err := os.ReadFile(file); err != nil || strings.Contains(string(data), "hunter2hunter2") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestAcceptanceRunsInTheRoomOfTheAgent(t *testing.T) {
	w := newWorld(t)
	w.agent("write:docs/x.md:x", "sh:env | sort > docs/agent.md")
	file := filepath.Join(t.TempDir(), "env")
	w.mint(task("T-0001", func(c *contract.Contract) { c.Base, c.Acceptance = "any", []string{"env | sort > " + file} }))
	res := w.run(w.job("T-0001"))
	wantAccepted(t, res)
	names := func(text string) string {
		var out []string
		for l := range strings.Lines(text) {
			if name, value, _ := strings.Cut(strings.TrimSpace(l), "="); name != "_" && name != "SHLVL" && name != "OLDPWD" {
				if name == "TMPDIR" || name == "TORVE_SLOT" {
					name += "=" + value
				}
				out = append(out, name)
			}
		}
		return strings.Join(out, "\n")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	agent := names(w.show(res.Kept, "docs/agent.md"))
	for _, only := range []string{"TORVE_PROMPT_FILE\n", "TORVE_REPORT\n"} { // the agent's alone
		agent = strings.Replace(agent, only, "", 1)
	}
	if got := names(string(data)); got != agent || !strings.Contains(got, "TORVE_SLOT=0") {
		t.Errorf("acceptance has\n%s\nand the agent\n%s", got, agent)
	}
}

func TestAChangeOfAFileThatTakesItsModeAlongIsBothVerbs(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n", "sh:chmod +x a.txt")
	w.mint(task("T-0001", func(c *contract.Contract) { c.Verbs = []string{"modify"} }))
	wantRefused(t, w.run(w.job("T-0001")), "verb", `"mode" is not a verb this contract allows`)
}
