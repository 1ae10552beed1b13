package answer

import (
	"os"
	"testing"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/record"
	"torve/internal/truth"
)

func TestAbandonEndsATaskAndKeepsItsWork(t *testing.T) {
	g := newGround(t)
	g.mint()
	g.claim()
	g.attempt(1, "done", refused("law"))
	g.escalate("refused", "law")
	g.must(carrier.WriteState(g.s.States, carrier.State{Schema: carrier.StateSchema, Task: id, Run: "r", State: "escalated", Attempt: 1, History: []carrier.Move{}}))
	g.must(g.s.Abandon(g.ctx, id, "not wanted"))
	if got := g.at(board.Abandoned); got.Answer == nil || got.Answer.Note != "not wanted" || got.Escalation != nil {
		t.Errorf("the board has %+v", got)
	}
	g.user.Git("rev-parse", "refs/torve/attempts/T-0001/1^{commit}")
	if _, err := os.Stat(carrier.StateFile(g.s.States, id)); !os.IsNotExist(err) {
		t.Errorf("this host's state file is still there: %v", err)
	}
	g.refuses(g.s.Abandon(g.ctx, id, ""), board.Abandoned, truth.Board, "torve status")
}

func TestWhatIsQueuedOrAcceptedMayBeAbandoned(t *testing.T) {
	g := newGround(t)
	g.mint()
	g.must(g.s.Abandon(g.ctx, id, ""))
	g.at(board.Abandoned)

	g = newGround(t)
	g.mint()
	g.claim()
	g.attempt(1, "done", accepted())
	g.append(record.ByDispatch, 0, "C-1", record.Released{Why: "ready"})
	g.must(g.s.Abandon(g.ctx, id, ""))
	g.at(board.Abandoned)
}

func TestAStateThatDoesNotAllowAnAbandonIsNamedWithItsCarrier(t *testing.T) {
	g := newGround(t)
	g.refuses(g.s.Abandon(g.ctx, id, ""), truth.Committed, truth.Contract, "git rm -r .torve/tasks/T-0001")
	g.mint()
	g.claim()
	g.refuses(g.s.Abandon(g.ctx, id, ""), board.Claimed, truth.Board, "torve status T-0001")
	g.landing()
	g.refuses(g.s.Abandon(g.ctx, id, ""), board.Landed, truth.Landing, `torve new "what is still wanted"`)
}
