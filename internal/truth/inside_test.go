package truth

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// readers are the packages that may call each reader of carrier, beside truth
// itself. A station reads what it writes itself, to repair or take it over; no
// other code learns a task's state from a file.
var readers = map[string][]string{
	"ReadLanding":  {"landing", "audit"},  // repair: what git holds and the record does not
	"ReadState":    {"attempt", "upkeep"}, // the loop's own run; once more before a file is cleared: one that a run wrote since stays
	"ReadStates":   {"audit"},             // once more before a repair: what a run has written since is left
	"DecodeState":  {},                    //
	"ReadLog":      {"audit"},             // what landed, against what the record renders
	"ReadRows":     {"view", "attempt"},   // what it cost, from the files; the rows that the loop has written
	"DecodeRows":   {"audit"},             // line by line, so that each fault has its place
	"ReadFindings": {"view", "cli"},       // two ledgers of people, and no state
	"ReadFeedback": {"view", "cli"},
	"ReadReport":   {"workload"}, // no carrier of state: a claim, asked by shape
}

func TestTheCarriersReadersStayInside(t *testing.T) {
	called := 0
	for path, file := range sources(t) {
		pkg := filepath.Base(filepath.Dir(path))
		if pkg == "truth" || pkg == "carrier" || strings.HasSuffix(path, "_test.go") {
			continue
		}
		for _, name := range calls(file, "torve/internal/carrier") {
			if !strings.HasPrefix(name, "Read") && !strings.HasPrefix(name, "Decode") {
				continue
			}
			called++
			if allowed, known := readers[name]; !known || !slices.Contains(allowed, pkg) {
				t.Errorf("%s calls carrier.%s: ask truth instead", path, name)
			}
		}
	}
	if called == 0 {
		t.Error("no call of a reader was found at all: the test looks in the wrong place")
	}
}

func TestOneFoldAndOneViewAreUsedByAll(t *testing.T) {
	for path, file := range sources(t) {
		pkg := filepath.Base(filepath.Dir(path))
		if pkg == "truth" || pkg == "board" || strings.HasSuffix(path, "_test.go") {
			continue
		}
		if called := calls(file, "torve/internal/board"); slices.Contains(called, "View") || slices.Contains(called, "Open") {
			t.Errorf("%s calls board.View or board.Open: ask truth's Reading for its rows", path)
		}
	}
}

// sources parses every Go file under internal.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		files[path] = f
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// calls lists what a file takes from a package, under whatever name it imports it.
func calls(file *ast.File, pkg string) []string {
	local := ""
	for _, i := range file.Imports {
		if path, _ := strconv.Unquote(i.Path.Value); path == pkg {
			local = filepath.Base(pkg)
			if i.Name != nil {
				local = i.Name.Name
			}
		}
	}
	var names []string
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == local && local != "" {
				names = append(names, s.Sel.Name)
			}
		}
		return true
	})
	return names
}
