package law

import (
	"fmt"
	"strings"
)

// ShapeOf is the first check: a plan has at least one step, no more than the cap, and a word
// in every verb slot. Which word is the next one's question.
func ShapeOf(p Plan, c Caps) Verdict {
	switch n := len(p.Steps); {
	case n == 0:
		return Refused(OnShape, "a plan of no steps")
	case n > c.Steps:
		return Refused(OnShape, fmt.Sprintf("a plan of %d steps, and the cap is %d", n, c.Steps))
	}
	for i, s := range p.Steps {
		if strings.TrimSpace(s.Verb) == "" {
			return Refused(OnShape, fmt.Sprintf("step %d has no verb", i+1))
		}
	}
	return Accepted()
}
