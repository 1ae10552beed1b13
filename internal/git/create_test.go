package git

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"torve/internal/git/gittest"
)

// creating is a repository whose configuration stands, so that refs are made by a program
// that is kept open.
func creating(t *testing.T) (*gittest.Repo, *Repo, string) {
	t.Helper()
	g, r := settledRepo(t)
	must(r.configList(ctx))(t)
	return g, r, g.Git("rev-parse", "main")
}

func TestRefsOfARunAreMadeByOneProgram(t *testing.T) {
	starts := gittest.Counted(t)
	g, r, c := creating(t)
	for n := range 3 {
		name := fmt.Sprintf("refs/torve/attempts/T-0001/%d", n)
		ok(t, r.UpdateRefs(ctx, RefUpdate{name, "", c}))
		same(t, name, g.Git("rev-parse", name), c)
		g.Git("pack-refs", "--all")
	}
	n := 0
	for _, s := range starts() {
		if strings.HasPrefix(s, "update-ref") {
			n++
		}
	}
	same(t, "starts of update-ref", n, 1)
}

func TestARefThatIsThereIsNotMadeByAProgramThatIsOpen(t *testing.T) {
	g, r, c := creating(t)
	two := g.Commit("two")
	ok(t, r.UpdateRefs(ctx, RefUpdate{"refs/torve/first", "", c}))
	g.Git("update-ref", "refs/torve/loose", two)
	g.Git("update-ref", "refs/torve/packed", two)
	g.Git("update-ref", "refs/torve/below/x", two)
	g.Git("pack-refs", "--all")
	g.Git("update-ref", "refs/torve/loose", two)
	for name, want := range map[string]error{"refs/torve/loose": ErrRefMoved, "refs/torve/packed": ErrRefMoved, "refs/torve/below": nil, "refs/torve/first/x": nil} {
		err := r.UpdateRefs(ctx, RefUpdate{"refs/torve/with-" + filepath.Base(name), "", c}, RefUpdate{name, "", c})
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s was made: %v", name, err)
		}
	}
	refuses(t, r.UpdateRefs(ctx, RefUpdate{"refs/torve/none", "", strings.Repeat("a", 40)}), "nonexistent object")
	ok(t, r.UpdateRefs(ctx, RefUpdate{"refs/torve/second", "", two}))
	refs := must(r.Refs(ctx, "refs/torve"))(t)
	want := map[string]string{"refs/torve/first": c, "refs/torve/second": two, "refs/torve/loose": two, "refs/torve/packed": two, "refs/torve/below/x": two}
	same(t, "refs", fmt.Sprint(refs), fmt.Sprint(want))
}

func TestSeveralMakeRefsAtOnce(t *testing.T) {
	g, r, c := creating(t)
	var all sync.WaitGroup
	for n := range 16 {
		all.Go(func() {
			if err := r.UpdateRefs(ctx, RefUpdate{fmt.Sprintf("refs/torve/%d", n), "", c}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	same(t, "refs", len(strings.Fields(g.Git("for-each-ref", "--format=%(refname)", "refs/torve"))), 16)
}

func TestALogThatIsAlwaysKeptIsWrittenByAProgramOfItsOwn(t *testing.T) {
	g, r, c := creating(t)
	g.Git("config", "core.logAllRefUpdates", "always")
	for r.knownConfiguration() == nil {
		time.Sleep(settledFine / 2)
		must(r.configList(ctx))(t)
	}
	ok(t, r.UpdateRefs(ctx, RefUpdate{"refs/torve/logged", "", c}))
	if r.lazily.creator.live != nil {
		t.Error("it is made by a program that is kept open, and whose time stands still")
	}
	same(t, "the log", g.Git("log", "-g", "--format=%gs", "refs/torve/logged"), "torve")
}
