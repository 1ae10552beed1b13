package spec

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"torve/internal/strictyaml"
)

const file = "specs/S-0001-decide.md"

const top = `---
id: S-0001
title: The engine decides
status: accepted
---

Prose with a | bar.

## Decisions

`

const header = "| Id | Grade | Decision | Paths | Check |\n|---|---|---|---|---|\n"

func TestASpecificationIsReadWithItsTables(t *testing.T) {
	got, err := Parse(file, []byte(top+header+
		"| D-1 | LOCKED | A dependency is satisfied by a *landing* and by nothing else | internal/board/** | |\n"+
		"| D-2 | ASSUMED | Two hundred ticks | `configs/a b.json`, **/x.go **/*.md | `go test ./... \\| tee log` |\n\n"+
		"### Later\n\n```\n| an | example |\n```\n\n"+header+
		"| D-3 | OPEN | How a villager is named | | |\n\n"+
		"## Notes\n\n| a | b |\n|---|---|\n| c | d |\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := Spec{ID: "S-0001", Title: "The engine decides", Status: "accepted", DependsOn: []string{}, Supersedes: []string{}, File: file,
		Decisions: []Decision{
			{ID: "D-1", Grade: Locked, Text: "A dependency is satisfied by a *landing* and by nothing else", Paths: []string{"internal/board/**"}, Line: 13},
			{ID: "D-2", Grade: Assumed, Text: "Two hundred ticks", Paths: []string{"configs/a b.json", "**/x.go", "**/*.md"}, Check: "go test ./... | tee log", Line: 14},
			{ID: "D-3", Grade: Open, Text: "How a villager is named", Paths: []string{}, Line: 24},
		}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestASpecificationWithoutDecisionsIsOne(t *testing.T) {
	got, err := Parse("S-0002.md", []byte("\ufeff---\r\nid: S-0002\r\ntitle: t\r\nstatus: draft\r\ndepends_on: [S-0001]\r\nsupersedes: [S-0003]\r\n---\r\n"))
	if err != nil || len(got.Decisions) != 0 || got.DependsOn[0] != "S-0001" || got.Supersedes[0] != "S-0003" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestABrokenSpecificationIsNamedWithItsLine(t *testing.T) {
	row := func(r string) string { return top + header + r + "\n" }
	for _, c := range []struct{ name, text, want, hint string }{
		{"no head", "# Title\n", "1:1: there is no YAML head", "begin the file with ---, the head, and --- again"},
		{"an open head", "---\nid: S-0001\n", "1:1: the YAML head has no end", "begin the file with ---, the head, and --- again"},
		{"an empty head", "---\n---\n", " the file is empty", "write it, or remove it"},
		{"an unknown key", "---\nid: S-0001\nstate: draft\n---\n", `3:1: there is no key "state"`, "did you mean status?"},
		{"no id", "---\ntitle: x\n---\n", "2:1: there is no id", "id: S-0001"},
		{"a bad id", "---\nid: S-1\n---\n", `2:5: id "S-1" is not a specification's id`, "write it like S-0001"},
		{"another name", "---\nid: S-0002\n---\n", "2:5: id is S-0002, and the file is named S-0001", "the file's name begins with the id"},
		{"no title", "---\nid: S-0001\nstatus: draft\n---\n", "2:1: there is no title", "title: what it decides, in one line"},
		{"a bad status", "---\nid: S-0001\ntitle: t\nstatus: done\n---\n", `4:9: status "done" is not known`, "status is draft, accepted or superseded"},
		{"a bad dependency", "---\nid: S-0001\ntitle: t\nstatus: draft\ndepends_on: [x]\n---\n", `5:14: depends_on "x" is not a specification's id`, "write it like S-0001"},
		{"itself", "---\nid: S-0001\ntitle: t\nstatus: draft\nsupersedes: [S-0001]\n---\n", `5:14: supersedes names the specification itself, S-0001`, "leave it out"},
		{"other columns", top + "| Id | Decision |\n|---|---|\n| D-1 | x |\n", "11:1: the columns are Id, Decision", "the columns are Id, Grade, Decision, Paths, Check"},
		{"a bad row id", row("| 1 | OPEN | x | | |"), `13:1: row id "1" is not one`, "write it like D-3"},
		{"an empty row", row("| | | | | |"), `13:1: row id "" is not one`, "write it like D-3"},
		{"a row twice", row("| D-1 | OPEN | x | | |\n| D-1 | OPEN | y | | |"), "14:1: D-1 is given twice: at line 13 and at line 14", "give it the next number that is free"},
		{"a bad grade", row("| D-1 | locked | x | a | |"), `13:1: D-1: grade "locked" is not known`, "the grades are LOCKED, ASSUMED, OPEN"},
		{"nothing decided", row("| D-1 | OPEN | | | |"), "13:1: D-1 decides nothing", "say what is decided, or asked"},
		{"locked nowhere", row("| D-1 | LOCKED | x | | |"), "13:1: D-1 is LOCKED and names no paths", "name the paths it holds for; everything is written **"},
		{"a bar in a cell", row("| D-1 | OPEN | x | | `a | b` |"), "13:1: the row has 6 cells, and there are 5 columns", `write \| for a bar inside a cell`},
		{"no line below the header", top + "| Id | Grade | Decision | Paths | Check |\n| D-1 | OPEN | x | | |\n", "11:1: this does not read as a table of decisions", "begin it at the margin, with | --- | for each column below the header"},
		{"a table in a list", top + "- one\n\n  | Id | Grade | Decision | Paths | Check |\n  |---|---|---|---|---|\n  | D-1 | OPEN | x | | |\n", "13:1: this does not read as a table of decisions", "begin it at the margin, with | --- | for each column below the header"},
		{"an indented table", top + "    | Id | Grade | Decision | Paths | Check |\n    |---|---|---|---|---|\n", "11:1: this does not read as a table of decisions", "begin it at the margin, with | --- | for each column below the header"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(file, []byte(c.text))
			var e *strictyaml.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if want := file + ":" + c.want; e.Error() != want || e.Hint != c.hint {
				t.Errorf("got  %s (%s)\nwant %s (%s)", e, e.Hint, want, c.hint)
			}
		})
	}
}

func TestLockedRowsOfEveryAcceptedSpecAreInheritedAndTheOthersComeBySpec(t *testing.T) {
	rows := func(ds ...Decision) []Decision { return ds }
	specs := []Spec{
		{ID: "S-0001", Status: Accepted, File: "a", Decisions: rows(
			Decision{ID: "D-1", Grade: Locked, Paths: []string{"law/**"}},
			Decision{ID: "D-2", Grade: Locked, Paths: []string{"docs/**"}},
			Decision{ID: "D-3", Grade: Assumed, Paths: []string{"law/**"}},
			Decision{ID: "D-4", Grade: Open})},
		{ID: "S-0002", Status: "draft", Decisions: rows(Decision{ID: "D-1", Grade: Locked, Paths: []string{"law/**"}})},
		{ID: "S-0003", Status: "superseded", Decisions: rows(Decision{ID: "D-1", Grade: Locked, Paths: []string{"law/**"}})},
	}
	meets := func(a, b []string) bool {
		return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
	}
	for _, c := range []struct {
		own   string
		allow []string
		want  string
	}{
		{"", []string{"law/**"}, "S-0001/D-1"},
		{"", []string{"other"}, ""},
		{"S-0001", []string{"other"}, "S-0001/D-1 S-0001/D-2 S-0001/D-3 S-0001/D-4"},
		{"S-0002", []string{"law/**"}, "S-0001/D-1"},
		{"S-0003", nil, ""},
	} {
		var got []string
		for _, r := range Inherit(specs, c.own, c.allow, meets) {
			got = append(got, r.ID)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("spec %q, scope %v: %v, want %s", c.own, c.allow, got, c.want)
		}
	}
}

func TestASpecificationIsKnownByItsName(t *testing.T) {
	for name, want := range map[string]bool{
		"specs/S-0001-decide.md": true, "specs/S-0001.md": true, "specs/README.md": false,
		"specs/old/S-0001-x.md": false, "docs/S-0001-x.md": false, "specs/S-0001-x.txt": false,
	} {
		if IsFile(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(top + header + "| D-1 | LOCKED | x | a/** | `go test` |\n"))
	f.Add([]byte("---\nid: S-0001\n---\n"))
	f.Add([]byte(top + "| a |\n|-|\n| | | |\n"))
	f.Add([]byte(top + "> | Id |\n\n- | x |\n\n```\n| y |\n```\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse(file, data)
		var e *strictyaml.Error
		if err != nil && (!errors.As(err, &e) || e.File != file) {
			t.Fatalf("an error without a place: %v", err)
		}
		lines := strings.Count(string(data), "\n") + 1
		for _, d := range s.Decisions {
			if d.Line < 1 || d.Line > lines || d.ID == "" {
				t.Fatalf("a row at line %d of %d: %+v", d.Line, lines, d)
			}
		}
	})
}
