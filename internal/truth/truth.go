// Package truth decides which carrier speaks for a task: landing > board > host
// > contract, here and nowhere else. Settle is the only maker of a Settled;
// stations and views take only that type, so going round it does not compile.
package truth

import (
	"errors"

	"torve/internal/board"
	"torve/internal/carrier"
)

// Carrier names what spoke.
type Carrier string

// The four, highest first. Nothing means that no carrier knows the task.
const (
	Landing  Carrier = "landing"
	Board    Carrier = "board"
	Host     Carrier = "host"
	Contract Carrier = "contract"
)

// rank orders the carriers, the highest first; 0 is no carrier.
func (c Carrier) rank() int {
	switch c {
	case Landing:
		return 4
	case Board:
		return 3
	case Host:
		return 2
	case Contract:
		return 1
	}
	return 0
}

// States outside the board.
const (
	Committed board.State = "contract" // committed, not minted
	Draft     board.State = "draft"    // uncommitted
	RanHere   board.State = "ran_here" // this host ran it; the record does not know it
	Broken    board.State = "broken"
	Removed   board.State = "removed" // its landing file is in history and no longer in the tree
)

// ErrUnsettled is what a Settled that Settle did not make answers.
var ErrUnsettled = errors.New("nothing was settled: the value was not made by truth.Settle")

// Settled is the answer for one task: the state, who said so, and who was
// overruled. Its zero value is rejected: Err says so, and it knows nothing.
type Settled struct {
	made bool
	task string
	said spoken
}

// spoken is what the carriers say of one task, the highest first; nil where one is silent.
type spoken [4]*Statement

// place is where a carrier's statement stands among them; -1 for no carrier.
func (c Carrier) place() int {
	if n := c.rank(); n > 0 {
		return 4 - n
	}
	return -1
}

// silence is what is said where nobody speaks.
var silence Statement

// by is who speaks: the highest that said anything.
func (s Settled) by() *Statement {
	for _, st := range s.said {
		if st != nil {
			return st
		}
	}
	return &silence
}

// Err is ErrUnsettled for a value that Settle did not make, else nil. Whoever
// takes a Settled asks it first.
func (s Settled) Err() error {
	if !s.made {
		return ErrUnsettled
	}
	return nil
}

// Known reports whether any carrier knows the task.
func (s Settled) Known() bool { return s.made && s.by().carrier != "" }

// Task is the task that was settled.
func (s Settled) Task() string { return s.task }

// State is where the task stands; "" when no carrier knows it.
func (s Settled) State() board.State { return s.by().state }

// Carrier is the one that spoke; "" when none knows the task.
func (s Settled) Carrier() Carrier { return s.by().carrier }

// Overruled is a carrier that said otherwise.
type Overruled struct {
	Carrier Carrier     `json:"carrier"`
	State   board.State `json:"state"`
}

// Overruled lists the carriers that said otherwise, highest first; never nil.
func (s Settled) Overruled() []Overruled {
	out := []Overruled{}
	by := s.by()
	for _, o := range s.said {
		if o == nil || o == by {
			continue
		}
		if state, otherwise := s.otherwise(o); otherwise {
			out = append(out, Overruled{Carrier: o.carrier, State: state})
		}
	}
	return out
}

// otherwise reports whether an outranked carrier disagrees, and with what. A
// state file disagrees by the state that it names, a contract file by holding
// other bytes than were minted: that a minted contract is committed too is no
// disagreement.
func (s Settled) otherwise(o *Statement) (board.State, bool) {
	switch {
	case o.state == Broken:
		return Broken, true
	case o.carrier == Host:
		said := board.State(o.host.State)
		return said, said != s.by().state
	case o.carrier == Contract:
		return o.state, s.Edited()
	}
	return o.state, o.state != s.by().state
}

// Landing is the landing file in the tree; nil when there is none.
func (s Settled) Landing() *LandingFile {
	st := s.from(Landing)
	if st == nil {
		return nil
	}
	return st.landing
}

// RevertedBy is the path of the landing that reverts this one; "" when none does.
func (s Settled) RevertedBy() string { return s.by().revertedBy }

// RemovedBy is the commit that took the landing file out of the tree, and the
// file's path; "" when none did.
func (s Settled) RemovedBy() (commit, path string) { return s.by().removedBy, s.by().removedPath }

// Board is the task as the record has it; nil when the record does not hold it.
func (s Settled) Board() *board.Task {
	st := s.from(Board)
	if st == nil {
		return nil
	}
	return st.board
}

// Host is the run in this host's state file; nil when there is none.
func (s Settled) Host() *carrier.State {
	st := s.from(Host)
	if st == nil {
		return nil
	}
	return st.host
}

// File is the contract's file, committed or else in the work tree; nil when
// there is none or it does not read.
func (s Settled) File() *File {
	st := s.from(Contract)
	if st == nil {
		return nil
	}
	return st.file
}

// Edited reports whether the contract's file asks for something else than was minted;
// false where nothing was minted, or no file reads.
func (s Settled) Edited() bool {
	t, f := s.Board(), s.File()
	return t != nil && t.Digest != "" && f != nil && f.Digest != t.Digest
}

// Fault is what is broken, where the state is broken; else nil.
func (s Settled) Fault() *Fault { return s.by().fault }

// from is what a carrier said, whether it was outranked or not; nil when it is silent.
func (s Settled) from(c Carrier) *Statement { return s.said[c.place()] }
