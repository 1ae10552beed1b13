package strictyaml_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"torve/internal/strictyaml"
)

type names []string

func (n *names) UnmarshalYAML(node *yaml.Node) error {
	texts, err := strictyaml.Texts(node)
	*n = texts
	return err
}

type common struct {
	Schema string `yaml:"schema"`
	Title  string `yaml:"title,omitempty"`
}

type sample struct {
	common   `yaml:"-"`
	Common   common `yaml:",inline"`
	Paths    []string
	Limit    limits              `yaml:"limit"`
	Named    map[string]limits   `yaml:"named"`
	Names    names               `yaml:"names"`
	Count    int                 `yaml:"count"`
	Size     uint8               `yaml:"size"`
	Price    float64             `yaml:"price"`
	On       bool                `yaml:"on"`
	At       time.Time           `yaml:"at"`
	Idle     strictyaml.Duration `yaml:"idle"`
	Tokens   *int64              `yaml:"tokens"`
	Inner    *limits             `yaml:"inner"`
	DependOn []string            `yaml:"depends_on"`
}

type limits struct {
	Minutes int    `yaml:"minutes"`
	Word    string `yaml:"word"`
}

func decode(text string) (sample, error) {
	s := sample{Limit: limits{Minutes: 30, Word: "kept"}}
	return s, strictyaml.Decode("f.yaml", []byte(text), &s)
}

func TestAFileIsDecodedIntoItsType(t *testing.T) {
	got, err := decode(`
schema: torve/x/v1
title: 'a: b'
paths: ["a/**", b]
limit: {minutes: 5}
named: {one: {minutes: 1}, two: {word: x}}
names: claude
count: -3
size: 255
price: 1e3
on: yes
at: 2026-01-31T11:00:00+01:00
idle: 10m
tokens: 7
inner: null
`)
	if err != nil {
		t.Fatal(err)
	}
	seven := int64(7)
	at := got.At
	got.At = time.Time{}
	want := sample{Common: common{"torve/x/v1", "a: b"}, Paths: []string{"a/**", "b"}, Limit: limits{5, "kept"},
		Named: map[string]limits{"one": {Minutes: 1}, "two": {Word: "x"}}, Names: names{"claude"},
		Count: -3, Size: 255, Price: 1000, On: true, Idle: strictyaml.Duration(10 * time.Minute), Tokens: &seven}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if !at.Equal(time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC)) {
		t.Errorf("at is %s", at)
	}
}

func TestAPlainScalarWhereTextIsWantedIsThatTextAsWritten(t *testing.T) {
	for _, text := range []string{"true", "yes", "no", "1e3", "2026-01-31", "0x10", "null", "~", "1_000", "0o7", ".inf", "12:30:00", "=", "<<"} {
		got, err := decode("schema: " + text + "\npaths: [" + text + "]\nnames: " + text + "\nlimit: {word: " + text + "}\n")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for at, is := range map[string]string{"schema": got.Common.Schema, "paths": got.Paths[0], "names": got.Names[0], "word": got.Limit.Word} {
			if is != text {
				t.Errorf("%s: %q was read as %q", at, text, is)
			}
		}
	}
}

func TestAFaultNamesItsPlaceAndWhatWouldMendIt(t *testing.T) {
	for _, c := range []struct{ name, text, want, hint string }{
		{"an unknown key", "schema: a\ntitel: b\n", `f.yaml:2:1: there is no key "titel"`, "did you mean title?"},
		{"an unknown key that is near none", "limit:\n  zzz: 1\n", `f.yaml:2:3: there is no key "zzz" in limit`, "the keys are minutes, word"},
		{"a key near by a letter left out", "depend_on: [a]\n", `f.yaml:1:1: there is no key "depend_on"`, "did you mean depends_on?"},
		{"a merge key", "schema: a\n<<: {title: b}\n", `f.yaml:2:1: there is no key "<<"`, "merge keys are not read: write the values out"},
		{"a key given twice", "title: a\nschema: b\ntitle: c\n", `f.yaml:3:1: the key "title" is given twice: at line 1 and at line 3`, "keep one of them"},
		{"a key given twice in a map", "named:\n  x: {}\n  x: {}\n", `f.yaml:3:3: the key "x" in named is given twice: at line 2 and at line 3`, "keep one of them"},
		{"a list for text", "title: [a]\n", `f.yaml:1:8: title is a list, and text is wanted`, ""},
		{"a map for text", "paths: [a, {b: c}]\n", `f.yaml:1:12: paths[1] is a map, and text is wanted`, ""},
		{"an empty text", "title:\nschema: a\n", `f.yaml:1:7: title is empty, and text is wanted`, "give it a value, or leave the key out"},
		{"an empty item", "paths:\n  - a\n  -\n", `f.yaml:3:4: paths[1] is empty, and text is wanted`, "give it a value, or leave the key out"},
		{"text for a list", "paths: a/**\n", `f.yaml:1:8: paths is "a/**", and a list is wanted`, `paths: ["a/**"]`},
		{"an empty list", "paths:\n", `f.yaml:1:7: paths is empty, and a list is wanted`, "give it a value, or leave the key out"},
		{"text for a map", "limit: 3\n", `f.yaml:1:8: limit is "3", and a map of keys is wanted`, ""},
		{"a list for the file", "- a\n", `f.yaml:1:1: the file is a list, and a map of keys is wanted`, ""},
		{"a word for an int", "count: many\n", `f.yaml:1:8: count is "many", and a whole number is wanted`, ""},
		{"a fraction for an int", "count: 1.5\n", `f.yaml:1:8: count is "1.5", and a whole number is wanted`, ""},
		{"an int in quotes", "count: '3'\n", `f.yaml:1:8: count is a quoted text, and a whole number is wanted`, "write it without quotes"},
		{"an int too large", "size: 256\n", `f.yaml:1:7: size is "256", and a whole number, 0 or more is wanted`, ""},
		{"not a number", "price: .nan\n", `f.yaml:1:8: price is ".nan", and a number is wanted`, ""},
		{"endless", "price: inf\n", `f.yaml:1:8: price is "inf", and a number is wanted`, ""},
		{"a word for a truth", "on: maybe\n", `f.yaml:1:5: on is "maybe", and true or false is wanted`, ""},
		{"a day for a time", "at: 2026-01-31\n", `f.yaml:1:5: at is "2026-01-31", and a time is wanted`, "write it as 2026-01-31T10:00:00Z"},
		{"a number for a length of time", "idle: 10\n", `f.yaml:1:7: idle: "10" is no length of time such as 90s, 10m or 1h30m`, ""},
		{"a negative length of time", "idle: -1s\n", `f.yaml:1:7: idle: "-1s" is no length of time such as 90s, 10m or 1h30m`, ""},
		{"a map for a type that reads itself", "names: [a, {b: c}]\n", `f.yaml:1:12: names is a map, and text is wanted`, ""},
		{"a tag", "title: !!str a\n", `f.yaml:1:8: title has the tag !!str, and tags are not read`, "leave the tag out"},
		{"a list as a key", "? [a]\n: b\n", `f.yaml:1:3: a key is a list`, "write the key as a plain word"},
		{"two documents", "title: a\n---\ntitle: b\n", `f.yaml:2:1: a second document begins here, and one is read`, "keep one document a file"},
		{"a tab", "limit:\n\tminutes: 3\n", `f.yaml:2:1: a tab stands in the indentation`, "indent with spaces"},
		{"a tab after spaces", "schema: a\nlimit:\n  word: x\n  \tminutes: 3\n", `f.yaml:4:3: a tab stands in the indentation`, "indent with spaces"},
		{"an open quote", "title: \"a\n", `f.yaml:2:1: this is not YAML: found unexpected end of stream`, ""},
		{"a colon too many", "title: a: b\n", `f.yaml:1:1: this is not YAML: mapping values are not allowed in this context`, ""},
		{"a byte that is no UTF-8", "title: a\npaths: [\xff]\n", `f.yaml:2:9: the byte 0xff is not UTF-8`, "save the file as UTF-8 text"},
		{"a control character", "title: é\x07\n", `f.yaml:1:9: the control character U+0007 stands in the file`, "save the file as UTF-8 text"},
		{"nothing", "", `f.yaml: the file is empty`, "write it, or remove it"},
		{"a comment alone", "# here\n\n", `f.yaml: the file is empty`, "write it, or remove it"},
		{"a mark alone", "---\n", `f.yaml: the file is empty`, "write it, or remove it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := decode(c.text)
			var e *strictyaml.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if e.Error() != c.want || e.Hint != c.hint {
				t.Errorf("got  %s (%s)\nwant %s (%s)", e, e.Hint, c.want, c.hint)
			}
		})
	}
}

func TestABOMAndCRLFAreTakenAsTheyCome(t *testing.T) {
	got, err := decode("\xef\xbb\xbfschema: a\r\nlimit:\r\n  word: |\r\n    one\r\n    two\r\npaths:\r\n  - x\r\n")
	if err != nil {
		t.Fatal(err)
	}
	if got.Common.Schema != "a" || got.Limit.Word != "one\ntwo\n" || got.Paths[0] != "x" {
		t.Errorf("got %+v", got)
	}
	if _, err := decode("\xef\xbb\xbfbad: a\r\n"); err == nil || !strings.HasPrefix(err.Error(), "f.yaml:1:1:") {
		t.Errorf("the place behind a BOM is %v", err)
	}
}

func TestAliasesAreFollowedAndABombIsRefused(t *testing.T) {
	got, err := decode("paths: &p [a, b]\ndepends_on: *p\n")
	if err != nil || len(got.DependOn) != 2 {
		t.Errorf("got %v, %v", got.DependOn, err)
	}
	type tree []tree
	type bomb struct {
		A, B, C, D, E, F tree
	}
	nine := func(s string) string { return "[" + strings.Repeat(s+",", 9) + s + "]" }
	text := "a: &a " + nine("[]") + "\nb: &b " + nine("*a") + "\nc: &c " + nine("*b") + "\nd: &d " + nine("*c") + "\ne: &e " + nine("*d") + "\n"
	err = strictyaml.Decode("f.yaml", []byte(text), new(bomb))
	if err == nil || !strings.Contains(err.Error(), "aliases unfold to more than 10000 values") {
		t.Errorf("the bomb gave %v", err)
	}
	err = strictyaml.Decode("f.yaml", []byte("a: &a [*a]\n"), new(bomb))
	if err == nil || !strings.Contains(err.Error(), "aliases unfold") {
		t.Errorf("a loop gave %v", err)
	}
}

func TestTheNewerVersionIsRefusedByName(t *testing.T) {
	const want = "torve/x/v1"
	for _, c := range []struct{ text, why, hint string }{
		{"schema: torve/x/v1\nanything: 1\n", "", ""},
		{"schema: torve/x/v2\nanything: 1\n", "f.yaml:1:9: torve/x/v2 is newer than this torve reads", "update torve: it reads torve/x/v1"},
		{"schema: torve/x/v10\n", "f.yaml:1:9: torve/x/v10 is newer than this torve reads", "update torve: it reads torve/x/v1"},
		{"schema: torve/y/v2\n", `f.yaml:1:9: schema is "torve/y/v2", and torve/x/v1 is wanted`, "schema: torve/x/v1"},
		{"schema: [a]\n", `f.yaml:1:9: schema is a list, and torve/x/v1 is wanted`, "schema: torve/x/v1"},
		{"other: 1\n", "f.yaml:1:1: there is no schema", "schema: torve/x/v1"},
		{"- 1\n", "f.yaml:1:1: the file is a list, and a map of keys is wanted", "schema: torve/x/v1"},
	} {
		d, err := strictyaml.Parse("f.yaml", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		err = d.Schema(want)
		var e *strictyaml.Error
		if errors.As(err, &e) != (c.why != "") || e != nil && (e.Error() != c.why || e.Hint != c.hint) {
			t.Errorf("%q gave %v", c.text, err)
		}
	}
}

func TestThePlaceOfAValueIsFound(t *testing.T) {
	data := []byte("scope:\n  allow:\n    - a\n    - b\n  deny: [c]\n")
	for _, c := range []struct {
		path      []any
		line, col int
	}{
		{[]any{"scope", "allow", 1}, 4, 7},
		{[]any{"scope", "deny", 0}, 5, 10},
		{[]any{"scope", "deny", 7}, 5, 9},
		{[]any{"scope", "none", 0}, 2, 3},
		{[]any{"none"}, 1, 1},
		{nil, 1, 1},
	} {
		d, err := strictyaml.Parse("", data)
		if err != nil {
			t.Fatal(err)
		}
		if line, col := d.At(c.path...); line != c.line || col != c.col {
			t.Errorf("%v is at %d:%d, want %d:%d", c.path, line, col, c.line, c.col)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		"schema: a\ntitle: b\n", "paths: [a, b]\n", "limit: {minutes: 3}\n", "a: &a [*a]\n", "- a\n", "", "---\n---\n",
		"? [a]\n: b\n", "\tx", "title: |\n  a\n", "<<: *x\n", "at: 2026-01-31T10:00:00Z\nidle: 1h\n", "\xef\xbb\xbfschema: x\r\n",
		"title: \"\\U0001F600\"\n", "tokens: ~\ninner: {word: x}\n", "# only\n", "%YAML 1.2\n---\na: b\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var s sample
		err := strictyaml.Decode("f.yaml", data, &s)
		var e *strictyaml.Error
		if err != nil && (!errors.As(err, &e) || e.File != "f.yaml" || e.Why == "") {
			t.Errorf("an error without a place: %#v", err)
		}
	})
}
