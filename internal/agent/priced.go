package agent

import "strings"

// Priced reports whether an agent (adapter or adapter@model) says what it cost. One
// that does not is held by minutes and attempts alone, and a run says so first.
func Priced(name string, settings map[string]Setting) bool {
	name, _, _ = strings.Cut(name, "@")
	adapter := settings[name].Adapter
	if adapter == "" {
		adapter = name
	}
	return adapter == replayAdapter || builtins()[adapter].cost
}
