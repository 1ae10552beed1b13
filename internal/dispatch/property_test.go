package dispatch

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/record"
)

// turns draws how attempts, further questions and landings go. Few reasons, so that
// the same one comes twice running.
func turns() *rapid.Generator[turn] {
	return rapid.Custom(func(t *rapid.T) turn {
		out := turn{end: rapid.SampledFrom(append([]string{"done", "done", "done", "done"}, record.Ends...)).Draw(t, "end")}
		out.unkept = out.end != "done" && out.end != "halted" && rapid.Bool().Draw(t, "unkept")
		if out.end == "done" && rapid.IntRange(0, 3).Draw(t, "refused") > 0 {
			out.check = rapid.SampledFrom(record.Checks).Draw(t, "check")
			out.reason = rapid.SampledFrom([]string{"one", "two"}).Draw(t, "reason")
			if out.check == "freshness" && rapid.Bool().Draw(t, "conflict") {
				out.conflicts = []string{"a.txt"}
			}
		}
		if rapid.Bool().Draw(t, "priced") {
			out.usd = rapid.Float64Range(0.01, 3).Draw(t, "usd")
		}
		return out
	})
}

// story is one task on a board of its own: what the stations would append is
// applied to it, and the policy alone says what comes next.
type story struct {
	*rapid.T
	b   board.Board
	seq record.Seq
	m   memory
}

func (s *story) task() *board.Task { return s.b.Tasks["T-0001"] }

func (s *story) apply(actor string, attempt int, claim string, p record.Payload) {
	e, err := record.New(p, noon, record.Envelope{Task: "T-0001", Claim: claim, Attempt: attempt, Host: here, Actor: record.Actor{Kind: actor}})
	if err != nil {
		s.Fatal(err)
	}
	s.seq++
	e.Seq = s.seq
	if err := s.b.Apply(e); err != nil {
		s.Fatal(err)
	}
}

func sha(n int) string { return fmt.Sprintf("%040x", n+1) }

func (s *story) attempt(t turn, st step) {
	n := s.task().NextAttempt()
	agent, digest, from := record.Agent{Adapter: "a"}, s.task().Digest, ""
	if st.mode == "repair" || st.mode == "continue" {
		from = s.task().Attempt(st.of).Finished.Head
	}
	s.apply(record.ByAttempt, n, "c", record.Started{Mode: st.mode, From: from, Agent: agent, Base: sha(0), Worktree: "/w", Walls: "none", Contract: digest, Prompt: digest})
	f := record.Finished{End: t.end, Base: sha(0), Agent: agent, Regime: digest, Usage: record.Usage{Source: "unknown"}}
	if t.end != "done" {
		f.Why = t.end
	}
	if t.usd > 0 {
		f.Usage = record.Usage{USD: &t.usd, Source: "reported"}
	}
	if !t.unkept {
		f.Head, f.Tree, f.Ref = sha(n), sha(n), fmt.Sprintf("refs/torve/attempts/T-0001/%d", n)
	}
	s.apply(record.ByAttempt, n, "c", f)
	s.m.last = &Ended{N: n, End: t.end}
	if t.end == "unavailable" || t.end == "infrastructure" {
		s.m.faults++
		s.m.fault, s.m.why = faultOf(t.end), t.end
		return
	}
	s.m.faults = 0
	if t.end == "done" {
		s.judge(n, t, "arrival")
	}
}

func (s *story) judge(n int, t turn, moment string) {
	j := record.Judged{Moment: moment, Tree: sha(n), Head: sha(0), Contract: s.task().Digest, Verdict: "accepted", Conflicts: t.conflicts}
	said := "yes"
	for _, check := range record.Checks {
		a := record.Answer{Check: check, Said: said}
		if check == t.check {
			a.Said, said = "no", "-"
			j.Verdict, j.Check, j.Reason = "refused", check, t.reason
		}
		j.Checks = append(j.Checks, a)
	}
	s.apply(record.ByAttempt, n, "c", j)
	s.m.last = &Ended{N: n, End: "done", Check: j.Check, Reason: j.Reason}
}

// play goes on until the task lands, needs a person or waits for a time.
func (s *story) play() step {
	for range 300 {
		st := next(s.task(), s.m)
		switch st.do {
		case doEscalate, doWait:
			return st
		case doAttempt:
			s.attempt(turns().Draw(s.T, "attempt"), st)
		case doAgain:
			s.judge(st.of, s.verdict(), "arrival")
		case doLand:
			t := s.verdict()
			if s.judge(st.of, t, "due"); t.check == "" {
				return st
			}
		}
	}
	s.Fatal("the task comes to no end")
	return step{}
}

// verdict draws an answer of the gate about kept work.
func (s *story) verdict() turn {
	return turns().Filter(func(t turn) bool { return t.end == "done" }).Draw(s.T, "verdict")
}

func TestOverAnyVerdictsAttemptsStayWithinTheBudgetAndEveryTaskEndsWithAReason(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := &story{T: rt}
		c := contract.Default()
		c.ID, c.Title, c.Scope.Allow = "T-0001", "Draw", []string{"**"}
		c.Budget.Attempts = rapid.IntRange(1, 4).Draw(rt, "attempts")
		s.apply(record.ByMint, 0, "", record.Minted{Digest: c.Digest(), Contract: c.Canonical(), Owner: "a", Path: contract.PathOf("T-0001"), Commit: sha(0)})
		s.apply(record.ByDispatch, 0, "c", record.Claimed{Boot: "b", PID: 1, Start: "s", Worker: "1"})
		for range rapid.IntRange(1, 3).Draw(rt, "lives") {
			st := s.play()
			s.within(c.Budget)
			switch st.do {
			case doEscalate:
				s.apply(record.ByDispatch, 0, "c", st.raise)
				mode := rapid.SampledFrom(record.RequeueModes).Draw(rt, "mode")
				s.apply(record.ByPerson, 0, "", record.Resolved{Answer: "requeued", Mode: mode})
			case doWait:
				if st.free.Why == "" {
					rt.Fatalf("it waits, and no reason is given: %+v", st)
				}
			case doLand:
				return
			}
			s.m = memory{}
		}
	})
}

// within asks that the attempts that count since the requeue are no more than were bought.
func (s *story) within(b contract.Budget) {
	t, counted := s.task(), 0
	for _, a := range t.Attempts[min(t.Asked, len(t.Attempts)):] {
		if a.Finished == nil || board.Counts(a.Finished.End) {
			counted++
		}
	}
	if counted > b.Attempts || t.Counted > b.Attempts {
		s.Fatalf("%d attempts count, and the budget is %d", counted, b.Attempts)
	}
}

func TestOverDrawnVerdictsTheWholeRoadKeepsTheBudgetAndLeavesNoClaim(t *testing.T) {
	f := newField(t)
	lists := rapid.SliceOfN(turns(), 1, 6)
	for seed := range 12 {
		id := fmt.Sprintf("T-%04d", seed+1)
		f.mint(id)
		f.script[id] = lists.Example(3 * seed)
		f.again[id], f.due[id] = verdicts(lists.Example(3*seed+1)), verdicts(lists.Example(3*seed+2))
		for i := range f.script[id] {
			f.script[id][i].until = noon.Add(1000 * time.Hour)
		}
	}
	r := f.run(Options{Workers: 2})
	for id, task := range f.board().Tasks {
		o := f.outcome(r, id)
		if task.Claim != nil || task.Counted > task.Contract.Budget.Attempts {
			t.Errorf("%s: %d counted, claim %+v", id, task.Counted, task.Claim)
		}
		if o.Outcome != IsLanded && o.Reason == "" {
			t.Errorf("%s ended without a reason: %+v", id, o)
		}
		switch task.State {
		case board.Landed, board.Escalated:
		case board.Queued:
			if task.NotBefore.IsZero() && o.Outcome != IsInterrupted {
				t.Errorf("%s is queued, and nothing holds it: %+v", id, o)
			}
		default:
			t.Errorf("%s is %s: %+v", id, task.State, o)
		}
	}
}

// verdicts are the turns that the gate can give of kept work.
func verdicts(list []turn) []turn {
	var out []turn
	for _, t := range list {
		if t.end == "done" {
			out = append(out, t)
		}
	}
	return out
}
