package dispatch

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"torve/internal/contract"
	"torve/internal/record"
)

func TestADryRunWritesNothing(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002", after1("T-0001"))
	f.append("T-0003", "dead", 0, record.ByDispatch, record.Claimed{Boot: "b", PID: 12, Start: "1", Worker: "1"})
	s := f.station(Options{DryRun: true, Workers: 4, Priced: func(string) bool { return true }})
	s.Mint = func(context.Context) ([]MintNote, error) { t.Error("a dry run minted"); return nil, nil }
	before := f.board().Events
	r, err := s.Run(f.ctx)
	f.must(err)
	f.wants()
	if got := f.board().Events; got != before {
		t.Errorf("%d events were appended", got-before)
	}
	if !reflect.DeepEqual(r.Planned, []Planned{{ID: "T-0001", Title: "Change T-0001", Agent: "command", Does: "first"}}) {
		t.Errorf("planned %+v", r.Planned)
	}
	if len(r.Waits) != 1 || r.Waits[0].ID != "T-0002" || r.Waits[0].WaitsOn[0] != "T-0001" {
		t.Errorf("waits %+v", r.Waits)
	}
	w := Worst{Tasks: 2, Workers: 2, Attempts: 6, Minutes: 180, USD: 10, Agents: []string{"command"}, Longest: 30 * time.Minute}
	if !reflect.DeepEqual(r.Worst, w) {
		t.Errorf("the worst case is %+v, and %+v is wanted", r.Worst, w)
	}
}

func TestADryRunNamesWhatWouldBeMintedAndWhatOfItWouldStart(t *testing.T) {
	f := newField(t)
	for _, c := range []contract.Contract{f.asks("T-0001"), f.asks("T-0002", after1("T-0001"))} {
		f.user.Write(contract.PathOf(c.ID), string(contract.Render(c)))
	}
	f.user.Commit("Ask for two")
	f.user.Git("branch", "-f", "main", "HEAD")
	s := f.station(Options{DryRun: true})
	s.Mint = func(context.Context) ([]MintNote, error) { t.Error("a dry run minted"); return nil, nil }
	r, err := s.Run(f.ctx)
	f.must(err)
	want := []Planned{
		{ID: "T-0001", Title: "Change T-0001", Agent: "command", Does: "mint", Then: "first"},
		{ID: "T-0002", Title: "Change T-0002", Does: "mint", WaitsOn: []string{"T-0001"}},
	}
	if !reflect.DeepEqual(r.Planned, want) || f.board().Events != 0 {
		t.Errorf("planned %+v", r.Planned)
	}
}

func TestTheWorstCaseIsSaidBeforeTheFirstClaim(t *testing.T) {
	f := newField(t)
	s := f.station(Options{})
	s.Begin = func(w Worst) {
		if w.Attempts != 3 || f.task("T-0001").Claim != nil || len(f.did) > 0 {
			t.Errorf("%+v, after %v", w, f.did)
		}
		f.did = append(f.did, "begin")
	}
	_, err := s.Run(f.ctx)
	f.must(err)
	f.wants() // nothing to do
	f.mint("T-0001")
	_, err = s.Run(f.ctx)
	f.must(err)
	f.wants("begin", "attempt T-0001 1 first", "land T-0001")
}

func TestTheWorstCaseSaysWhatHasNoLimitAndNoPrice(t *testing.T) {
	f := newField(t)
	f.mint("T-0001", func(c *contract.Contract) { c.Budget.USD = 0 })
	r := f.run(Options{DryRun: true})
	if !r.Worst.Unbounded || !r.Worst.Unpriced {
		t.Errorf("%+v", r.Worst)
	}
}

func TestADirtyTargetThatWouldBlockIsSaidWhenDispatchStarts(t *testing.T) {
	f := newField(t)
	f.user.Git("checkout", "-q", "main")
	f.mint("T-0001", func(c *contract.Contract) { c.Scope.Allow = []string{"a.txt"} })
	f.mint("T-0002")
	f.user.Write("a.txt", "mine\n")
	f.run(Options{DryRun: true})
	warned := f.noted("warn")
	if len(warned) != 1 || warned[0].Task != "T-0001" || !strings.Contains(warned[0].Text, "git -C "+f.user.Dir+" stash") {
		t.Errorf("warned %+v", warned)
	}
}
