package truth

import (
	"fmt"
	"slices"
)

// Settle decides between what the carriers say of one task: landing over board
// over host over contract, in whatever order they are given. It refuses a
// statement that no maker made, one of another task, and two from one carrier.
// With no statement the task is settled as unknown.
func Settle(task string, statements ...Statement) (Settled, error) {
	return rank(task, slices.Clone(statements))
}

// rank is Settle, and orders the statements where they lie.
func rank(task string, ranked []Statement) (Settled, error) {
	if task == "" {
		return Settled{}, fmt.Errorf("settling a task without a name")
	}
	slices.SortStableFunc(ranked, func(a, b Statement) int { return b.carrier.rank() - a.carrier.rank() })
	for i, st := range ranked {
		switch {
		case st.carrier.rank() == 0:
			return Settled{}, fmt.Errorf("settling %s: a statement that no carrier made", task)
		case st.task != task:
			return Settled{}, fmt.Errorf("settling %s: the %s speaks of %s", task, st.carrier, st.task)
		case i > 0 && ranked[i-1].carrier == st.carrier:
			return Settled{}, fmt.Errorf("settling %s: the %s was asked twice", task, st.carrier)
		}
	}
	s := Settled{made: true, task: task}
	if len(ranked) > 0 {
		s.by, s.rest = ranked[0], ranked[1:]
	}
	return s, nil
}

// Because says in one sentence who spoke and why the others do not; it is what
// torve why prints.
func (s Settled) Because() string {
	switch {
	case !s.made:
		return ErrUnsettled.Error()
	case s.by.carrier == "":
		return "no carrier knows it"
	case s.by.carrier != Board:
		return s.by.words()
	case s.from(Host) != nil:
		return s.by.because + ", and a board outranks this host's state file"
	}
	if s.Edited() {
		return s.by.because + ", and the minted contract outranks the file"
	}
	return s.by.because
}
