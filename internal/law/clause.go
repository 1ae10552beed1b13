package law

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"torve/internal/sim"
)

// clause speaks of the steps of one verb that meet every condition it states; one that it
// does not state holds of all of them.
type clause struct {
	ID      string         `json:"id"`
	Profile string         `json:"profile,omitempty"` // "": of every profile
	Verb    string         `json:"verb"`
	Who     []sim.EntityID `json:"who,omitempty"`    // names one of these
	Over    *float64       `json:"over,omitempty"`   // names more grams than this
	Longer  *int           `json:"longer,omitempty"` // its line has more characters than this
	Within  *bounds        `json:"within,omitempty"` // its cell lies in these
	Permit  *bool          `json:"permit"`           // what it decides
	Says    string         `json:"says"`             // its sentence, for who reads a refusal

	name string // as Permits gives it
}

// bounds are columns and rows, first and last of each; an axis that is left out is not bound.
type bounds struct {
	X []int `json:"x,omitempty"`
	Y []int `json:"y,omitempty"`
}

// speaks reports whether the clause decides a step. Grams are asked the way about that what
// is no number is over.
func (c *clause) speaks(profile string, s Step) bool {
	return c.Verb == s.Verb &&
		(c.Profile == "" || c.Profile == profile) &&
		(c.Who == nil || slices.Contains(c.Who, s.Who)) &&
		(c.Over == nil || !(s.Grams <= *c.Over)) &&
		(c.Longer == nil || utf8.RuneCountInString(s.Line) > *c.Longer) &&
		(c.Within == nil || s.Where != nil && c.Within.hold(*s.Where))
}

func (b *bounds) hold(c sim.Coord) bool { return spans(b.X, c.X, c.X) && spans(b.Y, c.Y, c.Y) }

// spans reports whether an axis reaches from one place to another.
func spans(axis []int, from, to int) bool {
	return axis == nil || axis[0] <= from && to <= axis[1]
}

// covers reports whether the clause speaks of every step that another speaks of.
func (c *clause) covers(o *clause) bool {
	return c.Verb == o.Verb &&
		(c.Profile == "" || c.Profile == o.Profile) &&
		(c.Who == nil || o.Who != nil && !slices.ContainsFunc(o.Who, func(id sim.EntityID) bool { return !slices.Contains(c.Who, id) })) &&
		(c.Over == nil || o.Over != nil && *c.Over <= *o.Over) &&
		(c.Longer == nil || o.Longer != nil && *c.Longer <= *o.Longer) &&
		(c.Within == nil || o.Within != nil && wider(c.Within.X, o.Within.X) && wider(c.Within.Y, o.Within.Y))
}

func wider(axis, other []int) bool {
	return axis == nil || other != nil && spans(axis, other[0], other[1])
}

// fault is what is wrong with a clause by itself; "" where nothing is.
func (c *clause) fault() string {
	e, known := row(c.Verb)
	if !known {
		return fmt.Sprintf("%q is not a verb in the table", c.Verb)
	}
	for _, condition := range [...]struct {
		name, argument string
		stated, own    bool
	}{
		{"who", "who", c.Who != nil, e.takes.who},
		{"over", "grams", c.Over != nil, e.takes.grams},
		{"longer", "line", c.Longer != nil, e.takes.line},
		{"within", "where", c.Within != nil, e.takes.where},
	} {
		if condition.stated && !condition.own {
			return fmt.Sprintf("%s asks for the %s of a %s, which has none", condition.name, condition.argument, c.Verb)
		}
	}
	if why := c.empty(); why != "" {
		return why
	}
	if c.Permit == nil {
		return "it has no permit, true or false"
	}
	return unsaid(c.Says)
}

// empty is why a condition holds of no step, or of every one; "" where none is so.
func (c *clause) empty() string {
	if c.Who != nil && len(c.Who) == 0 {
		return "who names nobody"
	}
	for i, id := range c.Who {
		if id < 1 {
			return fmt.Sprintf("who names body %d, and there is none below 1", id)
		}
		if slices.Contains(c.Who[:i], id) {
			return fmt.Sprintf("who names body %d twice", id)
		}
	}
	switch {
	case c.Over != nil && *c.Over < 0:
		return fmt.Sprintf("over is %g grams, and every step names more", *c.Over)
	case c.Longer != nil && *c.Longer < 0:
		return fmt.Sprintf("longer is %d characters, and every line has more", *c.Longer)
	case c.Within != nil:
		return c.Within.fault()
	}
	return ""
}

func (b *bounds) fault() string {
	if b.X == nil && b.Y == nil {
		return "within has neither x nor y"
	}
	for _, axis := range [...]struct {
		name string
		of   []int
	}{{"x", b.X}, {"y", b.Y}} {
		switch {
		case axis.of == nil:
		case len(axis.of) != 2:
			return fmt.Sprintf("within: %s is a first and a last, and here are %d numbers", axis.name, len(axis.of))
		case axis.of[0] > axis.of[1]:
			return fmt.Sprintf("within: %s from %d to %d holds no cell", axis.name, axis.of[0], axis.of[1])
		}
	}
	return ""
}

// unsaid is why a text is no sentence for a person; "" where it is one.
func unsaid(text string) string {
	switch {
	case strings.TrimSpace(text) == "":
		return "it has no sentence"
	case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "its sentence has more than plain characters in one line"
	}
	return ""
}

// word reports whether a text is a name of lower-case letters, digits and hyphens.
func word(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
