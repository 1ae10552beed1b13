package village

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ticking are the files of this package that a tick runs through.
var ticking = []string{"village.go", "mailbox.go", "tick.go", "parcels.go", "habit.go", "eyes.go", "index.go", "way.go", "witness.go"}

// fractions are the functions with a number with a point in them: what eyes and print are
// told, and a reach, which is a whole number of cells kept as one.
var fractions = []string{"sim.Grams", "beast.Carrying", "beast.Away", "beast.Kind", "beast.Reaches", "village.neighbours", "village.sight", "village.Reading"}

// A tick counts in integers, reads no clock, draws no lot, starts nothing side by side and
// goes through no map: what it gives is the same on every machine.
func TestATickCountsInIntegersAndGoesThroughNoMap(t *testing.T) {
	ours := hollow{}
	asked := 0
	for _, dir := range []string{"../sim", "../beast", "../law", "."} {
		info, files := load(t, dir, ours)
		for name, file := range files {
			if dir == "../law" || dir == "." && !slices.Contains(ticking, name) {
				continue
			}
			asked++
			for _, fault := range floating(info, file) {
				t.Errorf("%s: %s", name, fault)
			}
		}
	}
	if asked < len(ticking)+4 {
		t.Errorf("%d files were asked", asked)
	}
}

func TestAFaultInATickIsFound(t *testing.T) {
	source := `package bad
import ("time"; "math/rand")
var share = 0.5
func ratio(a, b int) float64 { return float64(a) / float64(b) }
func each(m map[int]int) { for range m {} }
func apart() { go each(nil) }
func pick(c chan int) { select { case <-c: default: } }
func fine(a []int) int { n := 0; for range a { n++ }; return n }
var _, _ = time.Now, rand.Int`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "bad.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: hollow{}, Error: func(error) {}}
	_, _ = conf.Check("bad", fset, []*ast.File{file}, info)
	got := strings.Join(floating(info, file), "\n")
	for _, want := range []string{`imports "time"`, `imports "math/rand"`, "bad.share has a number", "bad.ratio has a number with a point", "bad.each goes through a map", "bad.apart starts", "bad.pick waits"} {
		if !strings.Contains(got, want) {
			t.Errorf("not found: %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "fine") {
		t.Errorf("found in what is fine:\n%s", got)
	}
}

// hollow imports packages of this module as they were loaded, and any other as one of which
// nothing is known: what the ticking files themselves say is all that is asked.
type hollow map[string]*types.Package

func (h hollow) Import(path string) (*types.Package, error) {
	if h[path] == nil {
		h[path] = types.NewPackage(path, filepath.Base(path))
		h[path].MarkComplete()
	}
	return h[path], nil
}

// load reads the types of a package's files, the tests left out.
func load(t *testing.T, dir string, ours hollow) (*types.Info, map[string]*ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	var all []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = file
		all = append(all, file)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: ours, Error: func(error) {}} // of what the hollow packages do not say
	path := "torve/internal/" + all[0].Name.Name
	ours[path], _ = conf.Check(path, fset, all, info)
	return info, files
}

// floating are a file's faults.
func floating(info *types.Info, file *ast.File) (faults []string) {
	for _, imp := range file.Imports {
		if path, _ := strconv.Unquote(imp.Path.Value); slices.Contains([]string{"time", "math/rand", "math/rand/v2", "crypto/rand", "maps", "sync", "runtime", "unsafe", "reflect"}, path) {
			faults = append(faults, "imports "+imp.Path.Value)
		}
	}
	for _, decl := range file.Decls {
		name := declared(file, decl)
		ast.Inspect(decl, func(n ast.Node) bool {
			if fault := unsteady(info, n); fault != "" && (fault != pointed || !slices.Contains(fractions, name)) {
				faults = append(faults, name+" "+fault)
			}
			return true
		})
	}
	slices.Sort(faults)
	return slices.Compact(faults)
}

const pointed = "has a number with a point"

// unsteady says what of a node could differ from run to run or from machine to machine.
func unsteady(info *types.Info, n ast.Node) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "starts something beside it"
	case *ast.SelectStmt:
		return "waits for one of several"
	case *ast.RangeStmt:
		if of := info.TypeOf(n.X); of != nil {
			if _, is := of.Underlying().(*types.Map); is {
				return "goes through a map"
			}
		}
	case ast.Expr:
		if of := info.TypeOf(n); of != nil {
			if basic, is := of.Underlying().(*types.Basic); is && basic.Info()&(types.IsFloat|types.IsComplex) != 0 {
				return pointed
			}
		}
	}
	return ""
}

// declared is the name of a function, with its package; of other declarations what they
// declare.
func declared(file *ast.File, decl ast.Decl) string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return file.Name.Name + "." + d.Name.Name
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				return file.Name.Name + "." + s.Names[0].Name
			case *ast.TypeSpec:
				return file.Name.Name + "." + s.Name.Name
			}
		}
	}
	return file.Name.Name
}
