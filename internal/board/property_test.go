package board

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"torve/internal/contract"
	"torve/internal/record"
)

// anything draws a log in which every fact may come at any time.
func anything(t *rapid.T) *story {
	s := &story{t: t}
	tasks := rapid.SampledFrom([]string{"T-0001", "T-0002", "T-0003"})
	claims := rapid.SampledFrom([]string{"c1", "c2", "c3"})
	depends := func(c *contract.Contract) {
		c.DependsOn = rapid.SliceOfN(tasks, 0, 2).Draw(t, "depends")
		c.Scope.Allow = []string{rapid.SampledFrom([]string{"a/**", "b/**", "**"}).Draw(t, "scope")}
	}
	for range rapid.IntRange(0, 40).Draw(t, "events") {
		id, n, claim := tasks.Draw(t, "task"), rapid.IntRange(0, 4).Draw(t, "attempt"), claims.Draw(t, "claim")
		switch kind := rapid.SampledFrom(record.Kinds()).Draw(t, "kind"); kind {
		case record.KindSource:
			s.add("", 0, "", record.Source{Root: "r"})
		case record.KindDecision:
			s.add("", 0, "", record.Decision{ID: "S-0001/D-1"})
		case record.KindMinted:
			s.mint(id, depends)
		case record.KindReminted:
			s.remint(id, depends)
		case record.KindWithdrawn:
			s.add(id, 0, "", record.Withdrawn{})
		case record.KindClaimed:
			s.claim(id, claim)
		case record.KindReleased:
			s.add(id, 0, claim, record.Released{NotBefore: start.Add(time.Hour)})
		case record.KindStarted:
			s.started(id, n)
		case record.KindFinished:
			s.finished(id, n, rapid.SampledFrom(record.Ends).Draw(t, "end"))
		case record.KindJudged:
			s.judged(id, n, rapid.SampledFrom(record.Moments).Draw(t, "moment"), rapid.SampledFrom(record.Verdicts).Draw(t, "verdict"))
		case record.KindDivergence:
			s.add(id, n, "", record.Divergence{Action: "upheld"})
		case record.KindReview:
			s.add(id, n, "", record.Review{})
		case record.KindBlocker:
			s.add(id, n, "", record.Blocker{})
		case record.KindProposed:
			s.add(id, n, "", record.Proposed{})
		case record.KindLanded:
			s.landed(id, rapid.SliceOfN(tasks, 0, 1).Draw(t, "reverts")...)
		case record.KindEscalation:
			s.escalated(id, "scope")
		case record.KindResolved:
			s.answered(id, rapid.SampledFrom(record.Answers).Draw(t, "answer"), rapid.SampledFrom(record.RequeueModes).Draw(t, "mode"))
		case record.KindMessage:
			s.add(id, 0, "", record.Message{})
		case record.KindSpend:
			s.add(id, 0, "", record.Spend{})
		default:
			t.Fatalf("no draw of %s", kind)
		}
	}
	return s
}

func TestReplayingFromZeroEqualsApplyingOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anything(t)
		var grown Board
		for i, e := range s.events {
			if err := grown.Apply(e); err != nil {
				t.Fatal(err)
			}
			replayed := (&story{t: t, events: s.events[:i+1]}).board()
			if !reflect.DeepEqual(*replayed, grown) {
				t.Fatalf("after event %d the boards differ", i+1)
			}
		}
	})
}

func TestNoOrderOfFactsBreaksTheBoard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := anything(t).board()
		for id, task := range b.Tasks {
			switch task.State {
			case Claimed, Running, Gated, Reviewed:
				if task.Claim == nil {
					t.Fatalf("%s is %s and nobody holds it", id, task.State)
				}
			case Queued:
				if task.Digest == "" {
					t.Fatalf("%s is queued and has no contract", id)
				}
			case Ready:
				if task.Accepted == nil {
					t.Fatalf("%s is ready and nothing is accepted", id)
				}
			case Escalated:
				if task.Escalation == nil {
					t.Fatalf("%s is escalated and nothing says why", id)
				}
			case Landed, Reverted:
				if task.Accepted != nil || task.Escalation != nil {
					t.Fatalf("%s is %s and keeps what only unlanded work has", id, task.State)
				}
			case InReview, Abandoned, Withdrawn:
			default:
				t.Fatalf("%s is %q, which the fold does not say", id, task.State)
			}
			for i, a := range task.Attempts {
				if i > 0 && a.N <= task.Attempts[i-1].N {
					t.Fatalf("%s: attempt %d comes after %d", id, a.N, task.Attempts[i-1].N)
				}
				if a.N >= task.NextAttempt() {
					t.Fatalf("%s: attempt %d, and the next is %d", id, a.N, task.NextAttempt())
				}
			}
			if task.Last < 1 && task.State != Reverted || task.Last > b.Seq {
				t.Fatalf("%s: its last event is %d of %d", id, task.Last, b.Seq)
			}
		}
	})
}

func TestClaimsAreExclusive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b Board
		open := map[string]string{}
		for _, e := range anything(t).events {
			if err := b.Apply(e); err != nil {
				t.Fatal(err)
			}
			switch {
			case e.Kind == record.KindClaimed && open[e.Task] == "":
				open[e.Task] = e.Claim
			case e.Kind == record.KindReleased && open[e.Task] == e.Claim:
				delete(open, e.Task)
			}
			for id, task := range b.Tasks {
				held := ""
				if task.Claim != nil {
					held = task.Claim.ID
				}
				if held != open[id] {
					t.Fatalf("%s is held by %q, want %q", id, held, open[id])
				}
			}
		}
	})
}

func TestAViewSaysOneThingOfEveryTaskAndChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anything(t)
		b := s.board()
		landed := func(id string) bool { return b.Tasks[id] != nil && b.Tasks[id].State == Landed }
		rows := View(b, landed, nil, start)
		if !reflect.DeepEqual(b, s.board()) {
			t.Fatal("the view has changed the board")
		}
		if len(rows) != len(b.Tasks) {
			t.Fatalf("%d rows of %d tasks", len(rows), len(b.Tasks))
		}
		open := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.State.Over() })
		if got := Open(b, landed, nil, start); len(got) != len(open) || len(got) > 0 && !reflect.DeepEqual(got, open) {
			t.Fatalf("of what is open it says\n%+v\nand of all\n%+v", got, open)
		}
		places := map[int]bool{}
		for _, r := range rows {
			if (r.State == Waiting) != (len(r.Waits) > 0) {
				t.Fatalf("%s is %s and waits for %v", r.ID, r.State, r.Waits)
			}
			if (r.State == Queued) != (r.Order > 0) || places[r.Order] && r.Order > 0 {
				t.Fatalf("%s is %s and in place %d", r.ID, r.State, r.Order)
			}
			places[r.Order] = true
			if r.State == Queued && r.Claim != nil {
				t.Fatalf("%s may start and is held", r.ID)
			}
		}
	})
}
