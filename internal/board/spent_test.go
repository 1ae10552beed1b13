package board

import (
	"math"
	"reflect"
	"testing"

	"torve/internal/record"
)

func cost(source string, usd float64, in, out int64) record.Usage {
	u := record.Usage{Source: source, TokensIn: &in, TokensOut: &out}
	if source != "unknown" {
		u.USD = &usd
	}
	return u
}

func spent(t *testing.T, usages ...record.Usage) *story {
	s := newStory(t).mint(id).claim(id, "c1")
	for i, u := range usages {
		s.started(id, i+1).add(id, i+1, "", record.Finished{End: "done", Seconds: new(10.0), Usage: u})
	}
	return s
}

func TestUnknownCostIsCountedApartAndIsNeverZero(t *testing.T) {
	half, usd := cost("reported", 0, 0, 0), 9.0
	half.TokensOut = nil
	unsaid := cost("unknown", 0, 0, 0)
	unsaid.Source, unsaid.USD = "", &usd // a figure that nobody vouches for
	task := spent(t, cost("reported", 0.25, 10, 1), cost("unknown", 0, 5, 2), record.Usage{Source: "unknown"}, half, unsaid).task(id)
	s := Spent(task)
	if s.Unknown != 3 || s.Tokenless != 2 || s.USD["reported"] != 0.25 || *s.TokensIn != 15 || *s.TokensOut != 3 || s.Seconds != 50 || len(s.USD) != 1 {
		t.Errorf("spent %+v", s)
	}
	if usd, source := s.Total(); usd != nil || source != "unknown" {
		t.Errorf("the total is %v, %s", usd, source)
	}
}

func TestATimeThatNobodyKnowsMakesTheSumUnknown(t *testing.T) {
	s := spent(t, cost("reported", 1, 1, 1))
	if got := Spent(s.task(id)); got.Time() == nil || *got.Time() != 10 {
		t.Errorf("spent %+v", got)
	}
	s.started(id, 2).add(id, 2, "", record.Finished{End: "crashed", Usage: record.Usage{Source: "unknown"}})
	if got := Spent(s.task(id)); got.Time() != nil || got.Timeless != 1 || got.Seconds != 10 {
		t.Errorf("with a crash, spent %+v", got)
	}
}

func TestATotalIsShownUnderItsWeakestSource(t *testing.T) {
	for _, c := range []struct {
		usages []record.Usage
		usd    float64
		source string
	}{
		{[]record.Usage{cost("reported", 0.25, 1, 1), cost("reported", 0.5, 1, 1)}, 0.75, "reported"},
		{[]record.Usage{cost("estimated", 0.25, 1, 1), cost("reported", 0.5, 1, 1)}, 0.75, "estimated"},
		{[]record.Usage{cost("estimated", 0.25, 1, 1), cost("notional", 0.5, 1, 1)}, 0.75, "notional"},
		{[]record.Usage{cost("reported", 0, 1, 1)}, 0, "reported"},
	} {
		usd, source := Spent(spent(t, c.usages...).task(id)).Total()
		if usd == nil || math.Abs(*usd-c.usd) > 1e-9 || source != c.source {
			t.Errorf("%v: %v, %s", c.usages, usd, source)
		}
	}
	if usd, source := Spent(newStory(t).mint(id).task(id)).Total(); usd != nil || source != "unknown" {
		t.Errorf("of no attempt: %v, %s", usd, source)
	}
}

func TestAnAttemptThatRunsIsInNoFigure(t *testing.T) {
	s := Spent(spent(t, cost("reported", 1, 1, 1)).started(id, 2).task(id))
	if s.Attempts != 2 || s.Open != 1 || s.Unknown != 0 || s.Seconds != 10 {
		t.Errorf("spent %+v", s)
	}
}

func TestRefusedCountsTheGatesLastWord(t *testing.T) {
	s := newStory(t).mint(id).tried(id, 1, "c1", "refused").started(id, 2).finished(id, 2, "done")
	s.judged(id, 2, "arrival", "refused").judged(id, 2, "arrival", "accepted")
	s.started(id, 3).finished(id, 3, "done").judged(id, 3, "arrival", "accepted").started(id, 4)
	if got := Spent(s.task(id)); got.Refused != 1 || got.Attempts != 4 {
		t.Errorf("spent %+v", got)
	}
}

func TestSpentSinceCountsFromTheLastRequeue(t *testing.T) {
	s := spent(t, cost("reported", 1, 1, 1)).add(id, 0, "", record.Spend{Usage: cost("reported", 2, 1, 1)})
	s.answered(id, "requeued", "fresh").add(id, 0, "", record.Spend{Usage: cost("reported", 4, 1, 1)})
	s.started(id, 2).add(id, 2, "", record.Finished{End: "done", Usage: cost("reported", 8, 1, 1)})
	if got := SpentSince(s.task(id)); !reflect.DeepEqual(got.USD, map[string]float64{"reported": 12}) || got.Attempts != 1 {
		t.Errorf("since the requeue %+v", got)
	}
	if got := Spent(s.task(id)); got.USD["reported"] != 15 {
		t.Errorf("in all %+v", got)
	}
}
