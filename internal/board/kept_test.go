package board

import (
	"slices"
	"testing"
	"time"

	"torve/internal/record"
)

func TestAStartThatNobodyClaimsLeavesNothingReady(t *testing.T) {
	s := newStory(t).mint(id).tried(id, 1, "c1", "accepted").release(id, "c1")
	if got := s.started(id, 2).task(id); got.State != Queued || got.Accepted != nil {
		t.Errorf("it is %s with %+v accepted", got.State, got.Accepted)
	}
	s = newStory(t).mint(id).tried(id, 1, "c1", "accepted")
	if got := s.started(id, 2).task(id); got.State != Running || got.Accepted != nil {
		t.Errorf("under its claim it is %s with %+v accepted", got.State, got.Accepted)
	}
	s = newStory(t).mint(id).tried(id, 1, "c1", "accepted").add(id, 1, "", record.Proposed{}).release(id, "c1")
	if got := s.started(id, 2).task(id); got.State != InReview {
		t.Errorf("a pull request is %s", got.State)
	}
}

func TestTheBoardKnowsTheLastClaimReleaseOrMint(t *testing.T) {
	moves := record.MovesClaims()
	s := newStory(t).mint(id).claim(id, "c1").release(id, "c1").remint(id).add(id, 0, "", record.Withdrawn{}).mint(id)
	s.started(id, 1).finished(id, 1, "done").judged(id, 1, "arrival", "refused").escalated(id, "killed").answered(id, "requeued", "fresh").landed(id)
	b, want := &Board{}, record.Seq(0)
	for _, e := range s.events {
		if err := b.Apply(e); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(moves, e.Kind) {
			want = e.Seq
		}
		if b.ClaimSeq != want {
			t.Errorf("after %s, event %d, the last move is event %d, want %d", e.Kind, e.Seq, b.ClaimSeq, want)
		}
	}
	if want != 6 {
		t.Errorf("the last of the story's moves is event %d", want)
	}
}

func TestARequeueSaysWhatBecomesOfTheAcceptedWork(t *testing.T) {
	for mode, keeps := range map[string]bool{"ask": true, "continue": false, "fresh": false} {
		s := newStory(t).mint(id).tried(id, 1, "c1", "accepted").release(id, "c1").answered(id, "requeued", mode)
		if got := s.task(id); (got.Accepted != nil) != keeps || got.Answer.Mode != mode {
			t.Errorf("%s: %+v is accepted, the answer is %+v", mode, got.Accepted, got.Answer)
		}
	}
}

func TestARequeueForgetsWhatIsOver(t *testing.T) {
	s := newStory(t).mint(id).tried(id, 1, "c1", "accepted").add(id, 1, "", record.Proposed{Branch: "b"})
	if got := s.task(id).Proposed; got == nil || got.Branch != "b" {
		t.Errorf("the pull request is %+v", got)
	}
	s.landed(id).release(id, "c1").answered(id, "requeued", "fresh")
	if got := s.task(id); got.Landing != nil || !got.LandedAt.IsZero() || got.LandedBy != "" || got.Proposed != nil || got.Counted != 0 {
		t.Errorf("it keeps %+v of %v by %q, %+v", got.Landing, got.LandedAt, got.LandedBy, got.Proposed)
	}
}

func TestALandingThatIsToldTwiceIsTheFirst(t *testing.T) {
	s := newStory(t).mint(id).landed(id)
	at := s.task(id).LandedAt
	if got := s.landed(id).task(id); got.LandedAt != at {
		t.Errorf("the same file landed at %v, and %v", at, got.LandedAt)
	}
	s.add(id, 2, "", record.Landed{Path: ".torve/execution/" + id + "-2-20260131T110000Z.yaml"})
	if got := s.task(id); got.LandedAt == at || got.Landing.Path == ".torve/execution/"+id+"-1-20260131T100000Z.yaml" {
		t.Errorf("another file is %+v of %v", got.Landing, got.LandedAt)
	}
}

func TestAPersonsAnswerEndsTheEscalationAndIsKept(t *testing.T) {
	later := start.Add(time.Hour)
	waits := func() *story {
		return newStory(t).mint(id).tried(id, 1, "c1", "refused").add(id, 0, "c1", record.Released{Why: "waiting", NotBefore: later})
	}
	if got := waits().task(id); got.NotBefore != later {
		t.Errorf("it waits until %v", got.NotBefore)
	}
	if got := waits().escalated(id, "killed").task(id); !got.NotBefore.IsZero() {
		t.Errorf("escalated, it waits until %v", got.NotBefore)
	}
	for _, answer := range []string{"abandoned", "accepted"} {
		got := newStory(t).mint(id).tried(id, 1, "c1", "refused").escalated(id, "refused").release(id, "c1").answered(id, answer, "").task(id)
		if got.Escalation != nil || got.Answer == nil || got.Answer.Answer != answer || got.Answer.By != "you@example.com" {
			t.Errorf("%s: escalation %+v, answer %+v", answer, got.Escalation, got.Answer)
		}
	}
	if got := waits().answered(id, "abandoned", "").task(id); !got.NotBefore.IsZero() {
		t.Errorf("abandoned, it waits until %v", got.NotBefore)
	}
}

func TestWorkThatAPersonAcceptsIsTheNewestKeptAsItWasJudged(t *testing.T) {
	s := newStory(t).mint(id).tried(id, 1, "c1", "refused").started(id, 2).add(id, 2, "", record.Finished{End: "infrastructure"}).release(id, "c1")
	if got := s.answered(id, "accepted", "").task(id).Accepted; got == nil || got.Attempt != 1 || got.Tree != "tree" {
		t.Errorf("accepted %+v", got)
	}
	s = newStory(t).mint(id).tried(id, 1, "c1", "accepted").release(id, "c1")
	if got := s.answered(id, "accepted", "").task(id).Accepted; got == nil || got.Tree != "gated" {
		t.Errorf("what the gate accepted is %+v", got)
	}
}
