package cli

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestTheDefaultsStandWhereNothingIsSaid(t *testing.T) {
	c, err := parseConfig([]byte("schema: torve/config/v1\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(c, defaultConfig()) {
		t.Errorf("%+v", c)
	}
}

func TestOneKeyKeepsTheDefaultsOfItsNeighbours(t *testing.T) {
	c, err := parseConfig([]byte("schema: torve/config/v1\nlimits: {acceptance: 90s}\nlaw: {stale: 3}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if time.Duration(c.Limits.Acceptance) != 90*time.Second || time.Duration(c.Limits.Idle) != tenMinutes || c.Law.Stale != 3 || c.Law.Secrets != "on" {
		t.Errorf("%+v %+v", c.Limits, c.Law)
	}
}

func TestAFaultyConfigurationSaysWhereAndWhatMendsIt(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"unknown key", "schema: torve/config/v1\ntargt: main\n", "config.yaml:2:1: "},
		{"a key twice", "schema: torve/config/v1\ntarget: main\ntarget: dev\n", "config.yaml:3:1: "},
		{"a wrong type", "schema: torve/config/v1\nacceptance: go test\n", "config.yaml:2:"},
		{"newer", "schema: torve/config/v2\n", "v2"},
		{"needs a newer torve", "schema: torve/config/v1\nrequires: '>=99.0'\n", "requires torve >=99.0"},
		{"a bound of another shape", "schema: torve/config/v1\nrequires: '^1'\n", "it is written like >=0.1"},
		{"no such choice", "schema: torve/config/v1\nlanding: {mode: hope}\n", "landing.mode"},
		{"workers", "schema: torve/config/v1\ndispatch: {workers: 0}\n", "dispatch.workers"},
		{"negative money", "schema: torve/config/v1\ndispatch: {usd: -1}\n", "dispatch.usd"},
		{"no time", "schema: torve/config/v1\ndispatch: {until: dawn}\n", "dispatch.until"},
		{"no time of a day", "schema: torve/config/v1\ndispatch: {until: '25:00'}\n", "dispatch.until"},
		{"a negative count", "schema: torve/config/v1\ndispatch: {stop_on_escalations: -1}\n", "dispatch.stop_on_escalations"},
		{"negative slots", "schema: torve/config/v1\nagents: {mine: {adapter: command, run: [x], slots: -1}}\n", "agents.mine.slots"},
	} {
		_, err := parseConfig([]byte(c.text))
		if err == nil {
			t.Errorf("%s: taken", c.name)
			continue
		}
		why, hint, outcome := explain(err)
		if !strings.Contains(why, c.want) || hint == "" || outcome != Usage {
			t.Errorf("%s: %q, hint %q, %v", c.name, why, hint, outcome)
		}
	}
}

func TestASettingThatCannotActIsRefusedAndNeverIgnored(t *testing.T) {
	for _, text := range []string{
		"sandbox: {mode: landlock}", "sandbox: {mode: bwrap}", "sandbox: {required: true}", "sandbox: {network: off}",
		"sandbox: {hide: [~/.ssh]}", "landing: {mode: pr}", "review: {by: claude}", "notify: {run: [say]}",
		"agents: {mine: {adapter: command, run: [x], sees: pack}}", "agents: {mine: {adapter: command, run: [x], price: {in: 1}}}",
	} {
		if _, err := parseConfig([]byte("schema: torve/config/v1\n" + text + "\n")); err == nil || !strings.Contains(err.Error(), "does not have") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestTheSchemaNamesEveryKeyOfTheType(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(configSchemaJSON, &schema); err != nil {
		t.Fatal(err)
	}
	sameKeys(t, "config", schema, reflect.TypeFor[config]())
}

// sameKeys asks that a schema's properties are exactly a struct's yaml keys, all the way down.
func sameKeys(t *testing.T, at string, schema map[string]any, typ reflect.Type) {
	t.Helper()
	if typ.Kind() == reflect.Map {
		inner, ok := schema["additionalProperties"].(map[string]any)
		if !ok {
			t.Errorf("%s: no additionalProperties", at)
			return
		}
		sameKeys(t, at+".*", inner, typ.Elem())
		return
	}
	if typ.Kind() != reflect.Struct {
		return
	}
	props, _ := schema["properties"].(map[string]any)
	if len(props) != typ.NumField() {
		t.Errorf("%s: %d properties in the schema, %d fields in the type", at, len(props), typ.NumField())
	}
	for i := range typ.NumField() {
		key := typ.Field(i).Tag.Get("yaml")
		inner, ok := props[key].(map[string]any)
		if !ok {
			t.Errorf("%s.%s is not in the schema", at, key)
			continue
		}
		sameKeys(t, at+"."+key, inner, typ.Field(i).Type)
	}
}

func TestWhatInitWritesReadsBack(t *testing.T) {
	d := detected{
		target: "release/1.0", partition: "acme/shop,the:2nd:", agent: "claude",
		tests: []string{`go test ./...`, `sh -c "a && b" # x`}, setup: []string{"npm ci"},
	}
	c, err := parseConfig([]byte(d.file()))
	if err != nil {
		t.Fatalf("%v in\n%s", err, d.file())
	}
	if c.Target != d.target || c.Record.Partition != d.partition || c.Agent.Default != "claude" ||
		!reflect.DeepEqual(c.Acceptance, d.tests) || !reflect.DeepEqual(c.Worktree.Setup, d.setup) {
		t.Errorf("%+v", c)
	}
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte("schema: torve/config/v1\n"))
	f.Add([]byte("schema: torve/config/v1\nagents: {a: {adapter: command, run: [x]}}\nlimits: {idle: 1h}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := parseConfig(data); err == nil && c.Schema != configSchema {
			t.Errorf("taken with schema %q", c.Schema)
		}
	})
}
