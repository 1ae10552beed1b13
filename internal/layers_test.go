// Package internal_test holds the import map of the house. It is law.
package internal_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "torve/internal/"

// layers is the map of the house: for each package, which of ours it may import. A
// package that is not here may not exist. cli may import anything, and only cmd
// imports cli.
var layers = map[string][]string{
	// Words: what things are. They import strictyaml, which knows none of them.
	"strictyaml": {},
	"contract":   {"strictyaml"},
	"spec":       {"strictyaml"},
	"carrier":    {"failpoint", "strictyaml"},
	"record":     {},
	"seam":       {},

	// Where torve may die. Whoever writes names the boundary; it knows none of them.
	"failpoint": {},

	// The world: ground, bodies, its people, and the law that they propose under.
	"sim":     {},
	"beast":   {"sim"},
	"law":     {"beast", "sim"},
	"village": {"beast", "law", "sim"},

	// Hands: one outside system each.
	"process":         {"failpoint"},
	"git":             {"failpoint", "process"},
	"agent":           {"contract", "process"},
	"lang":            {},
	"record/sqlite":   {"failpoint", "record"},
	"record/postgres": {"failpoint", "record"},

	// Rules: facts in, values out. truth gathers its facts itself, through git.
	"board":    {"contract", "record"},
	"truth":    {"board", "carrier", "contract", "git", "record", "strictyaml"},
	"gate":     {"contract", "seam"},
	"workload": {"carrier", "contract", "gate", "seam"},

	// Stations: never one another.
	"mint":     {"board", "carrier", "contract", "failpoint", "git", "record", "spec", "strictyaml", "truth"},
	"dispatch": {"board", "contract", "failpoint", "git", "record", "truth"},
	"attempt":  {"agent", "board", "carrier", "contract", "failpoint", "gate", "git", "process", "record", "seam", "truth", "workload"},
	"landing":  {"board", "carrier", "contract", "failpoint", "git", "record", "seam", "truth", "workload"},
	"answer":   {"board", "carrier", "contract", "failpoint", "git", "record", "truth"},
	"view":     {"board", "carrier", "contract", "git", "record", "sim", "spec", "strictyaml", "truth", "village"},

	// The bench of the world's law.
	"decide": {"beast", "lang", "law", "record", "sim", "village"},

	// Order in the house: what agrees, what is left, what may go.
	"audit":  {"board", "carrier", "contract", "failpoint", "git", "record", "spec", "strictyaml", "truth"},
	"upkeep": {"board", "carrier", "contract", "failpoint", "git", "process", "record", "truth"},

	// For tests and for the house itself.
	"git/gittest":            {},
	"record/recordtest":      {"record"},
	"record/postgres/pgtest": {},
	"sizes":                  {},
	"bench":                  {"carrier", "contract", "record"},
}

// supports are what a test of any package may stand on: the real store and a real
// repository.
var supports = []string{"record/recordtest", "record/sqlite", "record/postgres", "record/postgres/pgtest", "git/gittest"}

// doors lists the packages that may have an import from outside, one door for each
// thing. A module that is not here may not be imported at all. Tests may import
// what they need.
var doors = map[string][]string{
	"os/exec":                       {"process", "git/gittest", "record/postgres/pgtest"},
	"database/sql":                  {"record/sqlite"},
	"modernc.org/sqlite":            {"record/sqlite"},
	"github.com/jackc/pgx":          {"record/postgres", "record/postgres/pgtest"},
	"github.com/go-git/go-git":      {"git"},
	"github.com/go-git/go-billy":    {"git"},
	"github.com/spf13/cobra":        {"cli"},
	"github.com/spf13/pflag":        {"cli"},
	"github.com/yuin/goldmark":      {"spec"},
	"github.com/bmatcuk/doublestar": {"contract"},
	"gopkg.in/yaml.v3":              {"strictyaml", "contract", "spec", "carrier"},
	"github.com/ollama/ollama/api":  {"lang"},
	"torve/configs":                 {"village", "lang", "cli"},
	"golang.org/x/sys":              {"process", "git", "record/sqlite"},
	"golang.org/x/term":             {"cli"},
	"pgregory.net/rapid":            {"record/recordtest"},
	"math/rand":                     {},
	"net/http":                      {"lang"},
}

// pure packages see no file, no network and no process: facts in, values out. What they
// need of the outside is handed to them.
var pure = []string{"strictyaml", "contract", "spec", "record", "seam", "board", "gate", "workload", "sim", "beast", "law", "village", "decide"}

// systems are the standard library's ways to the outside.
var systems = []string{"os", "net", "syscall", "io/fs", "path/filepath", "plugin"}

// clocks may read the time: cli hands it down as now; the others measure limits.
var clocks = []string{"cli", "process", "git", "lang", "record/sqlite", "record/postgres", "record/postgres/pgtest", "record/recordtest"}

// calls lists functions that only the named packages may use: the clock, and ways
// round the door to other programs.
var calls = map[string][]string{
	"time.Now": clocks, "time.Since": clocks, "time.Until": clocks,
	"os.StartProcess": {"process"}, "syscall.ForkExec": {"process"}, "syscall.StartProcess": {"process"}, "syscall.Exec": {"process"},
	"os.Exit": {"sizes"},
}

func TestTheHouseKeepsToItsMap(t *testing.T) {
	seen := map[string]bool{}
	each(t, ".", func(file string, f *ast.File) {
		seen[path.Dir(file)] = true
		for _, fault := range faults(file, f) {
			t.Error(fault)
		}
	})
	for pkg := range layers {
		if !seen[pkg] {
			t.Errorf("%s is on the map and not in the tree", pkg)
		}
	}
}

func TestACommandImportsNothingOfOursButCli(t *testing.T) {
	each(t, "../cmd", func(file string, f *ast.File) {
		for _, imp := range imports(f) {
			if dep, ours := strings.CutPrefix(imp, module); ours && dep != "cli" && !(isTest(file) && slices.Contains(supports, dep)) {
				t.Errorf("cmd/%s: a command may not import %s", file, dep)
			}
		}
	})
}

// faults is what a file does that its package may not.
func faults(file string, f *ast.File) []string {
	pkg := path.Dir(file)
	if _, known := layers[pkg]; !known && pkg != "cli" {
		return []string{fmt.Sprintf("%s: package %s is not on the map; add it here and to docs/architecture.md", file, pkg)}
	}
	var out []string
	for _, imp := range imports(f) {
		if dep, ours := strings.CutPrefix(imp, module); ours {
			out = append(out, inside(file, pkg, dep)...)
		} else if !isTest(file) {
			out = append(out, outside(file, pkg, imp)...)
		}
	}
	if !isTest(file) {
		out = append(out, uses(file, pkg, f)...)
	}
	return out
}

// inside judges an import of our own.
func inside(file, pkg, dep string) []string {
	switch {
	case dep == pkg, pkg == "cli" && dep != "cli", slices.Contains(layers[pkg], dep):
		return nil
	case isTest(file) && slices.Contains(supports, dep):
		return nil
	}
	return []string{fmt.Sprintf("%s: %s may not import %s", file, pkg, dep)}
}

// outside judges an import from the standard library or another module.
func outside(file, pkg, imp string) []string {
	if top, _, _ := strings.Cut(imp, "/"); slices.Contains(pure, pkg) && (slices.Contains(systems, imp) || slices.Contains(systems, top)) {
		return []string{fmt.Sprintf("%s: %s is pure, and may not import %s", file, pkg, imp)}
	}
	if who, guarded := door(imp); guarded && !slices.Contains(who, pkg) {
		return []string{fmt.Sprintf("%s: only %v may import %s", file, who, imp)}
	} else if guarded {
		return nil
	}
	first, _, _ := strings.Cut(imp, "/")
	if strings.Contains(first, ".") {
		return []string{fmt.Sprintf("%s: %s has no door; name who may import it, and why, in docs/dependencies.md", file, imp)}
	}
	return nil
}

// door finds who may have an import.
func door(imp string) (who []string, guarded bool) {
	for prefix, who := range doors {
		if imp == prefix || strings.HasPrefix(imp, prefix+"/") {
			return who, true
		}
	}
	return nil, false
}

// uses looks for the calls of the list, under whatever name the file imports them.
func uses(file, pkg string, f *ast.File) []string {
	names := map[string]string{}
	for _, spec := range f.Imports {
		imp := unquote(spec)
		names[path.Base(imp)] = imp
		if spec.Name != nil {
			names[spec.Name.Name] = imp
		}
	}
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		id, ok := sel.X.(*ast.Ident)
		if !ok {
			return true
		}
		call := names[id.Name] + "." + sel.Sel.Name
		if who, listed := calls[call]; listed && !slices.Contains(who, pkg) {
			out = append(out, fmt.Sprintf("%s: %s is for %v", file, call, who))
		}
		return true
	})
	return out
}

func imports(f *ast.File) []string {
	var out []string
	for _, spec := range f.Imports {
		out = append(out, unquote(spec))
	}
	return out
}

func unquote(spec *ast.ImportSpec) string {
	imp, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value // the parser lets none through
	}
	return imp
}

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// each parses every Go file below a folder. It parses by itself: a test that asks
// the go command would be cached as ok after a bad import is added.
func each(t *testing.T, root string, visit func(file string, f *ast.File)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || path.Dir(file) == "." || strings.Contains(file, "testdata/") {
			return err
		}
		text, err := os.ReadFile(path.Join(root, file))
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		visit(file, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTheMapForbidsWhatItSays(t *testing.T) {
	for name, c := range map[string]struct{ file, text, says string }{
		"a station imports another": {"mint/a.go", `import "torve/internal/landing"`, "mint/a.go: mint may not import landing"},
		"a word imports a station":  {"seam/a.go", `import "torve/internal/attempt"`, "seam may not import attempt"},
		"somebody imports cli":      {"view/a.go", `import "torve/internal/cli"`, "view may not import cli"},
		"a package off the map":     {"util/a.go", ``, "package util is not on the map"},
		"a second door":             {"git/a.go", `import "os/exec"`, "only [process git/gittest record/postgres/pgtest] may import os/exec"},
		"a gate that sees files":    {"gate/a.go", `import "os"`, "gate is pure, and may not import os"},
		"a seam that speaks":        {"seam/a.go", `import "net/url"`, "seam is pure, and may not import net/url"},
		"a door below its module":   {"view/a.go", `import "github.com/go-git/go-git/v5/plumbing"`, "only [git] may import"},
		"a module without a door":   {"git/a.go", `import "example.com/x"`, "example.com/x has no door"},
		"chance":                    {"cli/a.go", `import "math/rand/v2"`, "may import math/rand/v2"},
		"the clock":                 {"board/a.go", "import \"time\"\nvar x = time.Now", "time.Now is for"},
		"the clock, renamed":        {"board/a.go", "import clock \"time\"\nvar x = clock.Since", "time.Since is for"},
		"a way round the door":      {"git/a.go", "import \"os\"\nvar x = os.StartProcess", "os.StartProcess is for [process]"},
		"an exit below main":        {"cli/a.go", "import \"os\"\nfunc x() { os.Exit(1) }", "os.Exit is for"},
		"a test on another station": {"mint/a_test.go", `import "torve/internal/landing"`, "mint may not import landing"},
		"a test on the real store":  {"mint/a_test.go", `import "torve/internal/record/sqlite"`, ""},
		"an arrow of the map":       {"git/a.go", `import "torve/internal/process"`, ""},
		"the wires":                 {"cli/a.go", `import "torve/internal/landing"`, ""},
		"the standard library":      {"seam/a.go", `import "strings"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := parser.ParseFile(token.NewFileSet(), c.file, "package x\n"+c.text, 0)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(faults(c.file, f), "\n")
			if (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
				t.Errorf("it says %q", got)
			}
		})
	}
}
