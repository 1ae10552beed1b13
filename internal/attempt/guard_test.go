package attempt

import (
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/contract"
)

func TestWhereNoWallIsUpABrokenIsolationIsFoundAfterwards(t *testing.T) {
	common := func(w *world, name string) string { return filepath.Join(w.git.Common, name) }
	cases := map[string]func(w *world) []string{
		"a hook": func(w *world) []string {
			return []string{"write:" + common(w, "hooks/post-checkout") + ":#!/bin/sh\\n"}
		},
		"an executable setting": func(w *world) []string { return []string{"git:config core.fsmonitor ./evil"} },
		"attributes": func(w *world) []string {
			return []string{"write:" + common(w, "info/attributes") + ":* filter=evil\\n"}
		},
		"alternates": func(w *world) []string { return []string{"write:" + common(w, "objects/info/alternates") + ":/tmp\\n"} },
		"the target": func(w *world) []string {
			return []string{"append:a.txt:x", "git:commit -qam x", "git:update-ref refs/heads/main HEAD"}
		},
		"a ref without a reflog": func(w *world) []string { return []string{"git:tag -f v1 HEAD~1"} },
		"its own kept ref":       func(w *world) []string { return []string{"git:update-ref refs/torve/attempts/T-0001/1 HEAD"} },
		"a kept ref that is not": func(w *world) []string { return []string{"git:update-ref refs/torve/attempts/T-0009/1 HEAD"} },
		"a branch goes":          func(w *world) []string { return []string{"git:branch -q -D side"} },
		"its own link":           func(w *world) []string { return []string{"remove:.git", "git:init -q ."} },
	}
	for name, steps := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.repo.Git("branch", "side")
			w.repo.Commit("Second")
			w.repo.Git("tag", "v1")
			res := w.attempt(append([]string{"write:docs/x.md:x"}, steps(w)...)...)
			wantEnd(t, res, "isolation")
			if res.Counts || res.Judged != nil {
				t.Errorf("counts %v, judged %v", res.Counts, res.Judged)
			}
			if w.show("refs/torve/attempts/T-0001/1", "docs/x.md") != "x" {
				t.Error("the tree is not kept")
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
	main := func(w *world, args string) string { return "git:-C " + w.repo.Dir + " " + args }
	cases := map[string]func(w *world) []string{
		"a commit on the target": func(w *world) []string { return []string{main(w, "commit -q --allow-empty -m theirs")} },
		"a branch, moved": func(w *world) []string {
			return []string{main(w, "branch -q topic"), main(w, "branch -q -f side HEAD")}
		},
		"a tag":                   func(w *world) []string { return []string{main(w, "tag v2")} },
		"an edit in the checkout": func(w *world) []string { return []string{"write:" + w.repo.Dir + "/a.txt:edited\\n"} },
		"a branch of the agent":   func(w *world) []string { return []string{"git:checkout -q -b mine"} },
	}
	for name, steps := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.repo.Git("branch", "side")
			w.repo.Commit("Second")
			res := w.attempt(append([]string{"append:a.txt:four\\n"}, steps(w)...)...)
			wantAccepted(t, res)
		})
	}
}

func TestAChangeOfTheMainWorkTreeIsReported(t *testing.T) {
	w := newWorld(t)
	wantAccepted(t, w.attempt("append:a.txt:four\\n", "write:"+w.repo.Dir+"/a.txt:edited\\n"))
	if !w.notes.said("warn", "the main work tree changed meanwhile") {
		t.Error("nobody was told")
	}
}

func TestABranchThatTheAgentLeftIsTold(t *testing.T) {
	w := newWorld(t)
	wantAccepted(t, w.attempt("git:checkout -q -b mine", "append:a.txt:four\\n", "git:commit -qam mine"))
	if !w.notes.said("warn", "refs/heads/mine") {
		t.Error("nobody was told")
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
	links := func(c *contract.Contract) { c.Verbs = append(c.Verbs, "symlink"); c.Scope.Allow = []string{"**"} }
	for target, part := range map[string]string{
		"/etc/passwd":       "it is a link to /etc/passwd",
		"../../outside":     "it is a link to ../../outside",
		"../.git/config":    "git's own folder",
		"../docs/../../out": "it is a link to",
	} {
		t.Run(target, func(t *testing.T) {
			w := newWorld(t)
			w.agent("link:src/out:" + target)
			w.mint(task("T-0001", links))
			wantRefused(t, w.run(w.job("T-0001")), "grounding", part)
		})
	}
	t.Run("one that stays is let through", func(t *testing.T) {
		w := newWorld(t)
		w.agent("link:src/in:../a.txt")
		w.mint(task("T-0001", links))
		wantAccepted(t, w.run(w.job("T-0001")))
	})
	t.Run("one that the contract does not list is no verb", func(t *testing.T) {
		w := newWorld(t)
		wantRefused(t, w.attempt("link:in.txt:a.txt"), "verb", `"symlink" is not a verb`)
	})
}
