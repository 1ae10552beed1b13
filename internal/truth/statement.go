package truth

import (
	"fmt"

	"torve/internal/board"
	"torve/internal/carrier"
)

// Statement is what one carrier says of one task. Only the From functions make one.
type Statement struct {
	task    string
	carrier Carrier
	state   board.State
	because string

	landing                *LandingFile
	revertedBy             string // path of the landing that does
	removedBy, removedPath string
	board                  *board.Task
	host                   *carrier.State
	file                   *File
	fault                  *Fault
}

// FromLanding says landed, from a landing file in the tree of target. Its name,
// task and place agree, or it is an error.
func FromLanding(target, path string, l carrier.Landing) (Statement, error) {
	if err := l.Agrees(path); err != nil {
		return Statement{}, err
	}
	return fromListed(target, LandingFile{Path: path, Task: l.Task, Attempt: l.Attempt, At: l.At, reverts: l.Reverts, load: loaded(l)}), nil
}

// fromListed is FromLanding for a file whose head was read, or whose path the
// record holds: both name the task.
func fromListed(target string, f LandingFile) Statement {
	return Statement{task: f.Task, carrier: Landing, state: board.Landed, landing: &f,
		because: fmt.Sprintf("a landing file is in %s's tree: %s", target, f.Path)}
}

// Reverted is a landing that the landing at path reverts: it ranks as it did,
// and satisfies nothing.
func (s Statement) Reverted(path string) Statement {
	if s.carrier != Landing || s.state != board.Landed {
		return s
	}
	s.state, s.revertedBy = board.Reverted, path
	s.because = fmt.Sprintf("%s, and %s reverts it", s.because, path)
	return s
}

// FromRemoved says that a landing file is in history and no longer in the tree:
// commit took it out, or none did and the line it stood on is gone ("").
func FromRemoved(task, target, path, commit string) Statement {
	s := Statement{task: task, carrier: Landing, state: Removed, removedBy: commit, removedPath: path}
	s.because = fmt.Sprintf("its landing was removed by %s: %s", short(commit), path)
	if commit == "" {
		s.because = fmt.Sprintf("the record has it landed, and no commit of %s holds its landing file: %s", target, path)
	}
	return s
}

// Ended is a landing that was removed and whose contract is gone from the target too:
// that ends the task, and nobody is asked.
func (s Statement) Ended() Statement {
	if s.carrier != Landing || s.state != Removed {
		return s
	}
	s.state = board.Withdrawn
	s.because += ", and its contract is gone too"
	return s
}

// FromBoard says what the record has on the board.
func FromBoard(t *board.Task) Statement {
	return Statement{task: t.ID, carrier: Board, state: t.State, board: t, because: "the record has it on the board"}
}

// FromHost says that this host ran the task.
func FromHost(s carrier.State) Statement {
	return Statement{task: s.Task, carrier: Host, state: RanHere, host: &s,
		because: "it ran here, says this host's state file, and no record knows it"}
}

// FromContract says that the contract is committed on target.
func FromContract(target string, f File) Statement {
	return Statement{task: f.Contract.ID, carrier: Contract, state: Committed, file: &f,
		because: fmt.Sprintf("its contract is committed on %s, and nothing says that it was ever minted", target)}
}

// FromDraft says that the contract is in the work tree and not on target.
func FromDraft(target string, f File) Statement {
	return Statement{task: f.Contract.ID, carrier: Contract, state: Draft, file: &f,
		because: fmt.Sprintf("its contract is in the work tree, and is not on %s", target)}
}

// FromBroken says that the carrier's file for the task does not read. It ranks as
// the carrier does, so that nothing starts beside a landing that cannot be read.
func FromBroken(c Carrier, f Fault) Statement {
	return Statement{task: f.Task, carrier: c, state: Broken, fault: &f, because: f.Err.Error()}
}

// short is a commit as people see it.
func short(id string) string { return id[:min(len(id), 7)] }
