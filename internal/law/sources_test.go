package law

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// sources parses every file of the package, its tests too where they are asked for.
func sources(t *testing.T, tests bool) map[string]*ast.File {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || !tests && strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = f
	}
	if files["seam.go"] == nil || tests && files["sources_test.go"] == nil {
		t.Fatalf("%d files, and not this package's", len(files))
	}
	return files
}

// imports are the paths that a file names.
func imports(t *testing.T, f *ast.File) []string {
	t.Helper()
	var all []string
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, path)
	}
	return all
}

// uses counts where a file declares a field of a name, and where it selects one.
func uses(f *ast.File, name string) (declared, selected int) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, id := range n.Names {
				if id.Name == name {
					declared++
				}
			}
		case *ast.SelectorExpr:
			if n.Sel.Name == name {
				selected++
			}
		}
		return true
	})
	return declared, selected
}

func TestAFileThatReadsAReasonIsFound(t *testing.T) {
	text := "package x\ntype S struct{ Reason string }\ntype V struct{ A, Reason string }\nfunc f(s S) string { return g(&s).Reason + s.Reason }\n"
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	if declared, selected := uses(f, "Reason"); declared != 2 || selected != 2 {
		t.Errorf("%d declared and %d selected", declared, selected)
	}
}
