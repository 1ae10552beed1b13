package contract

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"
)

func TestOddTextsSurviveARoundTrip(t *testing.T) {
	for _, text := range []string{
		"$HOME costs $5", "a: b", "# no comment", "it's \"quoted\"", "---", "yes", "1e3", "null", "~", "2026-01-31", "0x10", "🦫 emoji 🎉",
		" led by a space", "ended by one ", "a\ttab", "- item", "? key", "[a", "{a", "*a", "&a", "!a", "|", ">", "%a", "@a", "`a", "a #b",
		"\u2028 and \u0085", "\ufeff bom", "日本語", "é", strings.Repeat("long ", 300), "a, b", "<<", "=", "\\n", "''",
	} {
		c := parsed(t, small)
		c.Title, c.Owner, c.Intent = text, text, text
		c.Acceptance = []string{text, text}
		c.Scope.Deny = []string{"x"}
		got, err := Parse(file, Render(c))
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("%q: %v\n%s", text, err, Render(c))
		}
	}
}

func TestAnIntentOfManyLinesIsABlockThatReadsAsItIs(t *testing.T) {
	for _, text := range []string{"a\nb\n", "a\nb", "a\n\n\nb\n\n", "\n", "\n\n", "\n a\n", "  a\nb\n", "\ta\n", "a \n b\n", "a\r\nb\n", "# a\n---\n...\n", "key: |\n  x\n"} {
		c := parsed(t, small)
		c.Intent = text
		got, err := Parse(file, Render(c))
		if err != nil || got.Intent != text {
			t.Errorf("%q became %q, %v", text, got.Intent, err)
		}
	}
	c := parsed(t, small)
	c.Intent = "What.\n\n- why: 'x'\n"
	if !strings.Contains(string(Render(c)), "intent: |\n  What.\n\n  - why: 'x'\n") {
		t.Errorf("it is written as\n%s", Render(c))
	}
}

func TestANewContractReadsAsPeopleWriteIt(t *testing.T) {
	c := Default()
	c.ID, c.Title, c.Scope.Allow = "T-0001", "Answer 404 for an unknown order", []string{"orders/**"}
	const bare = `# yaml-language-server: $schema=../../schemas/contract.json
schema: torve/contract/v1
id: T-0001
title: Answer 404 for an unknown order
# intent: |  # what and why, never steps; the agent reads it
scope:
  allow: ["orders/**"]
# acceptance:  # shell lines that exit 0 when it is done
#   - go test ./...
`
	if got := string(Render(c)); got != bare {
		t.Errorf("got\n%s\nwant\n%s", got, bare)
	}
	c.Spec, c.Intent, c.Acceptance, c.Agent = "S-0001", "Why.\n", []string{"go test ./orders/...", "true"}, Agents{"claude"}
	c.Budget.USD, c.DependsOn = 2.5, []string{"T-0003"}
	const full = `# yaml-language-server: $schema=../../schemas/contract.json
schema: torve/contract/v1
id: T-0001
title: Answer 404 for an unknown order
spec: S-0001
intent: |
  Why.
depends_on: ["T-0003"]
scope:
  allow: ["orders/**"]
acceptance:
  - go test ./orders/...
  - "true"
budget: {usd: 2.5}
agent: claude
`
	if got := string(Render(c)); got != full {
		t.Errorf("got\n%s\nwant\n%s", got, full)
	}
}

func someContract(t *rapid.T) Contract {
	c := Default()
	id := rapid.StringMatching(`[A-Z]{1,3}-[a-z0-9]{1,4}`)
	line := rapid.StringMatching(`[^\x00-\x1f\x7f-\x9f\x{2028}\x{2029}]{0,12}[a-z'"#:$-]`)
	glob := rapid.StringMatching(`[a-z]{1,4}/(\*\*|[a-z ]{0,3}x|\*\.go)`)
	c.ID, c.Title = id.Draw(t, "id"), line.Draw(t, "title")
	c.Owner = rapid.OneOf(rapid.Just(""), line).Draw(t, "owner")
	c.Intent = rapid.OneOf(rapid.StringMatching(`[ -~\n\té🦫]{0,40}`), line).Draw(t, "intent")
	c.Scope.Allow = rapid.SliceOfNDistinct(glob, 1, 4, rapid.ID[string]).Draw(t, "allow")
	c.Scope.Deny = rapid.SliceOfNDistinct(glob, 0, 3, rapid.ID[string]).Draw(t, "deny")
	c.DependsOn = rapid.SliceOfNDistinct(id.Filter(func(s string) bool { return s != c.ID }), 0, 3, rapid.ID[string]).Draw(t, "deps")
	c.Acceptance = rapid.SliceOfN(line, 0, 3).Draw(t, "acceptance")
	c.Verbs = rapid.SliceOfNDistinct(rapid.SampledFrom(verbs), 1, 6, rapid.ID[string]).Draw(t, "verbs")
	c.Tests, c.Base = rapid.SampledFrom(tests).Draw(t, "tests"), rapid.SampledFrom(bases).Draw(t, "base")
	c.Budget = Budget{rapid.IntRange(0, 9).Draw(t, "attempts"), rapid.Float64Range(0, 1e6).Draw(t, "minutes"),
		rapid.Float64Range(0, 100).Draw(t, "usd"), rapid.IntRange(0, 999).Draw(t, "changes"), rapid.IntRange(0, 9999).Draw(t, "lines")}
	c.Agent = rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,5}(@[a-z:.0-9]{1,5})?`), 0, 3).Draw(t, "agent")
	c.Priority = rapid.IntRange(-5, 5).Draw(t, "priority")
	return c
}

func TestAContractThatIsRenderedReadsAsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := someContract(t)
		got, err := Parse(PathOf(c.ID), Render(c))
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Fatalf("%v\n%s\ngot  %+v\nwant %+v", err, Render(c), got, c)
		}
		back, err := Decode(c.Canonical())
		if err != nil || !reflect.DeepEqual(back, c) || back.Digest() != c.Digest() || len(Changed(c, back)) != 0 {
			t.Fatalf("the canonical form reads as %+v, %v", back, err)
		}
	})
}

func TestAScopeIsWidenedInPlace(t *testing.T) {
	for _, c := range []struct{ name, from, to string }{
		{"a flow list", "scope: {allow: [\"a/**\"]}  # why\n", "scope: {allow: [\"a/**\", \"new/**\", \"x y\"]}  # why\n"},
		{"a flow list of plain words", "scope:\n  allow: [a/**, 'b''s' ]\n  deny: [d]\n", "scope:\n  allow: [a/**, 'b''s', \"new/**\", \"x y\" ]\n  deny: [d]\n"},
		{"a flow list over lines", "scope:\n  allow: [\n    \"a\", # one\n    b # two\n  ]\n", "scope:\n  allow: [\n    \"a\", # one\n    b, \"new/**\", \"x y\" # two\n  ]\n"},
		{"a block list", "scope:\n  allow:\n    - a/**   # why\n    # last\n    - \"b\" # b\n  # deny follows\n  deny: [d]\n",
			"scope:\n  allow:\n    - a/**   # why\n    # last\n    - \"b\" # b\n    - new/**\n    - x y\n  # deny follows\n  deny: [d]\n"},
		{"a block list without indentation", "scope:\n  allow:\n  - a\npriority: 1\n", "scope:\n  allow:\n  - a\n  - new/**\n  - x y\npriority: 1\n"},
		{"no line end", "scope:\n  allow:\n  -   a", "scope:\n  allow:\n  -   a\n  -   new/**\n  -   x y"},
		{"CRLF", "scope:\r\n  allow:\r\n    - a\r\nintent: |\r\n  x\r\n", "scope:\r\n  allow:\r\n    - a\r\n    - new/**\r\n    - x y\r\nintent: |\r\n  x\r\n"},
		{"letters of many bytes", "scope: {deny: [é🦫], allow: [\"文\\\"書\"]}\n", "scope: {deny: [é🦫], allow: [\"文\\\"書\", \"new/**\", \"x y\"]}\n"},
	} {
		got, err := WidenScope([]byte(head+c.from), []string{"new/**", "x y"})
		if err != nil || string(got) != head+c.to {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, got, head+c.to)
		}
	}
}

func TestAScopeIsNotWidenedByWhatItHolds(t *testing.T) {
	data := []byte("\xef\xbb\xbf" + small)
	got, err := WidenScope(data, []string{"internal/law/**"})
	if err != nil || string(got) != string(data) {
		t.Errorf("got %q, %v", got, err)
	}
	got, err = WidenScope(data, []string{"*.md", "internal/law/**", "*.md"})
	if c, bad := Parse(file, got); err != nil || bad != nil || !slices.Equal(c.Scope.Allow, []string{"internal/law/**", "*.md"}) {
		t.Errorf("got %q, %v, %v", got, err, bad)
	}
}

func TestAScopeThatCannotBeWidenedInPlaceIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"an alias":       head + "scope: {deny: &d [a], allow: *d}\n",
		"an aliased end": head + "scope: {deny: [&d a], allow: [*d]}\n",
		"a world":        head + "workload: world\nworld: {villager: A}\n",
		"broken":         "schema: torve/contract/v1\n",
	} {
		if got, err := WidenScope([]byte(text), []string{"b"}); err == nil {
			t.Errorf("%s: it became\n%s", name, got)
		}
	}
	if _, err := WidenScope([]byte(small), []string{"../x"}); err == nil {
		t.Error("a bad glob was added")
	}
}

func TestAnIdIsNeverUsedAgain(t *testing.T) {
	for _, c := range []struct {
		taken []string
		want  string
	}{
		{nil, "T-0001"}, {[]string{"T-0001", "T-0003"}, "T-0004"}, {[]string{"T-9999"}, "T-10000"}, {[]string{"OPS-7", "T-x", "T-2"}, "T-0003"},
		{[]string{"T-9", "T-2", "7000", "T-99999999999999999999"}, "T-0010"},
	} {
		if got := NextID(c.taken); got != c.want || !ValidID(got) {
			t.Errorf("after %v comes %s, want %s", c.taken, got, c.want)
		}
	}
}

func TestACycleIsNamedByItsPath(t *testing.T) {
	for _, c := range []struct {
		deps map[string][]string
		want []string
	}{
		{map[string][]string{"T-1": {"T-2"}, "T-2": {"T-3"}, "T-3": nil}, nil},
		{map[string][]string{"T-1": {"T-2"}, "T-2": {"T-1"}}, []string{"T-1", "T-2", "T-1"}},
		{map[string][]string{"T-1": {"T-9", "T-3"}, "T-3": {"T-2"}, "T-2": {"T-3"}}, []string{"T-2", "T-3", "T-2"}},
		{map[string][]string{"T-1": {"T-1"}}, []string{"T-1", "T-1"}},
		{map[string][]string{"T-3": {"T-1"}, "T-1": {"T-2"}, "T-2": {"T-3"}}, []string{"T-1", "T-2", "T-3", "T-1"}},
		{map[string][]string{"T-1": {"T-2", "T-3"}, "T-2": {"T-4"}, "T-3": {"T-4"}}, nil},
	} {
		for range 20 {
			if got := Cycle(c.deps); !slices.Equal(got, c.want) {
				t.Fatalf("%v gives %v, want %v", c.deps, got, c.want)
			}
		}
	}
}

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(SchemaJSON())))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("contract.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := compiler.Compile("contract.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTheSchemaKnowsEveryFieldAndNoOther(t *testing.T) {
	var doc map[string]any
	if err := json.Unmarshal(SchemaJSON(), &doc); err != nil {
		t.Fatal(err)
	}
	sameKeys(t, "", doc, reflect.TypeFor[Contract]())
}

func sameKeys(t *testing.T, at string, schema map[string]any, typ reflect.Type) {
	properties := schema["properties"].(map[string]any)
	if schema["additionalProperties"] != false {
		t.Errorf("%s takes other keys", at)
	}
	for i := range typ.NumField() {
		key, _, _ := strings.Cut(typ.Field(i).Tag.Get("yaml"), ",")
		p, there := properties[key].(map[string]any)
		if !there {
			t.Errorf("the schema lacks %s%s", at, key)
			continue
		}
		delete(properties, key)
		below := typ.Field(i).Type
		if below.Kind() == reflect.Pointer {
			below = below.Elem()
		}
		if below.Kind() == reflect.Struct {
			sameKeys(t, key+".", p, below)
		}
	}
	for key := range properties {
		t.Errorf("the schema has %s%s, which no contract has", at, key)
	}
}

func TestTheSchemaAndTheParserAgree(t *testing.T) {
	s := schema(t)
	for text, valid := range map[string]bool{
		small: true,
		small + "agent: claude\nverbs: [add]\npriority: 3\nbudget: {usd: 1.5}\ndepends_on: [T-1]\n": true,
		small + "agent: [claude, claude@opus]\nspec: S-0001\nrole: revert\ntargets: [T-1]\n":        true,
		head + "workload: world\nworld: {villager: Ander, at: 3}\n":                                 true,
		strings.Replace(small, "Reject a stale proposal by name", "1e3", 1):                         true,
		head: false, head + "workload: world\n": false, small + "world: {villager: A}\n": false,
		small + "extra: 1\n": false, small + "tests: drop\n": false, small + "verbs: [fly]\n": false,
		small + "budget: {usd: -1}\n": false, small + "budget: {cents: 1}\n": false, small + "agent: []\n": false,
		small + "depends_on: [x]\n": false, small + "acceptance: x\n": false, small + "spec: x\n": false,
		strings.Replace(small, "v1", "v2", 1): false, strings.Replace(small, "T-0007", "t7", 1): false,
		small + "budget: {attempts: 1.5}\n": false, head + "scope: {allow: []}\n": false,
	} {
		var doc any
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); (err == nil) != valid {
			t.Errorf("the schema says %v of\n%s", err, text)
		}
		if _, err := Parse(file, []byte(text)); (err == nil) != valid {
			t.Errorf("the parser says %v of\n%s", err, text)
		}
	}
}
