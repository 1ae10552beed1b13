package cli

import "torve/internal/gate"

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
		a.say("  %d %-10s %s  broken: %s", i+1, c.Check, word, c.Broke)
		a.say("                      said: %s", cut(c.Verdict.String(), 54))
	}
	a.say("\n%d of %d checks refuse what they must", held, len(cases))
	if held != len(cases) {
		return end(LawSaidNo)
	}
	return nil
}
