package record_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"torve/internal/record"
	"torve/internal/record/recordtest"
)

var update = flag.Bool("update", false, "write the golden encodings anew")

func goldenOf(k record.Kind) string { return filepath.Join("testdata", string(k)+".json") }

func TestEveryKindHasAGoldenEncoding(t *testing.T) {
	var kinds []record.Kind
	for _, e := range recordtest.Samples(t) {
		kinds = append(kinds, e.Kind)
		body, err := e.Body()
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(goldenOf(e.Kind), append(body, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(goldenOf(e.Kind))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(append(body, '\n'), want) {
			t.Errorf("%s is written\n%s\nand its golden is\n%s", e.Kind, body, want)
		}
	}
	if !slices.Equal(kinds, record.Kinds()) {
		t.Errorf("the samples are of %v, and the kinds are %v", kinds, record.Kinds())
	}
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) != len(kinds) {
		t.Errorf("%d golden files for %d kinds: %v", len(files), len(kinds), err)
	}
}

func TestEveryFieldOfASampleIsFilledIn(t *testing.T) {
	for _, e := range recordtest.Samples(t) {
		p, err := record.Decode(e)
		if err != nil {
			t.Fatal(err)
		}
		v := reflect.ValueOf(p)
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Errorf("%s: the sample leaves %s empty, so that its golden does not pin it", e.Kind, v.Type().Field(i).Name)
			}
		}
	}
}

func TestABodyIsReadBackAsItWasWritten(t *testing.T) {
	for _, e := range recordtest.Samples(t) {
		body, err := e.Body()
		if err != nil {
			t.Fatal(err)
		}
		back, err := record.ParseBody(body)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := back.Body(); err != nil || !bytes.Equal(again, body) {
			t.Errorf("%s: %s came back as %s, %v", e.Kind, body, again, err)
		}
		if err := back.Validate(); err != nil {
			t.Error(err)
		}
	}
}

func TestANewerSchemaIsRefusedByName(t *testing.T) {
	for _, e := range recordtest.Samples(t) {
		e.Schema = record.Schema + 1
		_, err := record.Decode(e)
		if err == nil || !strings.Contains(err.Error(), string(e.Kind)) || !strings.Contains(err.Error(), "schema 2") {
			t.Errorf("%s of a newer schema: %v", e.Kind, err)
		}
	}
}

func TestTheDocsNameEveryKindAndWhoWritesIt(t *testing.T) {
	data, err := os.ReadFile("../../docs/record.md")
	if err != nil {
		t.Fatal(err)
	}
	actors := []string{record.ByMint, record.ByDispatch, record.ByAttempt, record.ByLanding, record.ByReview, record.ByPerson, record.ByAgent}
	line := regexp.MustCompile("(?m)^\\| `([a-z]+\\.[a-z]+)` \\| ([a-z, ]+) \\| .+ \\|$")
	var documented []record.Kind
	for _, m := range line.FindAllStringSubmatch(string(data), -1) {
		k := record.Kind(m[1])
		documented = append(documented, k)
		var may []string
		for _, a := range actors {
			if record.MayWrite(a, k) {
				may = append(may, a)
			}
		}
		if m[2] != strings.Join(may, ", ") {
			t.Errorf("the docs say that %s is written by %s; it is by %s", k, m[2], strings.Join(may, ", "))
		}
	}
	if !slices.Equal(documented, record.Kinds()) {
		t.Errorf("the docs name %v, and the kinds are %v", documented, record.Kinds())
	}
	for _, r := range []string{"R1", "R2", "R3", "R4", "R5", "R6", "R7"} {
		if !strings.Contains(string(data), "**"+r+"**") {
			t.Errorf("the docs lack %s", r)
		}
	}
	for _, reason := range record.Reasons {
		if !strings.Contains(string(data), "`"+reason+"`") {
			t.Errorf("the docs lack the reason %s", reason)
		}
	}
}

func TestEachKindHasAFileOfItsOwn(t *testing.T) {
	for _, k := range record.Kinds() {
		if _, err := os.Stat(strings.ReplaceAll(string(k), ".", "_") + ".go"); err != nil {
			t.Error(err)
		}
	}
}

func FuzzParseBody(f *testing.F) {
	for _, e := range recordtest.Samples(f) {
		body, err := e.Body()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Add([]byte(`{"id":"a","ID":"b"}`))
	f.Add([]byte(`{} {}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := record.ParseBody(data)
		if err != nil {
			return
		}
		body, err := e.Body()
		if err != nil {
			return // a time beyond the years that JSON has
		}
		back, err := record.ParseBody(body)
		if err != nil {
			t.Fatalf("%q was written as %q, which is not read: %v", data, body, err)
		}
		if again, err := back.Body(); err != nil || !bytes.Equal(again, body) {
			t.Errorf("%q is not stable: %q, %v", body, again, err)
		}
		if e.Validate() == nil && back.Validate() != nil {
			t.Errorf("%q is valid until it was written", data)
		}
	})
}
