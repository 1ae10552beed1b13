package failpoint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// boundary is one constant of names.go: its name in Go, its value, and its line.
type boundary struct{ ident, name, says string }

func boundaries(t *testing.T) []boundary {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "names.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var out []boundary
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, boundary{spec.Names[0].Name, value, strings.Join(strings.Fields(spec.Doc.Text()), " ")})
		return true
	})
	return out
}

// hits are the places that call Hit, by what they hand it.
func hits(t *testing.T, root string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata") {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !is(call.Fun, "Hit") {
				return true
			}
			what := "no constant"
			if sel, ok := call.Args[0].(*ast.SelectorExpr); ok && is(sel, sel.Sel.Name) {
				what = sel.Sel.Name
			}
			found[what] = append(found[what], set.Position(call.Pos()).String())
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// is reports whether an expression is a name of this package.
func is(e ast.Expr, name string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "failpoint"
}

// stores are the packages that write the record, each of which has its boundaries.
var stores = regexp.MustCompile(`/record/(sqlite|postgres)/`)

func TestEveryBoundaryIsHitInOnePlaceAndByItsConstant(t *testing.T) {
	found := hits(t, "..")
	for _, b := range boundaries(t) {
		of := map[string]int{} // places, of each store and of all that is none
		for _, place := range found[b.ident] {
			of[stores.FindString(place)]++
		}
		for _, n := range of {
			if n != 1 || of[""] > 0 && len(of) > 1 {
				t.Errorf("%s (%s) is to be hit in one place, or in one of each store, and is in %v", b.ident, b.name, found[b.ident])
			}
		}
		if len(of) == 0 {
			t.Errorf("%s (%s) is hit nowhere", b.ident, b.name)
		}
		delete(found, b.ident)
	}
	for what, places := range found {
		t.Errorf("Hit is called with %s, which is no boundary of names.go: %v", what, places)
	}
}

func TestABoundaryIsNamedAfterItsStationAndSaysWhatIsNotYetWritten(t *testing.T) {
	form := regexp.MustCompile(`^[a-z]+\.[a-z]+(-[a-z]+)*$`)
	seen := map[string]bool{}
	for _, b := range boundaries(t) {
		if !form.MatchString(b.name) || seen[b.name] {
			t.Errorf("%s: %q is used twice, or is not station.what-was-just-written", b.ident, b.name)
		}
		if seen[b.name] = true; b.says == "" {
			t.Errorf("%s has no line that says what is written there", b.name)
		}
	}
}

// row is a line of the table in docs/death.md.
var row = regexp.MustCompile("(?m)^\\| `([a-z.-]+)` \\| (.+) \\| (.+) \\|$")

func TestTheTableOfDeathsNamesEveryBoundaryInOrder(t *testing.T) {
	page, err := os.ReadFile("../../docs/death.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, b := range boundaries(t) {
		want = append(want, b.name)
	}
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		got = append(got, m[1])
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/death.md has\n%q\nand names.go\n%q", got, want)
	}
}

func TestInANormalBuildABoundaryIsNothing(t *testing.T) {
	t.Setenv("TORVE_FAILPOINT", "dispatch.claimed")
	Hit(DispatchClaimed) // and we live
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, says := range []string{"can inline hit", "can inline Hit", "inlining call to hit"} {
		if !strings.Contains(string(out), says) {
			t.Errorf("the compiler does not say %q:\n%s", says, out)
		}
	}
}

func TestABuildWithFailPointsDiesAtTheOneThatIsNamed(t *testing.T) {
	program := filepath.Join(t.TempDir(), "child")
	if out, err := exec.Command("go", "build", "-tags", "failpoint", "-o", program, "./testdata/child").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for at, want := range map[string]string{
		"":                   "1 2 3 4",
		"dispatch.claimed":   "1",
		"dispatch.claimed:2": "1 2 3",
		"dispatch.claimed:9": "1 2 3 4",
		"attempt.started":    "1 2",
	} {
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), "TORVE_FAILPOINT="+at)
		out, err := cmd.Output()
		if got := strings.TrimSpace(string(out)); got != want {
			t.Errorf("with TORVE_FAILPOINT=%s it says %q, and %q is wanted", at, got, want)
		}
		if killed := err != nil && fmt.Sprint(err) == "signal: killed"; killed != (want != "1 2 3 4") {
			t.Errorf("with TORVE_FAILPOINT=%s it ends with %v", at, err)
		}
	}
}
