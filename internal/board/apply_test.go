package board

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"torve/internal/contract"
	"torve/internal/record"
)

const id = "T-0001"

func TestWhereATaskStands(t *testing.T) {
	fresh := func(t *testing.T) *story { return newStory(t).mint(id) }
	for name, c := range map[string]struct {
		story func(*story) *story
		want  State
	}{
		"a minted task is queued":                   {func(s *story) *story { return s }, Queued},
		"a claimed task is claimed":                 {func(s *story) *story { return s.claim(id, "c1") }, Claimed},
		"a started attempt runs":                    {func(s *story) *story { return s.claim(id, "c1").started(id, 1) }, Running},
		"an attempt that is done is gated":          {func(s *story) *story { return s.claim(id, "c1").started(id, 1).finished(id, 1, "done") }, Gated},
		"an attempt that ends otherwise is claimed": {func(s *story) *story { return s.claim(id, "c1").started(id, 1).finished(id, 1, "time") }, Claimed},
		"accepted on arrival is ready":              {func(s *story) *story { return s.tried(id, 1, "c1", "accepted") }, Ready},
		"refused on arrival is claimed":             {func(s *story) *story { return s.tried(id, 1, "c1", "refused") }, Claimed},
		"refused when due is claimed":               {func(s *story) *story { return s.tried(id, 1, "c1", "accepted").judged(id, 1, "due", "refused") }, Claimed},
		"accepted when due is ready":                {func(s *story) *story { return s.tried(id, 1, "c1", "accepted").judged(id, 1, "due", "accepted") }, Ready},
		"refused when due with no claim is queued": {func(s *story) *story {
			return s.tried(id, 1, "c1", "accepted").release(id, "c1").judged(id, 1, "due", "refused")
		}, Queued},
		"a recorded review is reviewed": {func(s *story) *story { return s.tried(id, 1, "c1", "accepted").add(id, 1, "", record.Review{}) }, Reviewed},
		"a blocker is reviewed":         {func(s *story) *story { return s.tried(id, 1, "c1", "accepted").add(id, 1, "", record.Blocker{}) }, Reviewed},
		"a proposed landing is in review": {func(s *story) *story {
			return s.tried(id, 1, "c1", "accepted").add(id, 1, "", record.Proposed{}).release(id, "c1")
		}, InReview},
		"a landing is landed":                            {func(s *story) *story { return s.tried(id, 1, "c1", "accepted").landed(id) }, Landed},
		"a released landing stays landed":                {func(s *story) *story { return s.tried(id, 1, "c1", "accepted").landed(id).release(id, "c1") }, Landed},
		"a reverted landing is reverted":                 {func(s *story) *story { return s.landed(id).mint("T-0002").landed("T-0002", id) }, Reverted},
		"reverted before its own landing was seen":       {func(s *story) *story { return s.landed("T-0002", id).landed(id) }, Reverted},
		"an escalation is escalated":                     {func(s *story) *story { return s.claim(id, "c1").escalated(id, "scope") }, Escalated},
		"a released escalation stays escalated":          {func(s *story) *story { return s.claim(id, "c1").escalated(id, "scope").release(id, "c1") }, Escalated},
		"a released ready task stays ready":              {func(s *story) *story { return s.tried(id, 1, "c1", "accepted").release(id, "c1") }, Ready},
		"a released abandoned task stays abandoned":      {func(s *story) *story { return s.claim(id, "c1").answered(id, "abandoned", "").release(id, "c1") }, Abandoned},
		"a released running task is queued":              {func(s *story) *story { return s.claim(id, "c1").started(id, 1).release(id, "c1") }, Queued},
		"another claim's release changes nothing":        {func(s *story) *story { return s.claim(id, "c1").release(id, "c2") }, Claimed},
		"a ready task claimed to be landed stays ready":  {func(s *story) *story { return s.tried(id, 1, "c1", "accepted").release(id, "c1").claim(id, "c2") }, Ready},
		"a requeued escalation is queued":                {func(s *story) *story { return s.escalated(id, "scope").answered(id, "requeued", "fresh") }, Queued},
		"a requeue needs no open escalation":             {func(s *story) *story { return s.answered(id, "requeued", "") }, Queued},
		"requeue revives an abandoned task":              {func(s *story) *story { return s.answered(id, "abandoned", "").answered(id, "requeued", "") }, Queued},
		"a requeue puts a landing back that was removed": {func(s *story) *story { return s.landed(id).answered(id, "requeued", "") }, Queued},
		"a reverted task is not requeued":                {func(s *story) *story { return s.landed(id).landed("T-0002", id).answered(id, "requeued", "") }, Reverted},
		"a person accepts kept work": {func(s *story) *story {
			return s.tried(id, 1, "c1", "refused").release(id, "c1").answered(id, "accepted", "")
		}, Ready},
		"a person accepts where nothing is kept": {func(s *story) *story { return s.answered(id, "accepted", "") }, Queued},
		"a person says landed":                   {func(s *story) *story { return s.answered(id, "landed", "") }, Landed},
		"what landed is not abandoned":           {func(s *story) *story { return s.landed(id).answered(id, "abandoned", "") }, Landed},
		"what landed does not escalate":          {func(s *story) *story { return s.landed(id).escalated(id, "killed") }, Landed},
		"what was abandoned does not escalate":   {func(s *story) *story { return s.answered(id, "abandoned", "").escalated(id, "killed") }, Abandoned},
		"a run's end does not revive what was abandoned": {func(s *story) *story {
			return s.claim(id, "c1").started(id, 1).answered(id, "abandoned", "").finished(id, 1, "done")
		}, Abandoned},
		"a withdrawn contract is withdrawn":          {func(s *story) *story { return s.add(id, 0, "", record.Withdrawn{}) }, Withdrawn},
		"the same bytes bring a withdrawn task back": {func(s *story) *story { return s.add(id, 0, "", record.Withdrawn{}).mint(id) }, Queued},
		"what landed is not withdrawn":               {func(s *story) *story { return s.landed(id).add(id, 0, "", record.Withdrawn{}) }, Landed},
		"what was abandoned stays so when its file is gone": {func(s *story) *story {
			return s.answered(id, "abandoned", "").add(id, 0, "", record.Withdrawn{}).mint(id)
		}, Abandoned},
		"a re-mint of a ready task queues it":            {func(s *story) *story { return s.tried(id, 1, "c1", "accepted").release(id, "c1").remint(id) }, Queued},
		"a re-mint of an escalated task never its state": {func(s *story) *story { return s.escalated(id, "scope").remint(id) }, Escalated},
		"a re-mint of an abandoned task never its state": {func(s *story) *story { return s.answered(id, "abandoned", "").remint(id) }, Abandoned},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.story(fresh(t)).task(id); got.State != c.want {
				t.Errorf("the task is %s, want %s", got.State, c.want)
			}
		})
	}
}

func TestAnObservedLandingNeedsNoMintBeforeIt(t *testing.T) {
	got := newStory(t).landed(id).task(id)
	if got.State != Landed || got.Landing == nil || got.Digest != "" {
		t.Errorf("the task is %+v", got)
	}
}

func TestATaskThatWasNeverMintedIsNeverQueued(t *testing.T) {
	for name, s := range map[string]*story{
		"released": newStory(t).claim(id, "c1").release(id, "c1"),
		"requeued": newStory(t).answered(id, "requeued", ""),
		"accepted": newStory(t).answered(id, "accepted", ""),
		"refused":  newStory(t).judged(id, 1, "arrival", "refused"),
	} {
		if got := s.task(id); got.State != Withdrawn || got.Digest != "" {
			t.Errorf("%s: %s is %s with digest %q", name, id, got.State, got.Digest)
		}
	}
}

func TestAReMintKeepsTheAcceptedWorkSoThatItIsAskedAgain(t *testing.T) {
	s := newStory(t).mint(id).tried(id, 1, "c1", "accepted").release(id, "c1")
	s.remint(id, func(c *contract.Contract) { c.Title = "Answer 410" })
	got := s.task(id)
	if got.Accepted == nil || got.Accepted.Attempt != 1 || got.Contract.Title != "Answer 410" || got.Blob != "b2" {
		t.Errorf("accepted %+v, title %q, blob %q", got.Accepted, got.Contract.Title, got.Blob)
	}
}

func TestAcceptedNamesTheKeptWork(t *testing.T) {
	got := newStory(t).mint(id).tried(id, 1, "c1", "accepted").task(id)
	want := &Accepted{Attempt: 1, Base: "base", Head: "kept", Ref: "ref", Tree: "gated"}
	if !reflect.DeepEqual(got.Accepted, want) {
		t.Errorf("accepted %+v, want %+v", got.Accepted, want)
	}
}

func TestADueYesKeepsTheTreeThatArrived(t *testing.T) {
	s := newStory(t).mint(id).tried(id, 1, "c1", "accepted")
	s.add(id, 1, "", record.Judged{Moment: "due", Verdict: "accepted", Tree: "merged"})
	if got := s.task(id).Accepted.Tree; got != "gated" {
		t.Errorf("the accepted tree is %q", got)
	}
}

func TestARefusalAndAStartTakeTheAcceptedWorkOut(t *testing.T) {
	s := newStory(t).mint(id).tried(id, 1, "c1", "accepted").judged(id, 1, "due", "refused")
	if got := s.task(id); got.Accepted != nil {
		t.Errorf("after a due no: %+v", got.Accepted)
	}
	s = newStory(t).mint(id).tried(id, 1, "c1", "accepted").started(id, 2)
	if got := s.task(id); got.Accepted != nil {
		t.Errorf("after a start: %+v", got.Accepted)
	}
}

func TestAnAnswerIsKeptUntilItIsActedOn(t *testing.T) {
	requeued := func() *story {
		return newStory(t).mint(id).tried(id, 1, "c1", "refused").escalated(id, "refused").release(id, "c1").answered(id, "requeued", "continue")
	}
	if got := requeued().claim(id, "c2").task(id); got.Answer == nil || got.Answer.Mode != "continue" || got.Answer.By == "" {
		t.Errorf("before it is acted on: %+v", got.Answer)
	}
	if got := requeued().claim(id, "c2").started(id, 2).task(id); got.Answer != nil {
		t.Errorf("after an attempt started: %+v", got.Answer)
	}
	if got := requeued().claim(id, "c2").judged(id, 1, "arrival", "accepted").task(id); got.Answer != nil {
		t.Errorf("after the kept tree was judged: %+v", got.Answer)
	}
}

func TestOnlyEndsOfTheAgentCountAgainstTheBudget(t *testing.T) {
	for _, end := range record.Ends {
		want := slices.Contains([]string{"done", "halted", "time", "idle", "money"}, end)
		got := newStory(t).mint(id).claim(id, "c1").started(id, 1).finished(id, 1, end).task(id)
		if (got.Counted == 1) != want {
			t.Errorf("%s counts %d", end, got.Counted)
		}
	}
}

func TestABudgetsCountersRestartAtARequeueAndAttemptNumbersNever(t *testing.T) {
	s := newStory(t).mint(id).tried(id, 1, "c1", "refused").started(id, 2).finished(id, 2, "time").escalated(id, "exhausted")
	if got := s.task(id); got.Counted != 2 || got.NextAttempt() != 3 {
		t.Fatalf("counted %d, next %d", got.Counted, got.NextAttempt())
	}
	s.answered(id, "requeued", "fresh")
	if got := s.task(id); got.Counted != 0 || got.Asked != 2 || got.NextAttempt() != 3 || got.Escalation != nil {
		t.Errorf("counted %d, asked %d, next %d, escalation %v", got.Counted, got.Asked, got.NextAttempt(), got.Escalation)
	}
}

func TestASecondAccountOfAnEndChangesNothing(t *testing.T) {
	s := newStory(t).mint(id).claim(id, "c1").started(id, 1).finished(id, 1, "time").finished(id, 1, "done")
	if got := s.task(id); got.Counted != 1 || got.Attempts[0].Finished.End != "time" || got.State != Claimed {
		t.Errorf("counted %d, end %s, state %s", got.Counted, got.Attempts[0].Finished.End, got.State)
	}
}

func TestAReleaseKeepsTheTimeOfAQuotaUntilAnAttemptStarts(t *testing.T) {
	until := start.Add(5 * time.Hour)
	s := newStory(t).mint(id).claim(id, "c1").started(id, 1).finished(id, 1, "quota")
	s.add(id, 0, "c1", record.Released{Why: "waiting", NotBefore: until})
	if got := s.task(id); !got.NotBefore.Equal(until) || got.State != Queued {
		t.Fatalf("not before %v, %s", got.NotBefore, got.State)
	}
	if got := s.claim(id, "c2").started(id, 2).task(id); !got.NotBefore.IsZero() {
		t.Errorf("not before %v", got.NotBefore)
	}
}

func TestASecondClaimDoesNotTakeAnOpenOne(t *testing.T) {
	s := newStory(t).mint(id).claim(id, "c1").claim(id, "c2")
	if got := s.task(id).Claim; got == nil || got.ID != "c1" {
		t.Errorf("the claim is %+v", got)
	}
}

func TestTheBoardKeepsWhatStandsBesideTheTasks(t *testing.T) {
	s := newStory(t).add("", 0, "", record.Source{Root: "r1"}).add("", 0, "", record.Source{Root: "r2", Path: "x"})
	s.add("", 0, "", record.Decision{ID: "S-0001/D-1", Grade: "OPEN"}).add("", 0, "", record.Decision{ID: "S-0001/D-1", Grade: "LOCKED"})
	s.mint(id).add(id, 1, "", record.Divergence{Decision: "S-0001/D-1", Action: "upheld"})
	s.add("", 0, "", record.Spend{What: "a planner"}).add(id, 0, "", record.Spend{What: "a review"}).add(id, 0, "", record.Message{Text: "x"})
	s.events[len(s.events)-1].Hash = "h"
	b := s.board()
	task := b.Tasks[id]
	switch {
	case b.Root != "r1":
		t.Errorf("root %q", b.Root)
	case b.Decisions["S-0001/D-1"].Grade != "LOCKED":
		t.Errorf("decisions %v", b.Decisions)
	case len(task.Log) != 1 || task.Log[0].Attempt != 1:
		t.Errorf("log %v", task.Log)
	case len(b.Spends) != 1 || len(task.Spends) != 1:
		t.Errorf("spends %v and %v", b.Spends, task.Spends)
	case b.Events != 9 || b.Seq != 9 || b.Hash != "h" || task.Last != 9 || b.ClaimSeq != 5:
		t.Errorf("events %d, seq %d, hash %q, last %d, claims at %d", b.Events, b.Seq, b.Hash, task.Last, b.ClaimSeq)
	}
}

func TestEveryKindHasAnApply(t *testing.T) {
	payload := map[record.Kind]string{}
	c := string(asked(id).Canonical())
	payload[record.KindMinted] = `{"contract":` + c + `}`
	payload[record.KindReminted] = `{"contract":` + c + `}`
	if len(record.Kinds()) == 0 {
		t.Fatal("the record lists no kind")
	}
	for _, k := range record.Kinds() {
		data := payload[k]
		if data == "" {
			data = "{}"
		}
		var b Board
		if err := b.Apply(record.Event{Seq: 1, Kind: k, Task: id, Payload: []byte(data)}); err != nil {
			t.Errorf("%s: %v", k, err)
		}
		if b.Events != 1 || b.Seq != 1 {
			t.Errorf("%s was not counted", k)
		}
	}
}

func TestAPayloadThatDoesNotDecodeIsAnErrorAndChangesNothing(t *testing.T) {
	s := newStory(t).mint(id)
	b := s.board()
	before := *b.Tasks[id]
	for _, e := range []record.Event{
		{Seq: 2, Kind: record.KindClaimed, Task: id, Payload: []byte(`{"unknown":1}`)},
		{Seq: 2, Kind: record.KindReminted, Task: id, Payload: []byte(`{"contract":{"id":7}}`)},
		{Seq: 2, Kind: "task.dreamt", Task: id, Payload: []byte(`{}`)},
	} {
		err := b.Apply(e)
		if err == nil || !strings.Contains(err.Error(), "event 2") || !strings.Contains(err.Error(), string(e.Kind)) {
			t.Errorf("%s: the error is %v", e.Kind, err)
		}
		if b.Seq != 1 || b.Events != 1 || !reflect.DeepEqual(before, *b.Tasks[id]) {
			t.Errorf("%s: the board has changed", e.Kind)
		}
	}
}

func TestAnEventThatIsOnTheBoardChangesNothing(t *testing.T) {
	s := newStory(t).mint(id).tried(id, 1, "c1", "accepted")
	b := s.board()
	for _, e := range s.events {
		if err := b.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(b, s.board()) {
		t.Error("the board has changed")
	}
}

func TestAFoldEndsWithTheErrorOfTheLog(t *testing.T) {
	broken := errors.New("the disk is gone")
	_, err := Fold(func(yield func(record.Event, error) bool) { yield(record.Event{}, broken) })
	if !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
}
