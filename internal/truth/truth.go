// Package truth decides which carrier speaks for a task: landing > board > host
// > contract, here and nowhere else. Settle is the only maker of a Settled;
// stations and views take only that type, so going round it does not compile.
package truth

import (
	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/contract"
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

// States outside the board.
const (
	Committed board.State = "contract" // committed, not minted
	Draft     board.State = "draft"    // uncommitted
	RanHere   board.State = "ran_here" // this host ran it; the record does not know it
	Broken    board.State = "broken"
	Removed   board.State = "removed" // its landing file is in history and no longer in the tree
)

// Statement is what one carrier says of one task. Only the From functions make one.
type Statement struct {
	task    string
	carrier Carrier
	state   board.State
	landing *carrier.Landing
	path    string
	board   *board.Task
	host    *carrier.State
	file    *contract.Contract
	because string
}

// Settled is the answer: the state, who said so, and who was overruled. Its
// zero value is rejected by everything that takes one.
type Settled struct {
	made bool
	by   Statement
	rest []Statement // overruled, highest first
}

// Overruled is a carrier that said otherwise.
type Overruled struct {
	Carrier Carrier     `json:"carrier"`
	State   board.State `json:"state"`
}
