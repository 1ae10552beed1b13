package gate

import (
	"fmt"
	"slices"
	"strings"

	"torve/internal/seam"
)

// table is the verbs that a contract which lists none allows.
var table = []string{Add, Modify, Delete, Mode}

// shown is the order in which verbs are told to people.
var shown = []string{Modify, Add, Delete, Mode, Symlink, Submodule}

// verb asks whether every change is a verb of the contract's table, and whether
// the whole is within its horizon of lines.
func verb(p Proposal) seam.Verdict {
	if !p.Bound() {
		return seam.Accepted()
	}
	allowed := p.Contract.Verbs
	if len(allowed) == 0 {
		allowed = table
	}
	for i, ch := range p.Changes {
		for _, v := range ch.verbs() {
			if !slices.Contains(shown, v) || !slices.Contains(allowed, v) {
				return seam.Refused(seam.OnVerb, fmt.Sprintf("change %d: %q is not a verb this contract allows", i+1, v))
			}
		}
	}
	if n, most := Lines(p.Changes), p.Contract.Budget.Lines; most > 0 && n > most {
		return seam.Refused(seam.OnVerb, fmt.Sprintf("the changes span %s, and the horizon is %d", counted(n, "line"), most))
	}
	return seam.Accepted()
}

// verbs are all that a change does to its path.
func (ch Change) verbs() []string {
	if ch.Remode {
		return []string{ch.Verb, Mode}
	}
	return []string{ch.Verb}
}

// Lines is how many lines the changes span: added and removed, of what is counted.
func Lines(changes []Change) int {
	n := 0
	for _, ch := range changes {
		if !ch.Uncounted {
			n += ch.Added + ch.Removed
		}
	}
	return n
}

func sawVerbs(p Proposal) string {
	of, apart := map[string]int{}, 0
	for _, ch := range p.Changes {
		of[ch.Verb]++
		if ch.Uncounted {
			apart++
		}
	}
	var parts []string
	for _, v := range shown {
		if of[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", of[v], v))
		}
	}
	s := strings.Join(parts, ", ") + "; " + counted(Lines(p.Changes), "line")
	if apart > 0 {
		s += fmt.Sprintf(", %d uncounted", apart)
	}
	return s
}
