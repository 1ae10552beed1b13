package view

import (
	"fmt"
	"strings"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/truth"
)

// next is the one command that moves a task on; "" where a person has nothing to
// do for it.
func next(r *truth.Reading, s truth.Settled, row Row) string {
	switch row.State {
	case board.Escalated:
		return freed(s)
	case board.Ready:
		return "torve land " + row.ID
	case board.Queued, truth.Committed:
		return "torve dispatch"
	case board.Claimed, board.Running, board.Gated, board.Reviewed:
		return "torve why " + row.ID
	case board.Landed, board.Reverted:
		if row.Landing != nil {
			return "git show " + Short(row.Landing.Commit)
		}
	case board.Abandoned, truth.RanHere, truth.Removed:
		return "torve requeue " + row.ID
	case truth.Draft:
		return Ask(row.ID)
	case truth.Broken:
		return mend(s)
	}
	return ""
}

// Ask is the command that commits what was written for these tasks.
func Ask(ids ...string) string {
	what := strings.Join(ids, ", ")
	if len(ids) > 3 {
		what = Count(len(ids), "task")
	}
	return fmt.Sprintf("git add .torve && git commit -m %q", "Ask for "+what)
}

// mend opens a contract that does not read, or shows who changed a landing file.
func mend(s truth.Settled) string {
	f := s.Fault()
	switch {
	case f == nil:
		return "torve mint " + s.Task()
	case s.Carrier() == truth.Landing:
		return "git log -p -- " + board.Quoted(f.Path)
	}
	return "${EDITOR:-vi} " + board.Quoted(f.Path)
}

// freed is the first answer to an escalation, by its reason.
func freed(s truth.Settled) string {
	t := s.Board()
	if t == nil || t.Escalation == nil {
		return "torve why " + s.Task()
	}
	return board.First(t.ID, t.Escalation.Escalation)
}

// Step is one thing that a person may do next, and why.
type Step struct {
	Command string `json:"command"`
	Why     string `json:"why"`
}

// brings is the command that brings here what landed elsewhere.
func (o Options) brings() string {
	if o.Push != "" {
		return "git fetch " + o.Push
	}
	return "git pull"
}

// comes says of a task that landed from another clone where it is until somebody pushes it
// there; "" where every landing is pushed as it is made.
func (o Options) comes(t *board.Task) string {
	if o.Push != "" || t == nil {
		return ""
	}
	place := "another clone"
	if t.Landing != nil {
		if _, n, _, ok := carrier.ParseLandingPath(t.Landing.Path); ok && t.Attempt(n) != nil {
			place = t.Attempt(n).Place()
		}
	}
	return "it landed in " + place + ": pull once it is pushed there"
}

// steps are the answers that a task's state leaves to a person, the likeliest first.
func steps(s truth.Settled, state board.State, work *Work) []Step {
	id := s.Task()
	switch state {
	case board.Escalated:
		return escalated(s, work != nil)
	case board.Ready:
		return []Step{{"torve land " + id, "it is accepted and has not landed"}, {"torve abandon " + id, "not wanted any more"}}
	case board.Abandoned:
		return []Step{{"torve requeue " + id, "wanted after all"}}
	case truth.RanHere:
		return []Step{{"torve requeue " + id, "put it on the board"}}
	case truth.Removed:
		return []Step{{"torve requeue " + id, "put it back"}, {"git rm -r .torve/tasks/" + id, "it is not wanted any more"}}
	case board.Queued, truth.Committed:
		return []Step{{"torve dispatch " + id, ""}}
	case board.Waiting, board.Claimed, board.Running, board.Gated, board.Reviewed, board.InReview:
		return []Step{{"torve status", ""}}
	case truth.Draft:
		return []Step{{Ask(id), ""}}
	case truth.Broken:
		return []Step{{mend(s), ""}}
	case board.Landed, board.Reverted:
		if work != nil && work.Command != "" {
			return []Step{{work.Command, ""}}
		}
	}
	return []Step{}
}

// escalated are the answers to an escalation; kept says that an attempt left work.
func escalated(s truth.Settled, kept bool) []Step {
	t := s.Board()
	if t == nil || t.Escalation == nil {
		return []Step{{"torve requeue " + s.Task(), "try again"}}
	}
	id, e := t.ID, t.Escalation
	again := Step{"torve requeue " + id, "go on from the kept work"}
	fresh := Step{"torve requeue " + id + " --fresh", "start over"}
	drop := Step{"torve abandon " + id, "not wanted any more"}
	switch e.Reason {
	case "scope":
		out := []Step{}
		if len(e.Paths) > 0 {
			out = append(out, Step{board.Widen(id, e.Paths), "let " + them(e.Paths) + " in; asks the kept work again"})
		}
		fresh.Why = "the scope is right: start over"
		return append(out, fresh, drop)
	case "agent_unavailable":
		return []Step{{"torve agents", "what is here, and how it is run"}, {"torve requeue " + id, "the agent is here now"}, drop}
	case "base_red":
		return []Step{{"torve requeue " + id, "the base is mended"}, drop}
	case "locked_conflict", "underspecified":
		return []Step{{"torve requeue " + id, "the contract is edited and committed"}, drop}
	case "push_refused", "infrastructure":
		again.Why = "ask the kept work again, with no agent"
		return []Step{again, drop}
	case "refused", "isolation_broken":
		if e.Check == "reach" {
			break
		}
		return []Step{fresh, drop}
	}
	if !kept {
		return []Step{{"torve requeue " + id, "try again"}, drop}
	}
	return []Step{again, fresh, drop}
}

func them(paths []string) string {
	if len(paths) == 1 {
		return "it"
	}
	return "them"
}
