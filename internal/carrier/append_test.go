package carrier

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// opens are the ways in which Go code may change what a file holds.
var opens = []string{"os.OpenFile", "os.Create", "os.WriteFile", "os.Truncate", "os.Rename", "os.Remove", "os.RemoveAll", "os.CreateTemp"}

// TestALedgerIsOpenedToAppendAndByNothingElse reads this package's own code: one function
// opens a ledger, for appending, and what writes files anew is the state's alone. No other
// package names a ledger's file but to hand it here.
func TestALedgerIsOpenedToAppendAndByNothingElse(t *testing.T) {
	for call, where := range callsIn(t, ".") {
		switch {
		case slices.Equal(where, []string{"state_file.go"}):
		case call == "os.OpenFile" && slices.Contains(where, "ledger.go"):
		default:
			t.Errorf("%s is called in %v", call, where)
		}
	}
	text, err := os.ReadFile("ledger.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "os.OpenFile(file, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o644)"); n != 1 || strings.Contains(string(text), "O_TRUNC") {
		t.Errorf("a ledger is opened otherwise than to append: %d", n)
	}
}

// callsIn are the calls of opens in a package's code, with the files that they are in.
func callsIn(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := sel.X.(*ast.Ident); ok {
					if call := id.Name + "." + sel.Sel.Name; slices.Contains(opens, call) && !slices.Contains(found[call], filepath.Base(file)) {
						found[call] = append(found[call], filepath.Base(file))
					}
				}
			}
			return true
		})
	}
	return found
}

// TestWhoNamesALedgerOnlyHandsItOn asks every package that uses a path of telemetry: none
// of them writes the file but through AppendRow.
func TestWhoNamesALedgerOnlyHandsItOn(t *testing.T) {
	var named []string
	err := filepath.WalkDir("..", func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(text), ".jsonl\"") {
			named = append(named, file)
		}
		return err
	})
	if err != nil || len(named) == 0 {
		t.Fatalf("%v, %v", named, err)
	}
	for _, file := range named {
		text, _ := os.ReadFile(file)
		for _, call := range opens {
			if strings.Contains(string(text), call+"(") {
				t.Errorf("%s names a ledger and calls %s", file, call)
			}
		}
	}
}
