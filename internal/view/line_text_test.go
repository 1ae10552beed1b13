package view

import (
	"fmt"
	"strings"
	"testing"

	"torve/internal/carrier"
)

func TestOfManyDecisionsBehindALineTheSpokenOfComeFirstAndTheRestIsCounted(t *testing.T) {
	a := WhyAnswer{Task: "T-0001"}
	for n := range 9 {
		a.Decisions = append(a.Decisions, Decision{ID: fmt.Sprintf("S-0001/D-%d", n+1), Grade: "OPEN", Text: "text", Today: "missing"})
	}
	a.Divergences = []carrier.Entry{{Decision: "S-0001/D-8", Action: "decided"}}
	for count, want := range map[int]string{9: "D-8 D-1 D-2 D-3 and 5 more", 5: "D-1 D-2 D-3 D-4 D-5", 4: "D-1 D-2 D-3 D-4"} {
		p := whyPage{newPage(Style{}), a}
		p.a.Decisions = a.Decisions[:count]
		p.because()
		var got []string
		for _, word := range strings.Fields(p.b.String()) {
			if id, is := strings.CutPrefix(word, "S-0001/"); is {
				got = append(got, id)
			}
		}
		said := strings.Join(got, " ")
		if strings.Contains(p.b.String(), " more: torve why T-0001\n") {
			said += fmt.Sprintf(" and %d more", count-mostBecause)
		}
		if said != want {
			t.Errorf("of %d it shows %q, and %q is wanted", count, said, want)
		}
	}
}
