package contract

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"torve/internal/strictyaml"
)

const file = ".torve/tasks/T-0007/contract.yaml"

const head = "schema: torve/contract/v1\nid: T-0007\ntitle: Reject a stale proposal by name\n"

const small = head + "scope: {allow: [\"internal/law/**\"]}\n"

func parsed(t *testing.T, text string) Contract {
	t.Helper()
	c, err := Parse(file, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEveryDefaultIsFilledIn(t *testing.T) {
	want := Contract{
		Schema: Schema, ID: "T-0007", Title: "Reject a stale proposal by name", Workload: "code", DependsOn: []string{},
		Scope: Scope{Allow: []string{"internal/law/**"}, Deny: []string{}}, Verbs: []string{"add", "modify", "delete", "mode"},
		Tests: "keep", Base: "green", Acceptance: []string{}, Agent: Agents{}, Role: "implement", Targets: []string{},
		Budget: Budget{Attempts: 3, Minutes: 30, USD: 5, Changes: 500, Lines: 5000},
	}
	if got := parsed(t, small); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestABudgetThatNamesSomeKeysKeepsTheDefaultsOfTheOthers(t *testing.T) {
	got := parsed(t, small+"budget: {usd: 0, minutes: 2.5}\n").Budget
	if want := (Budget{Attempts: 3, Minutes: 2.5, USD: 0, Changes: 500, Lines: 5000}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAWholeContractIsRead(t *testing.T) {
	c := parsed(t, head+`owner: you@example.com
spec: S-0001
intent: |
  What and why.
workload: code
depends_on: [T-0003, OPS-rotate-keys]
scope:
  allow: ["internal/law/**", "docs/**"]
  deny:  ["docs/seeds/**"]
verbs: [add, symlink]
tests: change
base: red
acceptance:
  - go test ./internal/law/...
  - true
budget: {attempts: 1, minutes: 5, usd: 1.25, changes: 3, lines: 40}
agent: [claude, claude@opus]
role: review
targets: [T-0002]
priority: -2
`)
	want := Contract{
		Schema: Schema, ID: "T-0007", Title: "Reject a stale proposal by name", Owner: "you@example.com", Spec: "S-0001",
		Intent: "What and why.\n", Workload: "code", DependsOn: []string{"T-0003", "OPS-rotate-keys"},
		Scope: Scope{Allow: []string{"internal/law/**", "docs/**"}, Deny: []string{"docs/seeds/**"}}, Verbs: []string{"add", "symlink"},
		Tests: "change", Base: "red", Acceptance: []string{"go test ./internal/law/...", "true"},
		Budget: Budget{Attempts: 1, Minutes: 5, USD: 1.25, Changes: 3, Lines: 40}, Agent: Agents{"claude", "claude@opus"},
		Role: "review", Targets: []string{"T-0002"}, Priority: -2,
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
}

func TestAnAgentIsOneNameOrAListThatIsGoneUp(t *testing.T) {
	if c := parsed(t, small+"agent: claude@opus\n"); !slices.Equal(c.Agent, Agents{"claude@opus"}) {
		t.Errorf("got %v", c.Agent)
	}
	a := Agents{"one", "two@big"}
	for n, want := range map[int]string{0: "one", 1: "one", 2: "two@big", 3: "two@big"} {
		if got := a.At(n); got != want {
			t.Errorf("attempt %d is by %s, want %s", n, got, want)
		}
	}
	if got := (Agents{}).At(1); got != "" {
		t.Errorf("of no agents the first is %s", got)
	}
}

func TestAWorldContractNeedsNeitherScopeNorAcceptance(t *testing.T) {
	c := parsed(t, head+"workload: world\nworld: {villager: Ander, at: 1400, profile: villager}\n")
	if c.World == nil || *c.World != (World{Villager: "Ander", At: 1400, Profile: "villager"}) {
		t.Errorf("got %+v", c.World)
	}
}

func TestABrokenContractIsNamedWithItsPlaceAndAHint(t *testing.T) {
	for _, c := range []struct{ name, text, want, hint string }{
		{"newer", "schema: torve/contract/v2\nid: T-0007\nshape: new\n", "1:9: torve/contract/v2 is newer than this torve reads", "update torve: it reads torve/contract/v1"},
		{"no schema", "id: T-0007\n", "1:1: there is no schema", "schema: torve/contract/v1"},
		{"an unknown key", small + "acceptence: [x]\n", `5:1: there is no key "acceptence"`, "did you mean acceptance?"},
		{"a key twice", small + "id: T-0007\n", `5:1: the key "id" is given twice: at line 2 and at line 5`, "keep one of them"},
		{"no id", "schema: torve/contract/v1\ntitle: x\n", "1:1: there is no id", "id: T-0007"},
		{"a bad id", "schema: torve/contract/v1\nid: t7\n", `2:5: id "t7" is not a task's id`, "write it like T-0007 or OPS-rotate-keys"},
		{"an id that is no ref", "schema: torve/contract/v1\nid: T-a..b\n", `2:5: id "T-a..b" is not a task's id`, "write it like T-0007 or OPS-rotate-keys"},
		{"another folder", strings.Replace(small, "T-0007", "T-0008", 1), "2:5: id is T-0008, and the folder is T-0007", "the folder's name and the id are the same"},
		{"no title", "schema: torve/contract/v1\nid: T-0007\n", "1:1: there is no title", "title: what should be true when it is done"},
		{"an empty title", "schema: torve/contract/v1\nid: T-0007\ntitle:\n", "3:7: title is empty, and text is wanted", "give it a value, or leave the key out"},
		{"a blank title", "schema: torve/contract/v1\nid: T-0007\ntitle: ' '\n", "3:8: title is blank", "say what should be true when it is done"},
		{"two lines of title", "schema: torve/contract/v1\nid: T-0007\ntitle: \"a\\nb\"\n", "3:8: title has more than one line", "one line here, the rest under intent"},
		{"no scope", head, "1:1: scope.allow is required: where the work may touch", `scope: {allow: ["src/**"]}; everything is written "**"`},
		{"no allow", head + "scope:\n  deny: [a]\n", "5:3: scope.allow is required: where the work may touch", `scope: {allow: ["src/**"]}; everything is written "**"`},
		{"an empty allow", head + "scope: {allow: []}\n", "4:16: scope.allow is required: where the work may touch", `scope: {allow: ["src/**"]}; everything is written "**"`},
		{"a bad glob", head + "scope:\n  allow:\n    - a\n    - 'b['\n", `7:7: scope.allow "b[" is not a valid glob`, `close each [ and {, and write \[ for the letter`},
		{"a negated glob", head + "scope: {allow: ['!a']}\n", `4:17: scope.allow "!a" begins with !, which excludes nothing here`, "write what is excluded under scope.deny"},
		{"a glob that leaves", head + "scope: {allow: [a], deny: [../b]}\n", `4:28: scope.deny "../b" has . or .. in it, and paths are from the repository's root`, "leave it out"},
		{"a glob twice", head + "scope: {allow: [a, b, a]}\n", `4:23: scope.allow lists a twice`, "keep one of them"},
		{"a bad workload", small + "workload: coal\n", `5:11: workload "coal" is not known`, "workload is code or world"},
		{"bad tests", small + "tests: drop\n", `5:8: tests "drop" is not known`, "tests is keep or change"},
		{"a bad base", small + "base: blue\n", `5:7: base "blue" is not known`, "base is green, red or any"},
		{"a bad role", small + "role: sing\n", `5:7: role "sing" is not known`, "role is implement, review or revert"},
		{"a bad verb", small + "verbs: [add, rename]\n", `5:14: verb "rename" is not known`, "the verbs are add, modify, delete, mode, symlink, submodule"},
		{"no verb", small + "verbs: []\n", `5:8: verbs is an empty list, and no change has no verb`, "leave it out for add, modify, delete, mode"},
		{"a negative budget", small + "budget:\n  usd: -1\n", `6:8: budget.usd is negative`, "0 is no limit"},
		{"a spec by name", small + "spec: auth\n", `5:7: spec "auth" is not a specification's id`, "write it like S-0001, or leave it out"},
		{"a bad dependency", small + "depends_on: [T-1, x]\n", `5:19: depends_on "x" is not a task's id`, "write it like T-0003"},
		{"itself", small + "depends_on: [T-0007]\n", `5:14: depends_on names the task itself, T-0007`, "leave it out"},
		{"a dependency twice", small + "depends_on: [T-1, T-1]\n", `5:19: depends_on lists T-1 twice`, "keep one of them"},
		{"a blank line", small + "acceptance: [' ']\n", `5:14: acceptance line 1 is blank`, "leave it out"},
		{"one line of acceptance", small + "acceptance: go test\n", `5:13: acceptance is "go test", and a list is wanted`, `acceptance: ["go test"]`},
		{"a bad agent", small + "agent: 'claude@'\n", `5:8: agent "claude@" is not a name of one`, "write it as adapter or adapter@model"},
		{"no agent", small + "agent: []\n", `5:8: agent is an empty list`, "leave it out for the configuration's default"},
		{"a map of agents", small + "agent: {a: b}\n", `5:8: agent is a map, and text is wanted`, ""},
		{"targets of nothing", small + "targets: [T-1]\n", `5:10: targets are of a review or a revert, and role is implement`, "role: review, or role: revert"},
		{"a revert of nothing", small + "role: revert\n", `5:7: role revert names no targets`, "targets: [T-0003]"},
		{"a world of nothing", head + "workload: world\n", `4:11: workload world says nothing under world`, "world: {villager: Ander, at: 1400, profile: villager}"},
		{"a world of code", small + "world: {villager: Ander}\n", `5:8: world is of the world workload, and workload is code`, "workload: world"},
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

func TestOnlyATasksFolderMustBearTheId(t *testing.T) {
	for name, ok := range map[string]bool{
		file: true, "/home/x/r/" + file: true, `.torve\tasks\T-0007\contract.yaml`: true, "draft.yaml": true,
		".torve/tasks/T-0008/contract.yaml": false, "tasks/T-7/contract.yaml": false, ".torve/tasks/t-0007/contract.yaml": false,
		".torve/tasks/T-0008/draft.yaml": true, "elsewhere/T-0008/contract.yaml": true,
	} {
		if _, err := Parse(name, []byte(small)); (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheDigestIsThatOfWhatIsAskedAndNotOfHowItIsWritten(t *testing.T) {
	want := parsed(t, small).Digest()
	for name, text := range map[string]string{
		"comments":     "# why\n" + small + "# end\n",
		"order":        "scope: {allow: [internal/law/**]}\ntitle: 'Reject a stale proposal by name'\nid: T-0007\nschema: torve/contract/v1\n",
		"CRLF":         strings.ReplaceAll(small, "\n", "\r\n"),
		"a BOM":        "\xef\xbb\xbf" + small,
		"said default": small + "tests: keep\nverbs: [add, modify, delete, mode]\nbudget: {attempts: 3}\ndepends_on: []\npriority: 0\n",
	} {
		if got := parsed(t, text).Digest(); got != want {
			t.Errorf("%s change the digest", name)
		}
	}
	for name, text := range map[string]string{"a budget": small + "budget: {usd: 6}\n", "an agent": small + "agent: x\n"} {
		if parsed(t, text).Digest() == want {
			t.Errorf("%s does not change the digest", name)
		}
	}
}

func TestTheCanonicalFormIsPinned(t *testing.T) {
	c := parsed(t, small+"intent: <b> & é\n")
	const want = `{"schema":"torve/contract/v1","id":"T-0007","title":"Reject a stale proposal by name","intent":"<b> & é",` +
		`"workload":"code","depends_on":[],"scope":{"allow":["internal/law/**"],"deny":[]},"verbs":["add","modify","delete","mode"],` +
		`"tests":"keep","base":"green","acceptance":[],"budget":{"attempts":3,"minutes":30,"usd":5,"changes":500,"lines":5000},` +
		`"agent":[],"role":"implement","targets":[],"priority":0}`
	if got := string(c.Canonical()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := (Contract{}).Canonical(); bytes.Contains(got, []byte("null")) {
		t.Errorf("a list is null in %s", got)
	}
	back, err := Decode(c.Canonical())
	if err != nil || !reflect.DeepEqual(back, c) {
		t.Errorf("got %+v, %v", back, err)
	}
}

func TestACanonicalFormIsDecodedStrictly(t *testing.T) {
	for _, bad := range []string{"", "{}", `{"schema":"torve/contract/v2"}`, `{"schema":"torve/contract/v1","new":1}`, `{"schema":"torve/contract/v1"} x`, "null", "[]"} {
		if c, err := Decode([]byte(bad)); err == nil {
			t.Errorf("%q gave %+v", bad, c)
		}
	}
}

func TestWhatChangedIsNamedByItsKeys(t *testing.T) {
	a := parsed(t, small)
	b := parsed(t, head+"scope: {allow: [a], deny: [b]}\nbudget: {usd: 1, lines: 7}\nagent: x\nintent: y\npriority: 3\n")
	want := []string{"intent", "scope.allow", "scope.deny", "budget.usd", "budget.lines", "agent", "priority"}
	if got := Changed(a, b); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Changed(a, a); got == nil || len(got) != 0 {
		t.Errorf("nothing changed, and it says %v", got)
	}
	w, v := Default(), Default()
	w.World, v.World = &World{Villager: "Ander", At: 1}, &World{Villager: "Ander", At: 2}
	if got := Changed(w, v); !slices.Equal(got, []string{"world.at"}) {
		t.Errorf("got %v", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{small, head + "workload: world\nworld: {villager: A}\n", "schema: torve/contract/v2\n", "", small + "agent: [a, b@c]\nrole: revert\ntargets: [T-1]\n", small + "intent: |+\n  a\n\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("x.yaml", data)
		var e *strictyaml.Error
		if err != nil {
			if !errors.As(err, &e) || e.File != "x.yaml" {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		again, err := Parse("x.yaml", Render(c))
		if err != nil || !reflect.DeepEqual(c, again) {
			t.Fatalf("rendered it is\n%s\nand reads as %+v (%v), not %+v", Render(c), again, err, c)
		}
		wider, err := WidenScope(data, []string{"more/**"})
		if err != nil {
			return
		}
		w, err := Parse("x.yaml", wider)
		if err != nil || !slices.Contains(w.Scope.Allow, "more/**") {
			t.Fatalf("widened it is\n%s\n%v", wider, err)
		}
	})
}

func TestAnIdIsFitForARefAFolderAndAFilesName(t *testing.T) {
	long := "T-" + strings.Repeat("a", 62)
	for id, ok := range map[string]bool{"T-0007": true, "OPS-rotate-keys": true, "A_-1": false, "t-1": false, "T-": false, "T-a..b": false, long: true, long + "a": false} {
		if ValidID(id) != ok {
			t.Errorf("%s is one: %v", id, !ok)
		}
	}
}
