package seam

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// plan is a proposal whose checks say no where it says so, and whose calls are kept.
type plan struct {
	no    map[Check]bool
	calls *[]string
}

func (p plan) said(c Check) Verdict {
	*p.calls = append(*p.calls, c)
	if p.no[c] {
		return Refused(c, "said no")
	}
	return Accepted()
}

type place struct{ tick int }

func six(parts *[]Part) Seam[plan, place] {
	early := func(c Check) func(plan) Verdict { return func(p plan) Verdict { return p.said(c) } }
	late := func(c Check) func(plan, Part, place) Verdict {
		return func(p plan, n Part, _ place) Verdict {
			*parts = append(*parts, n)
			return p.said(c)
		}
	}
	return Seam[plan, place]{
		Shape: early(OnShape), Verb: early(OnVerb), Grounding: early(OnGrounding), Law: early(OnLaw),
		Reach: late(OnReach), Freshness: late(OnFreshness),
	}
}

func refusing(cs ...Check) plan {
	p := plan{no: map[Check]bool{}, calls: new([]string)}
	for _, c := range cs {
		p.no[c] = true
	}
	return p
}

func TestTheOrderIsTheOneThatTheDesignGives(t *testing.T) {
	want := "shape verb grounding law reach freshness"
	if got := strings.Join(Checks[:], " "); got != want {
		t.Errorf("Checks = %s, want %s", got, want)
	}
	var parts []Part
	p := refusing()
	v, asked, err := six(&parts).Arrive(p, func() (place, error) { return place{}, nil })
	if err != nil || !v.OK || asked != 6 {
		t.Fatalf("Arrive = %v, %d, %v; want accepted, 6, nil", v, asked, err)
	}
	if got := strings.Join(*p.calls, " "); got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	if !slices.Equal(parts, []Part{Whole, Whole}) {
		t.Errorf("parts on arrival = %v, want the whole twice", parts)
	}
}

func TestTheFirstNoIsTheVerdict(t *testing.T) {
	for i, c := range Checks {
		t.Run(c, func(t *testing.T) {
			var parts []Part
			p := refusing(Checks[i:]...) // every later check would say no too
			v, asked, err := six(&parts).Arrive(p, func() (place, error) { return place{}, nil })
			if err != nil || v.OK || v.Failed != c || asked != i+1 {
				t.Errorf("Arrive = %v, %d, %v; want refused by %s after %d", v, asked, err, c, i+1)
			}
			if !slices.Equal(*p.calls, Checks[:i+1]) {
				t.Errorf("asked %v, want %v", *p.calls, Checks[:i+1])
			}
		})
	}
}

func TestTheReadingIsTakenOnlyAfterFourYeses(t *testing.T) {
	for i, c := range Checks {
		taken := 0
		var parts []Part
		p := refusing(c)
		_, _, err := six(&parts).Arrive(p, func() (place, error) {
			taken++
			if len(*p.calls) != 4 {
				t.Errorf("%s refuses: the reading was taken after %d answers, want 4", c, len(*p.calls))
			}
			return place{}, nil
		})
		if want := min(1, i/4); err != nil || taken != want {
			t.Errorf("%s refuses: the reading was taken %d times (%v), want %d", c, taken, err, want)
		}
	}
}

func TestAReadingThatCannotBeTakenIsAnErrorAndNoVerdict(t *testing.T) {
	full := errors.New("no space left on device")
	var parts []Part
	p := refusing()
	v, asked, err := six(&parts).Arrive(p, func() (place, error) { return place{}, full })
	if !errors.Is(err, full) || v != (Verdict{}) || asked != 4 {
		t.Errorf("Arrive = %v, %d, %v; want no verdict, 4, the error", v, asked, err)
	}
	if v.OK {
		t.Error("no verdict must not be a yes")
	}
}

func TestASeamThatLacksAQuestionRefuses(t *testing.T) {
	for i, c := range Checks {
		var parts []Part
		s := six(&parts)
		switch c {
		case OnShape:
			s.Shape = nil
		case OnVerb:
			s.Verb = nil
		case OnGrounding:
			s.Grounding = nil
		case OnLaw:
			s.Law = nil
		case OnReach:
			s.Reach = nil
		case OnFreshness:
			s.Freshness = nil
		}
		v, asked, err := s.Arrive(refusing(), func() (place, error) { return place{}, nil })
		if err != nil || v.OK || v.Failed != c || asked != i+1 || v.Reason != unhanded {
			t.Errorf("without %s: %v, %d, %v; want it refused by %s", c, v, asked, err, c)
		}
		if i >= 4 {
			if v := s.Due(1, refusing(), place{}); v.OK || v.Failed != c {
				t.Errorf("due without %s: %v, want it refused by it", c, v)
			}
		}
	}
	var none Seam[plan, place]
	if v, _, _ := none.Arrive(refusing(), nil); v.OK {
		t.Error("the zero seam accepted a proposal")
	}
}

func TestDueAsksTheLastTwoAgainOfThePart(t *testing.T) {
	var parts []Part
	p := refusing(OnShape, OnLaw) // not asked again
	if v := six(&parts).Due(3, p, place{}); !v.OK {
		t.Errorf("Due = %v, want accepted", v)
	}
	if !slices.Equal(*p.calls, []string{OnReach, OnFreshness}) || !slices.Equal(parts, []Part{3, 3}) {
		t.Errorf("due asked %v of %v, want reach and freshness of part 3", *p.calls, parts)
	}
	p = refusing(OnReach, OnFreshness)
	if v := six(&parts).Due(1, p, place{}); v.Failed != OnReach || len(*p.calls) != 1 {
		t.Errorf("Due = %v after %v, want refused by reach alone", v, *p.calls)
	}
	p = refusing(OnFreshness)
	if v := six(&parts).Due(1, p, place{}); v.Failed != OnFreshness {
		t.Errorf("Due = %v, want refused by freshness", v)
	}
}

func TestACheckThatIsNotThereRefuses(t *testing.T) {
	var parts []Part
	if v := six(&parts).Run("taste", refusing(), place{}); v.OK || v.Reason != "there is no such check" {
		t.Errorf("Run(taste) = %v", v)
	}
}

func TestInOrderAgreesWithArriveInTheSeamsOwnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		no := rapid.SliceOf(rapid.SampledFrom(Checks[:])).Draw(t, "no")
		var parts []Part
		s := six(&parts)
		v, asked, err := s.Arrive(refusing(no...), func() (place, error) { return place{}, nil })
		w, also := s.InOrder(Checks[:], refusing(no...), place{})
		if err != nil || v != w || asked != also {
			t.Fatalf("Arrive says %v after %d, InOrder %v after %d", v, asked, w, also)
		}
		order := rapid.Permutation(Checks[:]).Draw(t, "order")
		if u, _ := s.InOrder(order, refusing(no...), place{}); u.OK != v.OK {
			t.Fatalf("in order %v the proposal is %v, in the seam's %v", order, u, v)
		}
	})
}

func TestAVerdictPrintsItsCheckAndReason(t *testing.T) {
	if got := Accepted().String(); got != "accepted" {
		t.Errorf("Accepted prints %q", got)
	}
	if got := Refused(OnLaw, "clause 3").String(); got != "refused by law: clause 3" {
		t.Errorf("Refused prints %q", got)
	}
}

func TestAYesAllocatesNothing(t *testing.T) {
	yes := func(struct{}) Verdict { return Accepted() }
	look := func(struct{}, Part, place) Verdict { return Accepted() }
	s := Seam[struct{}, place]{yes, yes, yes, yes, look, look}
	read := func() (place, error) { return place{}, nil }
	if n := testing.AllocsPerRun(100, func() { _, _, _ = s.Arrive(struct{}{}, read) }); n != 0 {
		t.Errorf("a yes allocates %v times, want 0", n)
	}
}
