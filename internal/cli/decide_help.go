package cli

import (
	"fmt"
	"strings"

	"torve/internal/decide"
)

// decideHelp is what decide -h prints.
func decideHelp() string {
	var b strings.Builder
	b.WriteString(decideUse + "modes:\n")
	for _, m := range decide.Modes() {
		fmt.Fprintf(&b, "  %-10s %s\n", m.Name, m.Does)
	}
	return b.String() + decideRest
}

const decideUse = `decide asks, judges, refuses and dispatches plans of the valley's villagers, and
prints what the engine decided. It needs no repository. Seven modes read the day
that ships, which is authored: no model wrote its answers. Two ask a model.

usage: decide -mode MODE [flags]        go run ./cmd/decide -mode day

`

const decideRest = `
flags:
  -who NAME        which villager: Halla, Ander or Mose (Ander)
  -now TICK        the tick of the question; the world begins at 900 (1400)
  -late N          dispatch: the answer lands N ticks after it was asked
  -stale N         refuse what is older than N ticks (200, of configs)
  -reversed        run the six checks in reverse order
  -noschema        the answer is held to no schema
  -law             under the law that ships, configs/law.json, not the empty one
  -dsn STORE       live: DSN, @FILE or PATH.db (or TORVE_DSN)
  -partition NAME  live: where its rows go (bench/decide)
  -model NAME      live, record: another model than the one of configs
  -wait DURATION   live, record: how long an answer may take (2m)
  -out FILE        record: another file than the module's configs/day.json

A model is asked through Ollama, at OLLAMA_HOST or 127.0.0.1:11434.

exit: 0 done 1 odd 3 usage 4 broken 130 stopped
Odd is what the bench must not find: refuse accepted one of its six, or a prompt
of the day is not the recorded bytes.
`
