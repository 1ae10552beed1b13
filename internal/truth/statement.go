package truth

import (
	"fmt"

	"torve/internal/board"
	"torve/internal/carrier"
)

// Statement is what one carrier says of one task. Only Gather makes one, of what it
// has read: outside of this package there is none but the zero value, which is refused.
type Statement struct {
	task    string
	carrier Carrier
	state   board.State
	because string // "" for a landing and a contract: see words
	target  string

	landing                *LandingFile
	revertedBy             string // path of the landing that does
	removedBy, removedPath string
	board                  *board.Task
	host                   *carrier.State
	file                   *File
	fault                  *Fault
}

// fromLanding says landed, from a landing file in the tree of target whose name, task
// and place agree.
func fromLanding(target string, f *LandingFile) Statement {
	return Statement{task: f.Task, carrier: Landing, state: board.Landed, landing: f, target: target}
}

// words say why the carrier says so. Of a landing and a contract they are made when they
// are asked for: there may be ten thousand.
func (s Statement) words() string {
	switch {
	case s.because != "":
		return s.because
	case s.landing != nil && s.revertedBy != "":
		return fmt.Sprintf("a landing file is in %s's tree: %s, and %s reverts it", s.target, s.landing.Path, s.revertedBy)
	case s.landing != nil:
		return fmt.Sprintf("a landing file is in %s's tree: %s", s.target, s.landing.Path)
	case s.carrier == Contract && s.state == Committed:
		return fmt.Sprintf("its contract is committed on %s, and nothing says that it was ever minted", s.target)
	}
	return ""
}

// reverted is a landing that the landing at path reverts: it ranks as it did,
// and satisfies nothing.
func (s Statement) reverted(path string) Statement {
	if s.carrier != Landing || s.state != board.Landed {
		return s
	}
	s.state, s.revertedBy = board.Reverted, path
	return s
}

// fromRemoved says that a landing file is in history and no longer in the tree:
// commit took it out, or none did and the line it stood on is gone ("").
func fromRemoved(task, target, path, commit string) Statement {
	s := Statement{task: task, carrier: Landing, state: Removed, removedBy: commit, removedPath: path}
	s.because = fmt.Sprintf("its landing was removed by %s: %s", short(commit), path)
	if commit == "" {
		s.because = fmt.Sprintf("the record has it landed, and no commit of %s holds its landing file: %s", target, path)
	}
	return s
}

// ended is a landing that was removed and whose contract is gone from the target too:
// that ends the task, and nobody is asked.
func (s Statement) ended() Statement {
	if s.carrier != Landing || s.state != Removed {
		return s
	}
	s.state = board.Withdrawn
	s.because += ", and its contract is gone too"
	return s
}

// fromBoard says what the record has on the board.
func fromBoard(t *board.Task) Statement {
	return Statement{task: t.ID, carrier: Board, state: t.State, board: t, because: "the record has it on the board"}
}

// fromHost says that this host ran the task.
func fromHost(s carrier.State) Statement {
	return Statement{task: s.Task, carrier: Host, state: RanHere, host: &s,
		because: "it ran here, says this host's state file, and no record knows it"}
}

// fromContract says that the contract is committed on target.
func fromContract(target string, f File) Statement {
	return Statement{task: f.Contract.ID, carrier: Contract, state: Committed, file: &f, target: target}
}

// fromDraft says that the contract is in the work tree and not on target.
func fromDraft(target string, f File) Statement {
	return Statement{task: f.Contract.ID, carrier: Contract, state: Draft, file: &f,
		because: fmt.Sprintf("its contract is in the work tree, and is not on %s", target)}
}

// fromBroken says that the carrier's file for the task does not read. It ranks as
// the carrier does, so that nothing starts beside a landing that cannot be read.
func fromBroken(c Carrier, f Fault) Statement {
	return Statement{task: f.Task, carrier: c, state: Broken, fault: &f, because: f.Err.Error()}
}

// short is a commit as people see it.
func short(id string) string { return id[:min(len(id), 7)] }
