package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// absent are the fields that may be null: what is unknown, and what there is none of.
// No list is among them.
var absent = []string{
	"usd", "tokens_in", "tokens_out", "landing", "line", "settled", "contract", "spent", "kept", "escalation", "gate", "seconds", "limit", "until",
	"tokens", "reported", "estimated", "notional", "unrecorded", "minutes",
}

// document types a command with --json and gives the one document that it printed.
func (s *stage) document(code int, args ...string) map[string]any {
	s.t.Helper()
	r := s.ends(code, append(args, "--json")...)
	dec := json.NewDecoder(strings.NewReader(r.out))
	var doc map[string]any
	if err := dec.Decode(&doc); err != nil {
		s.t.Fatalf("torve %s: %v\n%s", strings.Join(args, " "), err, r.out)
	}
	if dec.More() {
		s.t.Errorf("torve %s prints more than one document", strings.Join(args, " "))
	}
	for _, fault := range nulls("", doc) {
		s.t.Errorf("torve %s: %s is null", strings.Join(args, " "), fault)
	}
	return doc
}

// nulls lists the fields that are null and may not be.
func nulls(at string, v any) []string {
	var out []string
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if value == nil && !slices.Contains(absent, key) {
				out = append(out, at+"."+key)
			}
			out = append(out, nulls(at+"."+key, value)...)
		}
	case []any:
		for i, value := range v {
			out = append(out, nulls(fmt.Sprintf("%s[%d]", at, i), value)...)
		}
	}
	return out
}

// pins compares a document with its golden file, and says which fields it must have.
func (s *stage) pins(name string, code int, args []string, fields ...string) {
	s.t.Helper()
	doc := s.document(code, args...)
	for _, f := range fields {
		if _, there := doc[f]; !there {
			s.t.Errorf("torve %s --json has no %s", strings.Join(args, " "), f)
		}
	}
	s.golden("json/"+name+".json", s.ends(code, append(args, "--json")...).out)
}

func TestTheDocumentsAreAsTheyAreWritten(t *testing.T) {
	s := night(t)
	s.Write(".torve/tasks/T-0005/contract.yaml", "schema: torve/contract/v1\nid: T-0005\ntitle: A draft\nscope: {allow: [\"x/**\"]}\n")
	minted := s.ends(3, "mint", "--json").out
	s.golden("json/mint.json", minted)
	s.pins("mint-again", 0, words("mint T-0001"), "schema", "partition", "tasks")
	s.pins("status-before", 0, words("status"), "schema", "sources", "counts", "tasks")
	s.pins("dispatch-dry", 0, words("dispatch --dry-run"), "schema", "partition", "tasks", "target", "next")
	s.golden("json/dispatch.json", s.ends(2, "dispatch", "--json").out)
	s.pins("dispatch-again", 2, words("dispatch T-0003 T-0004"), "schema", "partition", "tasks", "target", "next")
	s.pins("status", 0, words("status"), "schema", "sources", "counts", "tasks")
	s.pins("status-one", 0, words("status T-0003"), "schema", "sources", "counts", "tasks")
	s.pins("landings", 0, words("landings"), "schema", "sources", "landings")
	s.pins("context", 0, words("context"), "schema", "sources", "tasks", "escalations", "divergences", "findings", "gates", "spend")
	s.pins("spend", 0, words("spend"), "schema", "sources", "rows", "total", "telemetry")
	why := []string{"schema", "sources", "subject", "settled", "contract", "decisions", "attempts", "divergences", "landing", "chain"}
	s.pins("why-landed", 0, words("why T-0002"), why...)
	s.pins("why-refused", 0, words("why T-0003"), why...)
	s.pins("why-line", 0, words("why orders/list:2"), why...)
	s.pins("why-nobodys", 0, words("why README.md"), why...)
	fresh := filepath.Join(t.TempDir(), "fresh")
	s.Git("clone", "-q", s.Dir, fresh)
	s.Repo.Dir = fresh
	s.pins("clone-why", 0, words("why T-0002"), why...)
	s.pins("clone-status", 0, words("status"), "schema", "sources", "counts", "tasks")
}

func TestTheDocumentsOfAnEmptyRepositoryHaveEmptyLists(t *testing.T) {
	s := shop(t)
	for _, c := range []struct {
		args []string
		list string
	}{{words("mint"), "tasks"}, {words("dispatch"), "tasks"}, {words("dispatch --dry-run"), "planned"}, {words("status"), "tasks"}, {words("landings"), "landings"}, {words("context"), "spend"}, {words("spend"), "rows"}} {
		if got := s.document(0, c.args...)[c.list]; got == nil || len(got.([]any)) != 0 {
			t.Errorf("torve %s --json: %s is %v", strings.Join(c.args, " "), c.list, got)
		}
	}
}

func TestEachBlockOfADocumentNamesItsCarrierAndRows(t *testing.T) {
	s := dispatched(t)
	rows := func(doc map[string]any, block string) (string, float64) {
		b := doc["sources"].(map[string]any)[block].(map[string]any)
		for _, key := range []string{"carrier", "partition", "named_by", "store", "rows"} {
			if _, there := b[key]; !there {
				t.Errorf("sources.%s has no %s", block, key)
			}
		}
		return b["carrier"].(string), b["rows"].(float64)
	}
	for _, c := range []struct {
		args    []string
		block   string
		carrier string
		rows    float64
	}{
		{words("status"), "tasks", "record", 4}, {words("status"), "attempts", "record", 4}, {words("status"), "landings", "git", 2},
		{words("context"), "tasks", "record", 4}, {words("context"), "spend", "record", 4}, {words("context"), "telemetry", "files", 4}, {words("context"), "landings", "git", 2},
		{words("context --files"), "spend", "files", 4}, {words("context --files"), "escalations", "none", 0}, {words("spend"), "spend", "record", 4},
		{words("status --files"), "tasks", "files", 4}, {words("landings"), "landings", "git", 2},
		{words("why T-0002"), "attempts", "record", 2}, {words("why T-0002"), "landings", "git", 2},
		{words("why T-0002 --files"), "tasks", "git", 1}, {words("why T-0002 --files"), "attempts", "git", 0},
	} {
		if carrier, n := rows(s.document(0, c.args...), c.block); carrier != c.carrier || n != c.rows {
			t.Errorf("torve %s: sources.%s is %s, %v rows; %s, %v was expected", strings.Join(c.args, " "), c.block, carrier, n, c.carrier, c.rows)
		}
	}
}

func TestAVerbWithoutADocumentRefusesJSONBeforeItDoesAnything(t *testing.T) {
	s := shop(t)
	for _, args := range [][]string{
		words("init"), words("new x --allow x/**"), words("run x --allow x/**"), words("demo"), words("diff T-0001"), words("show T-0001"), words("widen T-0001 x --yes"),
		words("requeue T-0001"), words("abandon T-0001"), words("land"), words("land T-0001 --as HEAD --yes"), words("gate"), words("gate --prove"), words("note x"), words("agents"), words("findings"), words("findings add x --task T-0001 --severity minor"), words("findings close F-1 --fixed"), words("feedback T-0001 --minutes 1"),
		words("version"), words("help"), words("completion bash"), {},
	} {
		r := s.ends(3, append(args, "--json")...)
		if r.out != "" {
			t.Errorf("torve %s --json prints on stdout: %s", strings.Join(args, " "), r.out)
		}
		asError(t, r.err, 3)
	}
	if s.Git("status", "--porcelain") != "" || s.Git("rev-list", "--count", "HEAD") != "2" {
		t.Error("something was done")
	}
}

// asError asks that a text is one error document and nothing else.
func asError(t *testing.T, text string, code float64) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if doc["schema"] != "torve/error/v1" || doc["error"] == "" || doc["code"] != code || doc["hint"] == nil || len(doc) != 4 {
		t.Errorf("%v", doc)
	}
	return doc
}

func TestAnErrorIsOneDocumentOnStderr(t *testing.T) {
	s := shop(t)
	for _, args := range [][]string{
		words("nosuch"), words("status --nope"), words("status x"), words("why"), words("why nosuch.go:3"), words("dispatch T-0099"), words("status T-0099"),
		words("dispatch --workers 99"), words("-C nowhere status"), words("mint --dsn x"), words("land T-0099 --json"),
	} {
		r := s.ends(3, append(args, "--json")...)
		if r.out != "" {
			t.Errorf("torve %s --json prints on stdout: %s", strings.Join(args, " "), r.out)
		}
		asError(t, r.err, 3)
	}
	s.golden("json/error.json", s.ends(3, "why", "README.md:9", "--json").err)
}
