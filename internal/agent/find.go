package agent

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The adapters that need an entry of the configuration.
const (
	commandAdapter = "command"
	replayAdapter  = "replay"
)

// Find makes the adapter of a name (adapter or adapter@model) from the settings and the
// built-in table; an unknown name is an error that lists the known ones. A model in the
// name wins over the setting's.
func Find(name string, settings map[string]Setting, look func(string) string) (Adapter, error) {
	name, model, _ := strings.Cut(name, "@")
	set, entry := settings[name]
	if !entry {
		if _, ok := builtins()[name]; !ok {
			return nil, fmt.Errorf("no agent %q; known are %s; %s makes one", name, known(settings), example(name))
		}
	}
	if set.Adapter == "" {
		set.Adapter = name
	}
	asked := model != ""
	if !asked {
		model = set.Model
	}
	if set.Adapter == replayAdapter {
		return &replay{name: name, folder: set.Patches, model: model, look: look}, nil
	}
	kind, builtin := builtins()[set.Adapter]
	if !builtin && set.Adapter != commandAdapter {
		return nil, fmt.Errorf("agents: %s: no adapter %q; known are %s, %s, %s", name, set.Adapter, commandAdapter, replayAdapter, known(nil))
	}
	return &program{name: name, model: model, asked: asked, set: set, kind: kind, look: look}, nil
}

// example is an entry that would make the name known.
func example(name string) string {
	return fmt.Sprintf(`agents: {%s: {adapter: command, run: ["./scripts/agent.sh"]}}`, name)
}

// known lists the built-in names and those of the settings.
func known(settings map[string]Setting) string {
	names := slices.Concat(slices.Collect(maps.Keys(settings)), slices.Collect(maps.Keys(builtins())))
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// Known lists the built-in names and what each runs, for init and help, by name.
func Known() []Builtin {
	var out []Builtin
	for name, k := range builtins() {
		out = append(out, Builtin{Name: name, Program: k.run[0], Run: k.run, Cost: k.cost})
	}
	slices.SortFunc(out, func(a, b Builtin) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Builtin is an agent that needs no entry.
type Builtin struct {
	Name    string
	Program string
	Run     []string
	Cost    bool // it reports what it cost
}
