package law

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"torve/internal/sim"
)

// GroundingOf is the third check: whoever a step names is in the set that is stored with the
// proposal, so it asks what could be known at the question and not what could be known now.
// Cells are not asked about: where one can stand is the world's to say.
func GroundingOf(p Plan, set []sim.EntityID) Verdict {
	for i, s := range p.Steps {
		if s.Who != 0 && !slices.Contains(set, s.Who) {
			return Refused(OnGrounding, fmt.Sprintf("step %d names body %d, and the grounding set is %s", i+1, s.Who, braced(set)))
		}
	}
	return Accepted()
}

// braced prints a set as the ledger does, {1,2,3}.
func braced(set []sim.EntityID) string {
	ids := make([]string, len(set))
	for i, id := range set {
		ids[i] = strconv.Itoa(int(id))
	}
	return "{" + strings.Join(ids, ",") + "}"
}
