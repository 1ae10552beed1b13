// Command sizes prints the longest files and functions and the heaviest packages,
// and fails past the bounds that keep the house readable.
package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
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

type sized struct {
	name  string
	lines int
}

func main() {
	files, functions, packages, err := measure(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
	total := 0
	for _, p := range packages {
		total += p.lines
	}
	over := worst("files", files, maxFile) + worst("functions", functions, maxFunction)
	over += worst("packages, in lines of code", packages, total*maxShare/100)
	fmt.Printf("%d lines of code without tests\n", total)
	if over > 0 {
		fmt.Fprintf(os.Stderr, "sizes: %d past the bound\n", over)
		os.Exit(1)
	}
}

// worst prints the largest of a kind and counts those past the bound.
func worst(what string, all []sized, bound int) (over int) {
	slices.SortFunc(all, func(a, b sized) int { return cmp.Or(cmp.Compare(b.lines, a.lines), strings.Compare(a.name, b.name)) })
	fmt.Printf("%s (bound %d)\n", what, bound)
	for i, s := range all {
		if s.lines > bound {
			over++
		}
		if i < shown || s.lines > bound {
			fmt.Printf("  %5d  %s\n", s.lines, s.name)
		}
	}
	return over
}

// measure walks the Go files under root. Tests count for files and functions, not for
// a package's share.
func measure(root string) (files, functions, packages []sized, err error) {
	share := map[string]int{}
	set := token.NewFileSet()
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		lines := set.File(f.Pos()).LineCount()
		files = append(files, sized{path, lines})
		if !strings.HasSuffix(path, "_test.go") {
			share[filepath.Dir(path)] += lines
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				n := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1
				functions = append(functions, sized{path + " " + fn.Name.Name, n})
			}
		}
		return nil
	})
	for name, lines := range share {
		packages = append(packages, sized{name, lines})
	}
	return files, functions, packages, err
}
