package cli

import (
	"fmt"

	"torve/internal/gate"
)

// runProve breaks each check once, on purpose, under the law that is in force here,
// and shows that it refuses: a gate that nobody has seen say no is no gate.
func (a *app) runProve() error {
	terms := gate.Terms{Law: gate.Repository{Secrets: true}, Stale: defaultConfig().Law.Stale}
	proposal, reading := gate.Sample()
	cases, err := gate.Prove(gate.Code(terms), proposal, reading)
	if err != nil {
		return broken("proving the gate", "", err)
	}
	held := 0
	for i, c := range cases {
		word := "holds"
		if c.Held {
			held++
		} else {
			word = "FAILS"
		}
		lead := fmt.Sprintf("  %d %-10s ", i+1, c.Check)
		a.tell("%s%s  broken: %s", lead, a.style().Paint(word), c.Broke)
		a.tell("%s", a.wrapped("                      said: ", c.Verdict.String(), 28))
	}
	a.tell("\n%d of %d checks refuse what they must", held, len(cases))
	if held != len(cases) {
		return end(LawSaidNo)
	}
	return nil
}
