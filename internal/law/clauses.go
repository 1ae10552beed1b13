package law

import (
	"fmt"
	"strings"
)

// Clause is one of a law's, as people are shown it.
type Clause struct {
	ID, Verb string
	Of       string // the steps of the verb that it speaks of: "all", or its conditions
	Permit   bool
	Says     string
}

// Clauses lists a law's, in the order in which they are asked.
func (c Code) Clauses() []Clause {
	all := make([]Clause, len(c.clauses))
	for i := range c.clauses {
		one := &c.clauses[i]
		all[i] = Clause{ID: one.ID, Verb: one.Verb, Of: one.of(), Permit: *one.Permit, Says: one.Says}
	}
	return all
}

// of is a clause's conditions in words.
func (c *clause) of() string {
	var all []string
	if c.Profile != "" {
		all = append(all, "by a "+c.Profile)
	}
	if len(c.Who) > 0 {
		all = append(all, "who "+strings.Trim(strings.Join(strings.Fields(fmt.Sprint(c.Who)), ","), "[]"))
	}
	if c.Over != nil {
		all = append(all, fmt.Sprintf("over %g g", *c.Over))
	}
	if c.Longer != nil {
		all = append(all, fmt.Sprintf("longer than %d", *c.Longer))
	}
	if c.Within != nil {
		all = append(all, strings.TrimSpace(span("x", c.Within.X)+span("y", c.Within.Y)))
	}
	if len(all) == 0 {
		return "all"
	}
	return strings.Join(all, ", ")
}

func span(name string, axis []int) string {
	if axis == nil {
		return ""
	}
	return fmt.Sprintf("%s %d to %d ", name, axis[0], axis[1])
}
