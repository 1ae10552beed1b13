package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"torve/internal/record/postgres/pgtest"
)

// deaths are how many of the tests of death run side by side, whatever else does.
var deaths = make(chan struct{}, 3)

// TestADeathAtAnyBoundaryChangesNothing kills the program with SIGKILL at each boundary
// that internal/failpoint names, the first time that it is reached and the second, and asks
// that what a person does next comes to the end that it would have come to.
func TestADeathAtAnyBoundaryChangesNothing(t *testing.T) {
	dies(t, stories(), boundaries(t))
}

// TestADeathAtTheBoundariesOfARecordOnPostgresChangesNothing does so with the record in a
// database, where the record's own boundaries are others.
func TestADeathAtTheBoundariesOfARecordOnPostgresChangesNothing(t *testing.T) {
	server := pgtest.Server(t)
	var list []story
	for _, s := range stories() {
		if s.records {
			s.server, s.also = server, []string{"record.inserted", "record.committed"}
			list = append(list, s)
		}
	}
	names := slices.DeleteFunc(boundaries(t), func(name string) bool {
		return !strings.HasPrefix(name, "record.") || name == "record.made" // no table is made but by torve migrate
	})
	dies(t, list, names)
}

// dies tells each story undisturbed, and then once for each death in it.
func dies(t *testing.T, list []story, names []string) {
	torve := program(t, "failpoint")
	told := make([]telling, len(list))
	t.Run("undisturbed", func(t *testing.T) {
		for i, s := range list {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				deaths <- struct{}{}
				defer func() { <-deaths }()
				told[i] = undisturbed(t, torve, s)
			})
		}
	})
	unreached := slices.Clone(names)
	for _, name := range names {
		unreached = append(unreached, name+":2")
	}
	for i, s := range list {
		for _, at := range told[i].deaths(s, &unreached) {
			t.Run(s.name+"/"+at, func(t *testing.T) {
				t.Parallel()
				deaths <- struct{}{}
				defer func() { <-deaths }()
				killed(t, torve, s, at, told[i])
			})
		}
	}
	unreached = slices.DeleteFunc(unreached, func(at string) bool { return strings.HasSuffix(at, ":2") }) // not all come twice
	untold := func(w telling) bool { return w.reached == nil }                                            // -run has left it out, or it has failed
	if len(unreached) > 0 && !slices.ContainsFunc(told, untold) {
		t.Errorf("no story comes to these boundaries: %s", strings.Join(unreached, ", "))
	}
}

// telling is a story that nothing disturbed.
type telling struct {
	reached []string // boundaries, in order, each time that one was reached
	end     outcome
	last    int // the exit code of the last verb
}

// undisturbed tells a story and notes the boundaries that it comes to.
func undisturbed(t *testing.T, torve string, s story) telling {
	g := s.ground(t, torve)
	s.tell(g)
	r := g.run([]string{"TORVE_FAILPOINT_REACHED=" + filepath.Join(g.home, "reached")}, append([]string{torve}, s.verb...)...)
	for _, r = range append([]ran{r}, s.goOn(g, false)...) {
		t.Log(r)
	}
	told := telling{reached: strings.Fields(g.read("home/reached")), last: r.code}
	var faults []string
	told.end, faults = s.end(g)
	for _, fault := range faults {
		t.Error(fault)
	}
	return told
}

// deaths are where a story dies: the first and the second time at a boundary, where no
// story before it came to that, or where it names the boundary itself.
func (w telling) deaths(s story, unreached *[]string) []string {
	var list []string
	times := map[string]int{}
	for _, name := range w.reached {
		at := name
		if times[name]++; times[name] > 1 {
			at = fmt.Sprintf("%s:%d", name, times[name])
		}
		if slices.Contains(*unreached, at) || times[name] <= 2 && slices.Contains(s.also, name) {
			list = append(list, at)
		}
		*unreached = slices.DeleteFunc(*unreached, func(one string) bool { return one == at })
	}
	return list
}

// quiet are the boundaries at which nothing of the attempt's agent may run any more.
var quiet = []string{"attempt.commit-written", "attempt.tree-kept", "attempt.entries-recorded", "attempt.finished", "attempt.crash-recorded"}

// loose are the boundaries at which objects are in the repository that no ref leads to, or
// that one has only just led to: there a person's git prunes before anything goes on.
var loose = []string{
	"attempt.agent-ended", "attempt.commit-written", "attempt.tree-kept", "attempt.finished", "attempt.set-aside", "attempt.judged",
	"landing.commits-written", "landing.forwarded", "git.commit-written",
}

// killed tells a story with a death in it, and asks what it comes to.
func killed(t *testing.T, torve string, s story, at string, told telling) {
	g := s.ground(t, torve)
	s.tell(g)
	r := g.run([]string{"TORVE_FAILPOINT=" + at}, append([]string{torve}, s.verb...)...)
	if r.code != -1 {
		t.Fatalf("it does not die at %s: %v", at, r)
	}
	name, _, _ := strings.Cut(at, ":")
	if slices.Contains(quiet, name) && len(g.left()) > 0 {
		t.Errorf("the tree is saved while what the agent left still runs: %v", g.left())
	}
	if !s.bare {
		g.age()
	}
	if slices.Contains(loose, name) { // whatever no ref holds is gone by the time that it is looked for
		g.git("gc", "--quiet", "--prune=now")
	}
	did := s.goOn(g, true)
	end, faults := s.end(g)
	faults = append(faults, end.agree(told.end)...)
	if n := len(did); !s.bare && did[n-1].code != told.last {
		faults = append(faults, fmt.Sprintf("it exits %d at the end, and without the death %d", did[n-1].code, told.last))
	}
	for _, fault := range faults {
		t.Error(fault)
	}
	if parts := strings.Split(t.Name(), "/"); len(faults) > 0 {
		for _, r := range append([]ran{r}, did...) {
			t.Log(r)
		}
		t.Logf("to see it again: go test ./cmd/torve -run '%s/^(undisturbed|%s)$/_|^%s$'", parts[0], parts[1], parts[2])
	}
}

// TestARefThatOutlivedItsObjectsIsMadeAnewFromTheWorktree is a power cut on a disk that lies:
// the ref of a kept tree is there, and its commit has no bytes.
func TestARefThatOutlivedItsObjectsIsMadeAnewFromTheWorktree(t *testing.T) {
	g := newGround(t, program(t, "failpoint"), "", one("a/**", makes, ""))
	died("attempt.tree-kept")(g)
	id := g.git("rev-parse", "refs/torve/attempts/T-0001/1")
	object := filepath.Join(g.dir, ".git/objects", id[:2], id[2:])
	g.check(os.Chmod(object, 0o644))
	g.check(os.Truncate(object, 0))
	if r := g.verb(dispatching...); r.code != 0 || !strings.Contains(r.out, "landed    T-0001") {
		t.Error(r)
	}
	if now := g.git("rev-parse", "refs/torve/attempts/T-0001/1"); now == id {
		t.Errorf("the ref still leads to %s", id)
	}
	if x := g.git("show", "refs/torve/attempts/T-0001/1:a/x"); x != "good" {
		t.Errorf("the kept tree holds %q", x)
	}
}

// boundaries are the names of internal/failpoint/names.go.
func boundaries(t *testing.T) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../../internal/failpoint/names.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		name, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
		return true
	})
	return names
}
