package truth

import "fmt"

// Settle decides between what the carriers say of one task: landing over board
// over host over contract, in whatever order they are given. It refuses a
// statement that no maker made, one of another task, and two from one carrier.
// With no statement the task is settled as unknown.
func Settle(task string, statements ...Statement) (Settled, error) {
	if task == "" {
		return Settled{}, fmt.Errorf("settling a task without a name")
	}
	var said spoken
	for i := range statements {
		st := &statements[i]
		at := st.carrier.place()
		switch {
		case at < 0:
			return Settled{}, fmt.Errorf("settling %s: a statement that no carrier made", task)
		case st.task != task:
			return Settled{}, fmt.Errorf("settling %s: the %s speaks of %s", task, st.carrier, st.task)
		case said[at] != nil:
			return Settled{}, fmt.Errorf("settling %s: the %s was asked twice", task, st.carrier)
		}
		copied := *st
		said[at] = &copied
	}
	return ranked(task, said), nil
}

// ranked is what Settle makes of what was said, each by its own carrier: a place among
// spoken is a carrier's rank.
func ranked(task string, said spoken) Settled { return Settled{made: true, task: task, said: said} }

// Because says in one sentence who spoke and why the others do not; it is what
// torve why prints.
func (s Settled) Because() string {
	switch {
	case !s.made:
		return ErrUnsettled.Error()
	case s.by().carrier == "":
		return "no carrier knows it"
	case s.by().carrier != Board:
		return s.by().words()
	case s.from(Host) != nil:
		return s.by().because + ", and a board outranks this host's state file"
	}
	if s.Edited() {
		return s.by().because + ", and the minted contract outranks the file"
	}
	return s.by().because
}
