package attempt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"torve/internal/contract"
)

func TestWhereNoWallIsUpABrokenIsolationIsFoundAfterwards(t *testing.T) {
	all := func(w *world) []string {
		at := func(name string) string { return filepath.Join(w.git.Common, name) }
		return []string{
			"write:" + at("hooks/post-checkout") + ":#!/bin/sh\\n", "git:config core.fsmonitor ./evil",
			"write:" + at("info/attributes") + ":* filter=evil\\n", "write:" + at("objects/info/alternates") + ":" + t.TempDir() + "\\n",
			"git:tag -f v1 HEAD~1", "git:branch -q -D side", "git:update-ref refs/torve/attempts/T-0009/1 HEAD",
		}
	}
	cases := map[string]struct {
		steps func(w *world) []string
		parts []string
	}{
		"what git obeys, and refs": {all, []string{"post-checkout", "core.fsmonitor", "info/attributes", "alternates", "refs/tags/v1", "refs/heads/side", "refs/torve/attempts/T-0009/1"}},
		"the target": {func(*world) []string {
			return []string{"append:a.txt:x", "git:commit -qam x", "git:update-ref refs/heads/main HEAD"}
		}, []string{"refs/heads/main"}},
		"its own link": {func(*world) []string { return []string{"remove:.git", "git:init -q ."} }, []string{".git is not the one that was made"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.repo.Git("branch", "side")
			w.repo.Commit("Second")
			w.repo.Git("tag", "v1")
			res := w.attempt(append([]string{"write:docs/x.md:x"}, c.steps(w)...)...)
			wantEnd(t, res, "isolation")
			for _, part := range c.parts {
				if !strings.Contains(res.Why, part) {
					t.Errorf("%s is not named: %s", part, res.Why)
				}
			}
			if res.Counts || res.Judged != nil || w.show("refs/torve/attempts/T-0001/1", "docs/x.md") != "x" {
				t.Errorf("counts %v, judged %v, kept %q", res.Counts, res.Judged, w.show(res.Ref, "docs/x.md"))
			}
		})
	}
}

func TestARefThatSomebodyElseMadeInThePlaceOfTheKeptOneGoesAside(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("append:a.txt:x", "git:commit -qam mine", "git:update-ref refs/torve/attempts/T-0001/1 HEAD", "write:docs/x.md:x")
	wantEnd(t, res, "isolation")
	if got := w.repo.Git("for-each-ref", "--format=%(refname) %(contents:subject)", "refs/torve/aside"); !strings.Contains(got, "refs/torve/aside/T-0001/1/") || !strings.HasSuffix(got, "mine") {
		t.Errorf("aside is %q", got)
	}
	if w.repo.Git("rev-parse", res.Ref) != res.Kept {
		t.Error("the ref is not ours")
	}
}

func TestWhatPeopleDoMeanwhileIsNotAttributedToTheAgent(t *testing.T) {
	w := newWorld(t)
	w.repo.Git("branch", "side")
	w.repo.Commit("Second")
	main := func(args string) string { return "git:-C " + w.repo.Dir + " " + args }
	res := w.attempt(
		main("commit -q --allow-empty -m theirs"), main("branch -q topic"), main("branch -q -f side HEAD"), main("tag v2"),
		"write:"+w.repo.Dir+"/a.txt:edited\\n",
		"git:checkout -q -b mine", "append:a.txt:four\\n", "git:commit -qam mine",
	)
	wantAccepted(t, res)
	for _, part := range []string{"the main work tree changed meanwhile", "the agent left refs/heads/mine"} {
		if !w.notes.said("warn", part) {
			t.Errorf("nobody was told that %s", part)
		}
	}
	if w.notes.said("warn", "refs/heads/topic") || w.notes.said("warn", "refs/tags/v2") {
		t.Errorf("what people made is told as the agent's: %v", w.notes.all)
	}
}

func TestALandingThatIsHalfWayIsNobodysEdit(t *testing.T) {
	w := newWorld(t)
	w.repo.Commit("Second")
	path := filepath.Join(w.repo.Dir, "a.txt")
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	release, err := w.git.Lock(t.Context(), "target-main")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		defer release()
		for now := was; string(now) == string(was); now, _ = os.ReadFile(path) {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(300 * time.Millisecond)
		done <- os.WriteFile(path, was, 0o644)
	}()
	res := w.attempt("write:"+path+":landed\\n", "append:docs/x.md:x")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	wantAccepted(t, res)
	if w.notes.said("warn", "the main work tree changed meanwhile") {
		t.Error("a landing is told as an edit")
	}
}

func TestAnAttemptMeanwhileIsExplainedByTheRecord(t *testing.T) {
	w := newWorld(t)
	first := w.attempt("append:a.txt:four\\n")
	wantAccepted(t, first)
	w.agent("append:a.txt:five\\n", "git:update-ref refs/torve/attempts/T-0001/1 "+first.Kept)
	w.repo.Git("update-ref", "-d", first.Ref) // the second attempt sees it come
	w.mint(task("T-0002"))
	wantAccepted(t, w.run(w.job("T-0002")))
}

func TestNoAttemptChangesTorvesOwnPaths(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n", "write:.torve/execution/T-0001-1-20260131T100000Z.yaml:task\\n")
	w.mint(task("T-0001", func(c *contract.Contract) { c.Scope.Allow = []string{"**"} }))
	res := w.run(w.job("T-0001"))
	wantRefused(t, res, "law", ".torve/execution/T-0001-1-20260131T100000Z.yaml is torve's own")
}

func TestALinkThatLeavesTheTreeIsRefused(t *testing.T) {
	for target, part := range map[string]string{
		"/etc/passwd":       "it is a link to /etc/passwd",
		"../../outside":     "it is a link to ../../outside",
		"../.git/config":    "git's own folder",
		"../docs/../../out": "it is a link to",
		"../a.txt":          "",
		"sibling":           "",
	} {
		if got := (links{"src/link": target}).escapes("src/link"); !strings.Contains(got, part) || (got == "") != (part == "") {
			t.Errorf("a link to %s: %q", target, got)
		}
	}
	for name, c := range map[string]struct {
		in   links
		part string
	}{
		"two that leave together":      {links{"src/link": "up/../../out", "src/up": ".."}, "it is a link to up/../../out"},
		"one through a link of a root": {links{"src/link": "etc/passwd", "src/etc": "/etc"}, "which leads to /etc"},
		"two that stay together":       {links{"src/link": "up/src/../a.txt", "src/up": ".."}, ""},
		"a circle":                     {links{"src/link": "other", "src/other": "link"}, ""},
		"git's folder by a detour":     {links{"src/link": "up/.Git/hooks", "src/up": ".."}, "git's own folder"},
	} {
		if got := c.in.escapes("src/link"); !strings.Contains(got, c.part) || (got == "") != (c.part == "") {
			t.Errorf("%s: %q", name, got)
		}
	}
	may := func(c *contract.Contract) { c.Verbs = append(c.Verbs, "symlink"); c.Scope.Allow = []string{"**"} }
	t.Run("two that leave together", func(t *testing.T) {
		w := newWorld(t)
		w.agent("link:src/up:..", "link:src/out:up/../../outside")
		w.mint(task("T-0001", may))
		wantRefused(t, w.run(w.job("T-0001")), "grounding", "it is a link to up/../../outside")
	})
	t.Run("one that sends an older one out", func(t *testing.T) {
		w := newWorld(t)
		w.repo.Git("config", "core.symlinks", "true")
		if err := os.Symlink("d/../../out", filepath.Join(w.repo.Dir, "src", "old")); err != nil {
			t.Fatal(err)
		}
		w.repo.Commit("A link")
		w.agent("link:src/d:..")
		w.mint(task("T-0001", may))
		wantRefused(t, w.run(w.job("T-0001")), "grounding", "by it src/old does, a link to d/../../out")
	})
	t.Run("out", func(t *testing.T) {
		w := newWorld(t)
		w.agent("link:src/out:../../outside")
		w.mint(task("T-0001", may))
		wantRefused(t, w.run(w.job("T-0001")), "grounding", "it is a link to ../../outside")
	})
	t.Run("one that stays is let through", func(t *testing.T) {
		w := newWorld(t)
		w.agent("link:src/in:../a.txt")
		w.mint(task("T-0001", may))
		wantAccepted(t, w.run(w.job("T-0001")))
	})
	t.Run("one that the contract does not list is no verb", func(t *testing.T) {
		w := newWorld(t)
		wantRefused(t, w.attempt("link:in.txt:a.txt"), "verb", `"symlink" is not a verb`)
	})
}

func TestAFetchMeanwhileMovesTheNameOfItsRemotesBranchToo(t *testing.T) {
	w := newWorld(t)
	hub := filepath.Join(t.TempDir(), "hub.git")
	w.repo.Git("clone", "-q", "--bare", w.repo.Dir, hub)
	w.repo.Git("remote", "add", "hub", hub)
	w.repo.Git("fetch", "-q", "hub")
	w.repo.Git("remote", "set-head", "hub", "main")
	more := w.repo.Git("commit-tree", "-p", "main", "-m", "More", "main^{tree}")
	w.repo.Git("push", "-q", hub, more+":refs/heads/main")
	w.repo.Git("update-ref", "refs/remotes/hub/main", "main")
	wantEnd(t, w.attempt("write:docs/x.md:x", "sh:git fetch -q hub"), "done")
}
