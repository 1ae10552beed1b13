package law

import "fmt"

// VerbsOf is the second check: every verb is in the table and has its own argument and no
// other, and the steps together end within the horizon.
func VerbsOf(p Plan, c Caps) Verdict {
	for i, s := range p.Steps {
		if why := misused(s); why != "" {
			return Refused(OnVerb, fmt.Sprintf("step %d: %s", i+1, why))
		}
	}
	if span := p.Span(); span > c.Horizon {
		return Refused(OnVerb, fmt.Sprintf("the steps span %d ticks, and the horizon is %d", span, c.Horizon))
	}
	return Accepted()
}

// misused is what is wrong with a step's verb and arguments; "" where nothing is.
func misused(s Step) string {
	e, known := row(s.Verb)
	if !known {
		return fmt.Sprintf("%q is not a verb in the table", s.Verb)
	}
	given := s.has()
	for _, a := range [...]struct {
		name       string
		own, given bool
	}{
		{"where", e.takes.where, given.where},
		{"who", e.takes.who, given.who},
		{"grams", e.takes.grams, given.grams},
		{"line", e.takes.line, given.line},
	} {
		switch {
		case a.own && !a.given:
			return fmt.Sprintf("a %s without its %s", s.Verb, a.name)
		case a.given && !a.own:
			return fmt.Sprintf("a %s with a %s, which is not its own", s.Verb, a.name)
		}
	}
	if e.takes.grams && !s.amount() {
		return fmt.Sprintf("a %s of %g grams, which is no amount", s.Verb, s.Grams)
	}
	return ""
}
