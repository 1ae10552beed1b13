package answer

import (
	"errors"
	"testing"
	"time"

	"torve/internal/board"
	"torve/internal/record"
	"torve/internal/truth"
)

// holder answers a stop as the dispatch that holds the claim does.
func (g *ground) holder(does func(m record.Message)) {
	from, ctx := g.task(id).Last+1, g.Context()
	go func() {
		for e, err := range g.log.Watch(ctx, part, from) {
			if err != nil {
				g.Error(err)
				return
			}
			p, err := record.Decode(e)
			if m, is := p.(record.Message); err == nil && is {
				does(m)
				return
			}
		}
	}()
}

func lives(is bool) func(*board.Claim) (bool, error) {
	return func(*board.Claim) (bool, error) { return is, nil }
}

func TestStopTellsTheHolderAndWaitsForItsEnd(t *testing.T) {
	g := newGround(t)
	g.mint()
	g.claim()
	base := g.user.Git("rev-parse", "main")
	g.append(record.ByAttempt, 1, "C-1", record.Started{
		Mode: "first", Agent: record.Agent{Adapter: "command"}, Base: base, Worktree: "/w", Walls: "none", Contract: g.task(id).Digest, Prompt: digest,
	})
	g.s.Lives = lives(true)
	g.holder(func(m record.Message) {
		if m.To != "C-1" || m.Text != record.Stop {
			g.Errorf("%+v", m)
		}
		g.append(record.ByDispatch, 1, "C-1", record.Escalation{Reason: "killed", Detail: "stopped by a person"})
		g.append(record.ByDispatch, 0, "C-1", record.Released{Why: "escalated"})
	})
	asked := board.State("")
	got, err := g.s.Stop(g.ctx, id, time.Minute, func(t board.Task) { asked = t.State })
	if err != nil || got.State != board.Escalated || got.Attempt != 1 || asked != board.Running {
		t.Errorf("%+v, %v, asked while %s", got, err, asked)
	}
}

func TestStopSaysWhatATaskCameToJustThen(t *testing.T) {
	g := newGround(t)
	g.mint()
	g.claim()
	g.s.Lives = lives(true)
	g.holder(func(record.Message) { g.append(record.ByDispatch, 0, "C-1", record.Released{Why: "waiting"}) })
	got, err := g.s.Stop(g.ctx, id, time.Minute, func(board.Task) {})
	if err != nil || got.State != board.Queued || got.Kept != "" {
		t.Errorf("%+v, %v", got, err)
	}
	for reason, counts := range map[string]bool{"killed": true, "refused": true} { // while the gate is asked
		g := newGround(t)
		g.mint()
		g.claim()
		g.attempt(1, "done")
		g.s.Lives = lives(true)
		g.holder(func(record.Message) {
			g.append(record.ByDispatch, 1, "C-1", record.Escalation{Reason: reason, Check: map[string]string{"refused": "law"}[reason], Detail: "so it ended"})
			g.append(record.ByDispatch, 0, "C-1", record.Released{Why: "escalated"})
		})
		got, err := g.s.Stop(g.ctx, id, time.Minute, func(board.Task) {})
		if err != nil || got.State != board.Escalated || got.Why != reason || got.Counts != counts {
			t.Errorf("%s: %+v, %v", reason, got, err)
		}
	}
}

func TestStopIsRefusedWhereNothingRuns(t *testing.T) {
	g := newGround(t)
	stop := func() error {
		_, err := g.s.Stop(g.ctx, id, time.Second, func(board.Task) { t.Error("a stop was asked for") })
		return err
	}
	g.s.Lives = lives(true)
	g.refuses(stop(), truth.Committed, truth.Contract, "torve mint T-0001")
	g.mint()
	g.refuses(stop(), board.Queued, truth.Board, "torve status T-0001")
	g.claim()
	g.attempt(1, "done", accepted())
	g.refuses(stop(), board.Ready, truth.Board, "torve status T-0001")

	g = newGround(t)
	g.mint()
	g.claim()
	g.s.Lives = lives(false)
	g.refuses(stop(), board.Claimed, truth.Board, "torve dispatch")
}

func TestStopDoesNotWaitForEverNorForOneThatDied(t *testing.T) {
	g := newGround(t)
	g.mint()
	g.claim()
	g.s.Lives = lives(true)
	if _, err := g.s.Stop(g.ctx, id, 50*time.Millisecond, func(board.Task) {}); !errors.Is(err, ErrGoesOn) {
		t.Errorf("%v", err)
	}
	_, err := g.s.Stop(g.ctx, id, time.Minute, func(board.Task) { g.s.Lives = lives(false) })
	g.refuses(err, board.Claimed, truth.Board, "torve dispatch")
}
