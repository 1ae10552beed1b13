package main

import (
	"strings"
	"testing"
	"testing/fstest"
)

// file is a Go file with a function of so many lines.
func file(lines int) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("package p\nfunc f() {\n" + strings.Repeat("\t_ = 1\n", lines-2) + "}\n")}
}

func TestWhatIsPastABoundIsCountedAndNamed(t *testing.T) {
	tree := fstest.MapFS{
		"a/a.go": file(100), "b/b.go": file(100), "c/c.go": file(100), "d/d.go": file(100), "e/e.go": file(100),
		"f/long_test.go": file(700), "testdata/x.go": file(900), ".hidden/x.go": file(900),
	}
	var out strings.Builder
	over, err := report(tree, &out)
	if err != nil || over != 2 {
		t.Errorf("%d past the bound, %v", over, err)
	}
	for _, want := range []string{"  701  f/long_test.go\n", "  700  f/long_test.go:2 f\n", "505 lines in all, without tests\n", "without tests (at most 126)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

func TestAPackageThatHoldsTheProductIsPastTheBound(t *testing.T) {
	var out strings.Builder
	over, err := report(fstest.MapFS{"a/a.go": file(90), "b/b.go": file(10)}, &out)
	if err != nil || over != 1 {
		t.Errorf("%d past the bound, %v:\n%s", over, err, out.String())
	}
}

func TestAFileThatDoesNotParseIsAnError(t *testing.T) {
	if _, err := report(fstest.MapFS{"a.go": {Data: []byte("no go")}}, &strings.Builder{}); err == nil {
		t.Error("and yet it was measured")
	}
}
