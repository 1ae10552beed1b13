package answer

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/record"
	"torve/internal/truth"
)

func TestARequeueGoesOnByWhatTheTaskWasEscalatedFor(t *testing.T) {
	g := newGround(t)
	g.mint()
	for i, c := range []struct{ reason, check, want string }{
		{"push_refused", "", Ask},
		{"infrastructure", "", Ask},
		{"refused", "reach", Continue},
		{"killed", "", Continue},
		{"exhausted", "", Continue},
		{"locked_conflict", "", Continue},
		{"underspecified", "", Continue},
		{"blocker_finding", "", Continue},
		{"merge_conflict", "", Continue},
		{"review_closed", "", Continue},
		{"agent_unavailable", "", Continue},
		{"base_red", "", Continue},
		{"refused", "shape", Fresh},
		{"refused", "verb", Fresh},
		{"refused", "grounding", Fresh},
		{"refused", "law", Fresh},
		{"refused", "freshness", Ask},
		{"scope", "law", Fresh},
		{"isolation_broken", "", Fresh},
		{"pack_over_window", "", Fresh},
	} {
		g.claim()
		g.attempt(i+1, "done", refused("reach"))
		g.escalate(c.reason, c.check)
		mode, err := g.s.Requeue(g.ctx, id, "", "try it")
		if err != nil || mode != c.want {
			t.Errorf("after %s %s it goes on %q, %v; %s is wanted", c.reason, c.check, mode, err, c.want)
		}
		got := g.at(board.Queued)
		if got.Answer == nil || got.Answer.Mode != c.want || got.Answer.Note != "try it" || got.Answer.By != "Ada Example" {
			t.Errorf("the board has the answer %+v", got.Answer)
		}
		if got.Counted != 0 || got.Escalation != nil {
			t.Errorf("the budget did not begin again: %d counted, %+v", got.Counted, got.Escalation)
		}
	}
}

func TestEveryReasonHasAWayToGoOn(t *testing.T) {
	for _, reason := range record.Reasons {
		if mode := byReason[reason]; !slices.Contains(record.RequeueModes, mode) && reason != "scope" && reason != "refused" {
			t.Errorf("%s goes on %q", reason, mode)
		}
	}
	for _, check := range record.Checks {
		if !slices.Contains(record.RequeueModes, byCheck[check]) {
			t.Errorf("a no of %s goes on %q", check, byCheck[check])
		}
	}
}

func TestWithoutAKeptTreeARequeueStartsOver(t *testing.T) {
	g := newGround(t)
	g.mint()
	g.claim()
	g.escalate("base_red", "")
	if _, err := g.s.Requeue(g.ctx, id, Continue, ""); err == nil {
		t.Error("it goes on from nothing")
	} else {
		g.refuses(err, board.Escalated, truth.Board, "torve requeue T-0001 --fresh")
	}
	if mode, err := g.s.Requeue(g.ctx, id, "", ""); err != nil || mode != Fresh {
		t.Errorf("%q, %v", mode, err)
	}
}

func TestAKeptTreeThatIsGoneFromThisRepositoryIsNotGoneOnFrom(t *testing.T) {
	g := newGround(t)
	g.mint()
	g.claim()
	g.attempt(1, "stopped")
	g.escalate("killed", "")
	g.user.Git("update-ref", "-d", "refs/torve/attempts/T-0001/1")
	g.user.Git("reflog", "expire", "--expire=now", "--all")
	g.user.Git("prune", "--expire=now")
	if mode, err := g.s.Requeue(g.ctx, id, "", ""); err != nil || mode != Fresh {
		t.Errorf("%q, %v", mode, err)
	}
}

func TestTheModeThatAPersonNamesIsTaken(t *testing.T) {
	for _, mode := range record.RequeueModes {
		g := newGround(t)
		g.mint()
		g.claim()
		g.attempt(1, "done", refused("reach"))
		g.escalate("refused", "reach")
		if got, err := g.s.Requeue(g.ctx, id, mode, ""); err != nil || got != mode {
			t.Errorf("asked for %s: %q, %v", mode, got, err)
		}
	}
	g := newGround(t)
	if _, err := g.s.Requeue(g.ctx, id, "again", ""); err == nil {
		t.Error("a mode that is none was taken")
	}
}

func TestARequeueAfterTheContractWasWidenedByHandAsksTheKeptTree(t *testing.T) {
	g := newGround(t)
	g.mint()
	g.claim()
	g.attempt(1, "done", refused("law"))
	g.escalate("scope", "law")
	g.user.Write(contract.PathOf(id), contractFile+"priority: 2\n")
	g.user.Commit("Edit T-0001")
	g.must(g.remint(g.ctx, id))
	if mode, err := g.s.Requeue(g.ctx, id, "", ""); err != nil || mode != Ask {
		t.Errorf("%q, %v", mode, err)
	}
}

func TestRequeueRevivesWhatWasAbandoned(t *testing.T) {
	for want, judged := range map[string][]record.Judged{
		Ask: {accepted()}, Continue: {refused("reach")}, Fresh: {refused("law")},
	} {
		g := newGround(t)
		g.mint()
		g.claim()
		g.attempt(1, "done", judged...)
		g.escalate("refused", "law")
		g.must(g.s.Abandon(g.ctx, id, "no more"))
		g.at(board.Abandoned)
		if mode, err := g.s.Requeue(g.ctx, id, "", ""); err != nil || mode != want {
			t.Errorf("%q, %v; %s is wanted", mode, err, want)
		}
		g.at(board.Queued)
	}
}

func TestWhatRanHereIsMintedAndQueuedByOneAppend(t *testing.T) {
	g := newGround(t)
	g.must(carrier.WriteState(g.s.States, carrier.State{Schema: carrier.StateSchema, Task: id, Run: "r", State: "ready", Attempt: 3, History: []carrier.Move{}}))
	_, err := g.s.Requeue(g.ctx, id, Continue, "")
	g.refuses(err, truth.RanHere, truth.Host, "torve requeue T-0001")
	mode, err := g.s.Requeue(g.ctx, id, "", "it never landed")
	if err != nil || mode != Fresh {
		t.Fatalf("%q, %v", mode, err)
	}
	if got := g.at(board.Queued); got.Digest == "" || got.Answer == nil {
		t.Errorf("the board has %+v", got)
	}
	var kinds []record.Kind
	for e, err := range g.log.Read(g.ctx, part, 1) {
		g.must(err)
		kinds = append(kinds, e.Kind)
		if e.Actor.Kind != record.ByPerson {
			t.Errorf("%s is from %s", e.Kind, e.Actor.Kind)
		}
	}
	if !slices.Equal(kinds, []record.Kind{record.KindMinted, record.KindResolved}) {
		t.Errorf("the record holds %v", kinds)
	}
	r, err := g.gather(g.ctx)
	g.must(err)
	if s := r.Settled(id); s.Carrier() != truth.Board || s.State() != board.Queued {
		t.Errorf("a file on this machine overrules the board: %s by %s", s.State(), s.Carrier())
	}
}

func TestWhatRanHereWithoutAContractThatComesIntoForceStaysOffTheBoard(t *testing.T) {
	g := newGround(t)
	g.user.Write(contract.PathOf(id), contractFile+"depends_on: [T-0009]\n")
	g.user.Commit("Lean on nothing")
	g.must(carrier.WriteState(g.s.States, carrier.State{Schema: carrier.StateSchema, Task: id, Run: "r", State: "ready", Attempt: 1, History: []carrier.Move{}}))
	_, err := g.s.Requeue(g.ctx, id, "", "")
	g.refuses(err, truth.RanHere, truth.Host, "torve mint T-0001")
	if g.task(id) != nil {
		t.Error("it is on the board")
	}
}

func TestALandingThatWasTakenOutIsPutBackByRequeue(t *testing.T) {
	for name, known := range map[string]bool{"with the record that landed it": true, "with a record that was lost": false} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			if known {
				g.mint()
			}
			g.landing()
			if known {
				g.append(record.ByLanding, 1, "", record.Landed{
					Path: carrier.LandingPath(id, "", 1, noon), Target: "main", Commit: g.user.Git("rev-parse", "HEAD"), Contract: g.task(id).Digest,
				})
			}
			_, err := g.s.Requeue(g.ctx, id, "", "")
			g.refuses(err, board.Landed, truth.Landing, `torve new "what is still wanted"`)
			g.user.Git("revert", "--no-edit", "HEAD")
			if mode, err := g.s.Requeue(g.ctx, id, "", ""); err != nil || mode != Fresh {
				t.Fatalf("%q, %v", mode, err)
			}
			g.at(board.Queued)
			r, err := g.gather(g.ctx)
			g.must(err)
			if s := r.Settled(id); s.Carrier() != truth.Board || s.State() != board.Queued {
				t.Errorf("it is %s by the %s", s.State(), s.Carrier())
			}
		})
	}
}

func TestAStateThatDoesNotAllowARequeueIsNamedWithItsCarrier(t *testing.T) {
	for name, c := range map[string]struct {
		make    func(*ground)
		state   board.State
		carrier truth.Carrier
		hint    string
	}{
		"not minted": {func(*ground) {}, truth.Committed, truth.Contract, "torve mint T-0001"},
		"queued":     {func(g *ground) { g.mint() }, board.Queued, truth.Board, "torve dispatch T-0001"},
		"claimed":    {func(g *ground) { g.mint(); g.claim() }, board.Claimed, truth.Board, "torve status T-0001"},
		"gated": {func(g *ground) { g.mint(); g.claim(); g.attempt(1, "done") },
			board.Gated, truth.Board, "torve status T-0001"},
		"accepted": {func(g *ground) {
			g.mint()
			g.claim()
			g.attempt(1, "done", accepted())
			g.append(record.ByDispatch, 0, "C-1", record.Released{Why: "ready"})
		}, board.Ready, truth.Board, "torve land T-0001"},
		"landed": {func(g *ground) { g.landing() }, board.Landed, truth.Landing, `torve new "what is still wanted"`},
		"withdrawn": {func(g *ground) {
			g.mint()
			g.append(record.ByMint, 0, "", record.Withdrawn{Commit: g.user.Git("rev-parse", "HEAD"), Why: "gone"})
		}, board.Withdrawn, truth.Board, "torve mint T-0001"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			c.make(g)
			_, err := g.s.Requeue(g.ctx, id, "", "")
			g.refuses(err, c.state, c.carrier, c.hint)
		})
	}
	g := newGround(t)
	_, err := g.s.Requeue(g.ctx, "T-0404", "", "")
	var no *NotAllowed
	if !errors.As(err, &no) || no.Carrier != "" {
		t.Errorf("a task that nobody knows: %v", err)
	}
}

func TestAPersonMaySayHowWhatWaitsShallGoOn(t *testing.T) {
	g := newGround(t)
	g.mint()
	g.claim()
	g.attempt(1, "done", accepted())
	g.append(record.ByDispatch, 0, "C-1", record.Released{Why: "ready"})
	if mode, err := g.s.Requeue(g.ctx, id, Fresh, ""); err != nil || mode != Fresh {
		t.Fatalf("%q, %v", mode, err)
	}
	if got := g.at(board.Queued); got.Accepted != nil {
		t.Error("the work that is not wanted may still land")
	}
}

func TestTwoAnswersAtOnceAreOne(t *testing.T) {
	g := newGround(t)
	g.mint()
	g.claim()
	g.attempt(1, "stopped")
	g.escalate("killed", "")
	var all sync.WaitGroup
	said := make([]error, 4)
	for i := range said {
		all.Go(func() { _, said[i] = g.s.Requeue(g.ctx, id, "", "") })
	}
	all.Wait()
	won := 0
	for _, err := range said {
		if err == nil {
			won++
			continue
		}
		g.refuses(err, board.Queued, truth.Board, "torve dispatch T-0001")
	}
	if won != 1 {
		t.Errorf("%d answers were taken", won)
	}
}
