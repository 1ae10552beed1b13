// Command sizes prints the longest files and functions and the heaviest packages,
// and fails past the bounds that keep the house readable.
package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// The bounds: lines of a file, lines of a function, a package's share of the code.
const (
	maxFile     = 600
	maxFunction = 100
	maxShare    = 25 // per cent
	shown       = 5
)

func main() {
	over, err := report(os.DirFS("."), os.Stdout)
	if err == nil && over > 0 {
		err = fmt.Errorf("%d past the bound", over)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
}

// report prints the worst of each kind and counts what is past a bound.
func report(tree fs.FS, out io.Writer) (over int, err error) {
	m, err := measure(tree)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, lines := range m.packages {
		total += lines
	}
	over += worst(out, "lines of a file", m.files, maxFile)
	over += worst(out, "lines of a function", m.functions, maxFunction)
	over += worst(out, "lines of a package, without tests", m.packages, total*maxShare/100)
	fmt.Fprintf(out, "%d lines in all, without tests\n", total)
	return over, nil
}

// worst prints the largest of a kind, and all that are past the bound.
func worst(out io.Writer, what string, sizes map[string]int, bound int) (over int) {
	var names []string
	for name := range sizes {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), strings.Compare(a, b))
	})
	fmt.Fprintf(out, "%s (at most %d)\n", what, bound)
	for i, name := range names {
		if sizes[name] > bound {
			over++
		}
		if i < shown || sizes[name] > bound {
			fmt.Fprintf(out, "  %5d  %s\n", sizes[name], name)
		}
	}
	return over
}

// measures are lines by name. A test counts as a file and by its functions, and not
// for its package's share.
type measures struct {
	files, functions, packages map[string]int
}

// measure reads the Go files of a tree, but for fixtures and hidden folders.
func measure(tree fs.FS) (measures, error) {
	m := measures{map[string]int{}, map[string]int{}, map[string]int{}}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		return m.add(tree, name)
	})
	return m, err
}

// add measures one file.
func (m measures) add(tree fs.FS, name string) error {
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	lines := strings.Count(string(text), "\n")
	m.files[name] = lines
	if !strings.HasSuffix(name, "_test.go") {
		m.packages[path.Dir(name)] += lines
	}
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			at := set.Position(fn.Pos()).Line
			m.functions[fmt.Sprintf("%s:%d %s", name, at, fn.Name.Name)] = set.Position(fn.End()).Line - at + 1
		}
	}
	return nil
}
