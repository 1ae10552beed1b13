package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/git/gittest"
)

func TestWhatAnAgentMustNotChangeIsSeenWhenItDid(t *testing.T) {
	config := func(args ...string) func(*testing.T, *gittest.Repo) {
		return func(t *testing.T, w *gittest.Repo) { w.Git(append([]string{"config"}, args...)...) }
	}
	file := func(path string) func(*testing.T, *gittest.Repo) {
		return func(t *testing.T, w *gittest.Repo) {
			write(t, filepath.Join(w.Git("rev-parse", "--path-format=absolute", "--git-common-dir"), path), "x\n")
		}
	}
	g, r, base := seeded(t)
	g.Hook("post-commit", "exit 0")
	g.Git("config", "alias.old", "status")
	g.Git("tag", "v1")
	w := worktree(t, r, base)
	for _, c := range []struct {
		name string
		do   func(*testing.T, *gittest.Repo)
		want string
	}{
		{"nothing", func(*testing.T, *gittest.Repo) {}, ""},
		{"an ordinary commit in its worktree", func(t *testing.T, w *gittest.Repo) { w.Write("x", "x"); w.Commit("x") }, ""},
		{"harmless configuration", config("color.ui", "always"), ""},
		{"a hook", file("hooks/pre-commit"), "hooks/pre-commit was added"},
		{"a hook's mode", func(t *testing.T, w *gittest.Repo) {
			ok(t, os.Chmod(filepath.Join(w.Git("rev-parse", "--path-format=absolute", "--git-common-dir"), "hooks", "post-commit"), 0o644))
		}, "hooks/post-commit was changed"},
		{"a hook removed", func(t *testing.T, w *gittest.Repo) {
			ok(t, os.Remove(filepath.Join(w.Git("rev-parse", "--path-format=absolute", "--git-common-dir"), "hooks", "post-commit")))
		}, "hooks/post-commit was removed"},
		{"attributes", file("info/attributes"), "info/attributes was added"},
		{"alternates", func(t *testing.T, w *gittest.Repo) {
			write(t, filepath.Join(w.Git("rev-parse", "--path-format=absolute", "--git-common-dir"), "objects/info/alternates"), t.TempDir()+"\n")
		}, "objects/info/alternates was added"},
		{"core.hooksPath", config("core.hooksPath", "/nowhere"), "core.hookspath of the local configuration was added"},
		{"core.fsmonitor", config("core.fsmonitor", "evil"), "core.fsmonitor of the local configuration was added"},
		{"core.sshCommand", config("core.sshCommand", "evil"), "core.sshcommand of the local configuration was added"},
		{"an alias", config("alias.st", "!evil"), "alias.st of the local configuration was added"},
		{"a filter", config("filter.x.clean", "evil"), "filter.x.clean of the local configuration was added"},
		{"a textconv", config("diff.x.textconv", "evil"), "diff.x.textconv of the local configuration was added"},
		{"a merge driver", config("merge.a.b.driver", "evil"), "merge.a.b.driver of the local configuration was added"},
		{"an include", config("include.path", "evil"), "include.path of the local configuration was added"},
		{"a conditional include", config("includeIf.gitdir:/x/.path", "evil"), "includeif.gitdir:/x/.path of the local configuration was added"},
		{"a credential helper", config("credential.helper", "!evil"), "credential.helper of the local configuration was added"},
		{"another place for a URL", config("url.evil:.insteadOf", "https://"), "url.evil:.insteadof of the local configuration was added"},
		{"a remote's URL", config("remote.origin.url", "evil"), "remote.origin.url of the local configuration was added"},
		{"the signing program", config("gpg.program", "evil"), "gpg.program of the local configuration was added"},
		{"the person's own configuration", config("--global", "core.pager", "evil"), "core.pager of the global configuration was added"},
		{"a second value", config("--add", "alias.old", "!evil"), "alias.old of the local configuration was changed"},
		{"an extension", config("extensions.preciousObjects", "true"), "extensions.preciousobjects of the local configuration was added"},
		{"a branch", func(t *testing.T, w *gittest.Repo) { w.Git("branch", "evil") }, "refs/heads/evil moved from nothing to "},
		{"a branch moved", func(t *testing.T, w *gittest.Repo) {
			w.Write("x", "x")
			w.Git("update-ref", "refs/heads/main", w.Commit("x"))
		}, "refs/heads/main moved from "},
		{"a tag removed", func(t *testing.T, w *gittest.Repo) { w.Git("tag", "-d", "v1") }, "refs/tags/v1 moved from "},
		{"a ref that is explained", func(t *testing.T, w *gittest.Repo) { w.Git("update-ref", "refs/torve/attempts/T-0001/1", base) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := gittest.At(t, w.Dir)
			before := must(r.Guarded(ctx))(t)
			c.do(t, w)
			now := must(r.Guarded(ctx))(t)
			got := before.Changed(now, func(ref, old, new string) bool {
				return strings.HasPrefix(ref, "refs/torve/") && old == "" && new == base
			})
			if c.want == "" {
				sameList(t, "changed", got)
				return
			}
			if len(got) != 1 || !strings.HasPrefix(got[0], c.want) {
				t.Fatalf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestHooksOfARelativeHooksPathAreGuarded(t *testing.T) {
	g, r, _ := seeded(t)
	g.Git("config", "core.hooksPath", "my hooks")
	g.Write("my hooks/pre-push", "x")
	before := must(r.Guarded(ctx))(t)
	g.Write("my hooks/pre-push", "y")
	g.Write("my hooks/commit-msg", "y")
	got := before.Changed(must(r.Guarded(ctx))(t), nil)
	sameList(t, "changed", got, "core.hooksPath/commit-msg was added", "core.hooksPath/pre-push was changed")
}

func TestTheConfigurationOfAWorktreeAloneIsGuarded(t *testing.T) {
	g, r, base := seeded(t)
	g.Git("config", "extensions.worktreeConfig", "true")
	w := worktree(t, r, base)
	before := must(r.Guarded(ctx))(t)
	other := worktree(t, r, base) // another attempt begins
	other.Git("config", "--worktree", "filter.x.clean", "its own affair until it is guarded")
	sameList(t, "changed", before.Changed(must(r.Guarded(ctx))(t), nil))
	w.Git("config", "--worktree", "filter.x.clean", "evil")
	got := before.Changed(must(r.Guarded(ctx))(t), nil)
	sameList(t, "changed", got, "filter.x.clean of the worktree:"+filepath.Base(w.Git("rev-parse", "--git-dir"))+" configuration was added")
}
