package board

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write the golden files anew")

const formFile = "testdata/form.txt"

// TestTheFormIsRaisedWithTheTypesAndTheFold keeps an old snapshot from being read by code
// that would have made another board of the same events. What is pinned is the types of a
// board and what the fold makes of some hundred histories.
func TestTheFormIsRaisedWithTheTypesAndTheFold(t *testing.T) {
	types := sha256.Sum256([]byte(shapeOf(reflect.TypeFor[Board](), map[reflect.Type]bool{})))
	fold := sha256.New()
	for seed := range 200 {
		b := rapid.Custom(func(t *rapid.T) *Board { return anything(t).board() }).Example(seed)
		data, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		fold.Write(data)
	}
	got := fmt.Sprintf("%s\ntypes %s\nfold %s\n", Form, hex.EncodeToString(types[:]), hex.EncodeToString(fold.Sum(nil)))
	want, err := os.ReadFile(formFile)
	if *update && (err != nil || string(want) != got) {
		if err == nil && strings.HasPrefix(string(want), Form+"\n") {
			t.Fatalf("raise Form in snapshot.go first: %s is of other types or another fold", Form)
		}
		if err := os.WriteFile(formFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err != nil || string(want) != got {
		t.Errorf("the board's types or what the fold does have changed, and snapshots that lie in stores are of the old ones.\n"+
			"Raise Form in snapshot.go, then: go test ./internal/board -run TheFormIsRaised -update\n%v\nis   %s\nwas  %s", err, got, want)
	}
}

// shapeOf spells a type out, fields and all.
func shapeOf(t reflect.Type, seen map[reflect.Type]bool) string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return t.Kind().String() + " " + shapeOf(t.Elem(), seen)
	case reflect.Map:
		return "map " + shapeOf(t.Key(), seen) + " " + shapeOf(t.Elem(), seen)
	case reflect.Struct:
		if seen[t] || t == timeType {
			return t.String()
		}
		seen[t] = true
		var s strings.Builder
		s.WriteString(t.String() + "{")
		for i := range t.NumField() {
			if f := t.Field(i); f.Type != rowType {
				s.WriteString(f.Name + " " + shapeOf(f.Type, seen) + ";")
			}
		}
		return s.String() + "}"
	}
	return t.String()
}
