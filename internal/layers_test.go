// Package internal_test holds the import map of the house. It is law.
package internal_test

import (
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
	"carrier":    {"strictyaml"},
	"record":     {},
	"seam":       {},

	// Hands: one outside system each.
	"process":       {},
	"git":           {"process"},
	"agent":         {"contract", "process"},
	"record/sqlite": {"record"},

	// Rules: facts in, values out. truth gathers its facts itself, through git.
	"board":    {"contract", "record"},
	"truth":    {"board", "carrier", "contract", "git", "record", "strictyaml"},
	"gate":     {"contract", "seam"},
	"workload": {"carrier", "contract", "gate", "seam"},

	// Stations: never one another.
	"mint":     {"board", "carrier", "contract", "git", "record", "spec", "strictyaml", "truth"},
	"dispatch": {"board", "contract", "git", "record", "truth"},
	"attempt":  {"agent", "board", "carrier", "contract", "gate", "git", "process", "record", "seam", "truth", "workload"},
	"landing":  {"board", "carrier", "contract", "git", "record", "seam", "truth", "workload"},
	"answer":   {"board", "carrier", "contract", "git", "record", "truth"},
	"view":     {"board", "carrier", "contract", "git", "record", "spec", "strictyaml", "truth"},

	// For tests and for the house itself.
	"git/gittest":       {},
	"record/recordtest": {"record"},
	"sizes":             {},
}

// doors lists imports that only the named packages may have: one door for each
// outside thing. Tests may use them.
var doors = map[string][]string{
	"os/exec":                       {"process", "git/gittest"},
	"database/sql":                  {"record/sqlite"},
	"modernc.org/sqlite":            {"record/sqlite"},
	"github.com/go-git/go-git":      {"git"},
	"github.com/go-git/go-billy":    {"git"},
	"github.com/spf13/cobra":        {"cli"},
	"github.com/yuin/goldmark":      {"spec"},
	"github.com/bmatcuk/doublestar": {"contract"},
	"gopkg.in/yaml.v3":              {"strictyaml", "contract", "spec", "carrier"},
	"golang.org/x/sys":              {"process", "git", "record/sqlite"},
	"golang.org/x/term":             {"cli"},
	"math/rand":                     {},
	"net/http":                      {},
}

// clocks may read the time: cli hands it down as now; the others measure limits.
var clocks = []string{"cli", "process", "git", "record/sqlite"}

func TestEachPackageImportsOnlyWhatTheMapAllows(t *testing.T) {
	seen := map[string]bool{}
	each(t, func(file, pkg string, f *ast.File) {
		seen[pkg] = true
		if _, known := layers[pkg]; !known && pkg != "cli" {
			t.Errorf("%s: package %s is not on the map; add it here and to docs/architecture.md", file, pkg)
			return
		}
		for _, spec := range f.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			ours(t, file, pkg, imp)
			outside(t, file, pkg, imp)
		}
	})
	for pkg := range layers {
		if !seen[pkg] {
			t.Errorf("%s is on the map and not in the tree", pkg)
		}
	}
}

func ours(t *testing.T, file, pkg, imp string) {
	dep, ok := strings.CutPrefix(imp, module)
	if !ok || pkg == "cli" && dep != "cli" || dep == pkg {
		return
	}
	test := strings.HasSuffix(file, "_test.go")
	if test && slices.Contains([]string{"record/recordtest", "record/sqlite", "git/gittest"}, dep) {
		return // tests stand on the real store and a real repository
	}
	if !slices.Contains(layers[pkg], dep) {
		t.Errorf("%s: %s may not import %s", file, pkg, dep)
	}
}

func outside(t *testing.T, file, pkg, imp string) {
	if strings.HasSuffix(file, "_test.go") {
		return
	}
	for prefix, who := range doors {
		if (imp == prefix || strings.HasPrefix(imp, prefix+"/")) && !slices.Contains(who, pkg) {
			t.Errorf("%s: only %v may import %s", file, who, imp)
		}
	}
}

func TestTheClockIsReadInFewPlaces(t *testing.T) {
	each(t, func(file, pkg string, f *ast.File) {
		if strings.HasSuffix(file, "_test.go") || slices.Contains(clocks, pkg) || pkg == "record/recordtest" {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if id, ok := sel.X.(*ast.Ident); ok && id.Name == "time" && (sel.Sel.Name == "Now" || sel.Sel.Name == "Since") {
				t.Errorf("%s reads the clock: time.%s is for %v; take now as an argument", file, sel.Sel.Name, clocks)
			}
			return true
		})
	})
}

// each parses every Go file under internal. It parses by itself: a test that asks
// the go command would be cached as ok after a bad import is added.
func each(t *testing.T, visit func(file, pkg string, f *ast.File)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("."), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || path.Dir(file) == "." || strings.Contains(file, "testdata/") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		visit(file, path.Dir(file), f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
