package board

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"torve/internal/contract"
	"torve/internal/record"
)

func needs(ids ...string) func(*contract.Contract) {
	return func(c *contract.Contract) { c.DependsOn = ids }
}

func within(globs ...string) func(*contract.Contract) {
	return func(c *contract.Contract) { c.Scope.Allow = globs }
}

func never(string) bool { return false }

func row(t *testing.T, rows []Row, id string) Row {
	t.Helper()
	for _, r := range rows {
		if r.ID == id {
			return r
		}
	}
	t.Fatalf("no row of %s", id)
	return Row{}
}

func TestADependencyIsSatisfiedByALandingAndByNothingElse(t *testing.T) {
	s := newStory(t).mint("T-0001").mint("T-0002", needs("T-0001"))
	s.tried("T-0001", 1, "c1", "accepted").release("T-0001", "c1")
	r := row(t, View(s.board(), never, nil, start), "T-0002")
	if want := []Wait{{For: ForDependency, Task: "T-0001"}}; r.State != Waiting || !reflect.DeepEqual(r.Waits, want) {
		t.Errorf("beside accepted work it is %s for %+v", r.State, r.Waits)
	}
	// The record's word is not asked: the landing file is in the tree, or it is not.
	s.landed("T-0001")
	if r := row(t, View(s.board(), never, nil, start), "T-0002"); r.State != Waiting {
		t.Errorf("without the file in the tree it is %s", r.State)
	}
	there := func(id string) bool { return id == "T-0001" }
	if r := row(t, View(s.board(), there, nil, start), "T-0002"); r.State != Queued || r.Order != 1 {
		t.Errorf("with the file in the tree it is %s in place %d", r.State, r.Order)
	}
}

func TestADependencyThatOnlyAPersonCanFreeIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		then   func(*story) *story
		person bool
	}{
		"queued":               {func(s *story) *story { return s }, false},
		"claimed":              {func(s *story) *story { return s.claim("T-0001", "c1") }, false},
		"accepted":             {func(s *story) *story { return s.tried("T-0001", 1, "c1", "accepted") }, false},
		"in review":            {func(s *story) *story { return s.add("T-0001", 1, "", record.Proposed{}) }, false},
		"landed elsewhere yet": {func(s *story) *story { return s.landed("T-0001") }, false},
		"escalated":            {func(s *story) *story { return s.escalated("T-0001", "scope") }, true},
		"abandoned":            {func(s *story) *story { return s.answered("T-0001", "abandoned", "") }, true},
		"withdrawn":            {func(s *story) *story { return s.add("T-0001", 0, "", record.Withdrawn{}) }, true},
		"reverted":             {func(s *story) *story { return s.landed("T-0009", "T-0001") }, true},
		"waits on an escalated one": {func(s *story) *story {
			return s.mint("T-0003").escalated("T-0003", "scope").remint("T-0001", needs("T-0003"))
		}, true},
		"waits on one that git has landed": {func(s *story) *story {
			return s.mint("T-0003").escalated("T-0003", "scope").remint("T-0001", needs("T-0003", "T-0004"))
		}, true},
		"waits on two that git has landed": {func(s *story) *story {
			return s.mint("T-0005").escalated("T-0005", "scope").remint("T-0001", needs("T-0005", "T-0004"))
		}, false},
		"waits on one that nobody knows": {func(s *story) *story { return s.remint("T-0001", needs("T-9999")) }, true},
		"waits on itself over another":   {func(s *story) *story { return s.remint("T-0001", needs("T-0002")) }, true},
	} {
		s := c.then(newStory(t).mint("T-0001").mint("T-0002", needs("T-0001")))
		inGit := func(id string) bool { return id == "T-0004" || id == "T-0005" } // the record has heard of neither
		r := row(t, View(s.board(), inGit, nil, start), "T-0002")
		if r.State != Waiting || len(r.Waits) != 1 || r.Waits[0].Person != c.person {
			t.Errorf("%s: %s for %+v", name, r.State, r.Waits)
		}
	}
}

func TestADependencyThatNobodyKnowsNeedsAPerson(t *testing.T) {
	s := newStory(t).mint("T-0002", needs("T-9999"))
	want := []Wait{{For: ForDependency, Task: "T-9999", Person: true}}
	if r := row(t, View(s.board(), never, nil, start), "T-0002"); !reflect.DeepEqual(r.Waits, want) {
		t.Errorf("it waits for %+v", r.Waits)
	}
}

func TestWorkWhoseScopesMeetDoesNotRunSideBySide(t *testing.T) {
	two := func() *story {
		return newStory(t).mint("T-0001", within("docs/**")).mint("T-0002", within("a/**", "docs/x.md"))
	}
	meets := []Wait{{For: ForScope, Task: "T-0001", Glob: "docs/x.md"}}
	for name, c := range map[string]struct {
		s    *story
		want []Wait
	}{
		"beside a queued one":     {two(), nil},
		"beside a claimed one":    {two().claim("T-0001", "c1"), meets},
		"beside a running one":    {two().claim("T-0001", "c1").started("T-0001", 1), meets},
		"beside a gated one":      {two().claim("T-0001", "c1").started("T-0001", 1).finished("T-0001", 1, "done"), meets},
		"beside one in review":    {two().add("T-0001", 1, "", record.Proposed{}), meets},
		"beside one being landed": {two().tried("T-0001", 1, "c1", "accepted"), meets},
		"beside accepted work":    {two().tried("T-0001", 1, "c1", "accepted").release("T-0001", "c1"), nil},
		"beside an escalated one": {two().escalated("T-0001", "scope"), nil},
	} {
		if r := row(t, View(c.s.board(), never, nil, start), "T-0002"); !reflect.DeepEqual(r.Waits, c.want) {
			t.Errorf("%s it waits for %+v", name, r.Waits)
		}
	}
	shared := View(two().claim("T-0001", "c1").board(), never, []string{"docs/**"}, start)
	if r := row(t, shared, "T-0002"); r.State != Queued {
		t.Errorf("a shared file keeps it %s", r.State)
	}
}

func TestAQuotasTimeHasToCome(t *testing.T) {
	until := start.Add(2 * time.Hour)
	s := newStory(t).mint(id).claim(id, "c1").add(id, 0, "c1", record.Released{NotBefore: until})
	if r := row(t, View(s.board(), never, nil, start), id); r.State != Waiting || !r.Waits[0].Until.Equal(until) || r.Waits[0].For != ForTime {
		t.Errorf("before it: %s for %+v", r.State, r.Waits)
	}
	if r := row(t, View(s.board(), never, nil, until), id); r.State != Queued {
		t.Errorf("when it has come: %s", r.State)
	}
}

func TestHigherPriorityFirstThenOlderFirst(t *testing.T) {
	first := func(n int) func(*contract.Contract) { return func(c *contract.Contract) { c.Priority = n } }
	s := newStory(t).mint("T-0004").mint("T-0003").mint("T-0002", first(5)).mint("T-0001", first(-1))
	s.add("T-0003", 0, "", record.Withdrawn{}).mint("T-0003") // its age is that of its first mint
	got := make([]string, 4)
	rows := View(s.board(), never, nil, start)
	ids := ""
	for _, r := range rows {
		got[r.Order-1] = r.ID
		ids += r.ID + " "
	}
	if strings.Join(got, " ") != "T-0002 T-0004 T-0003 T-0001" {
		t.Errorf("they start in the order %v", got)
	}
	if ids != "T-0001 T-0002 T-0003 T-0004 " {
		t.Errorf("the rows stand in the order %s", ids)
	}
}

func TestARequeuedTaskIsHeldUntilItsHolderLetsGo(t *testing.T) {
	s := newStory(t).mint(id).tried(id, 1, "c1", "refused").escalated(id, "refused").answered(id, "requeued", "fresh")
	if r := row(t, View(s.board(), never, nil, start), id); r.State != Claimed || r.Order != 0 || !r.InFlight() {
		t.Errorf("before: %s in place %d", r.State, r.Order)
	}
	if r := row(t, View(s.release(id, "c1").board(), never, nil, start), id); r.State != Queued || r.Order != 1 {
		t.Errorf("after: %s in place %d", r.State, r.Order)
	}
}
