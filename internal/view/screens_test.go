package view_test

import (
	"bytes"
	"testing"
	"time"

	"torve/internal/contract"
	"torve/internal/record"
	"torve/internal/view"
)

const work = "package law\n\n// Refused names its check.\nfunc Refused() string { return stale(\"freshness\") }\n"

func inLaw(c *contract.Contract) {
	c.Spec, c.Scope.Allow = "S-0001", []string{"law/**", "docs/**"}
}

// story is one night: landed, refused, exhausted, running and waiting.
func story(s *shop) {
	landed := s.mint(asked("T-0001", "Reject a stale proposal by name", inLaw), rows...)
	scoped := s.mint(asked("T-0004", "Rename Basket to Cart, everywhere that it is called so", func(c *contract.Contract) { c.Scope.Allow = []string{"cart/**"} }))
	s.mint(asked("T-0006", "Cache the price list", func(c *contract.Contract) { c.Scope.Allow = []string{"price/**"} }))
	s.mint(asked("T-0007", "Name the check in a refusal", func(c *contract.Contract) { c.Scope.Allow = []string{"board/**"} }))
	s.mint(asked("T-0008", "Drop the v1 price endpoint", func(c *contract.Contract) { c.DependsOn = []string{"T-0006"} }))
	s.mint(asked("T-0009", "Document the board", func(c *contract.Contract) { c.Scope.Allow = []string{"board/README.md"} }))
	s.mint(asked("T-0010", "Retry the mailer"))
	s.mint(asked("T-0011", "Sort the imports"))

	s.at = time.Date(2026, 12, 3, 0, 14, 0, 0, time.UTC)
	s.start(landed.ID, 1, "first")
	s.finish(landed.ID, 1, 200, dollars(0.44))
	s.judge(landed.ID, 1, "arrival", "law", "change 4: board/row.go is outside scope.allow law/**, docs/**")
	s.release(landed.ID, 1, "waiting")
	s.start(landed.ID, 2, "repair")
	s.fact(landed.ID, 2, claimOf(landed.ID, 2), record.ByAgent, record.Divergence{Decision: "S-0001/D-3", Grade: "LOCKED", Claim: "returns the check's own name", Evidence: "law/seam.go:4", Action: "upheld"})
	s.fact(landed.ID, 2, claimOf(landed.ID, 2), record.ByAgent, record.Divergence{Decision: "S-0001/D-2", Grade: "ASSUMED", Claim: "the limit is 300", Evidence: "law/seam.go:3",
		Action: "departed", Why: "300: answers take longer on a CPU", Proposal: "raise the limit to 300"})
	s.finish(landed.ID, 2, 354, dollars(0.48))
	s.judge(landed.ID, 2, "arrival", "", "")
	s.land(landed, 2, s.judge(landed.ID, 2, "due", "", ""), "law/seam.go", work)

	s.start(scoped.ID, 1, "first")
	s.finish(scoped.ID, 1, 320, dollars(0.48))
	s.judge(scoped.ID, 1, "arrival", "law", "change 4: mail/cart.go is outside scope.allow cart/**")
	s.escalate(scoped.ID, 1, record.Escalation{Reason: "scope", Check: "law", Detail: "change 4: mail/cart.go is outside scope.allow cart/**", Paths: []string{"mail/cart.go"}})

	for n := range 3 {
		s.start("T-0006", n+1, []string{"first", "repair", "fresh"}[n])
		s.finish("T-0006", n+1, 60, record.Usage{Source: "unknown"})
		s.judge("T-0006", n+1, "arrival", "reach", "go test ./price/... exited 1: TestExpiry")
		if n < 2 {
			s.release("T-0006", n+1, "waiting")
		}
	}
	s.escalate("T-0006", 3, record.Escalation{Reason: "exhausted", Check: "reach", Detail: "go test ./price/... exited 1: TestExpiry"})

	s.start("T-0010", 1, "first")
	s.finish("T-0010", 1, 5, dollars(0.02))
	s.fact("T-0010", 0, claimOf("T-0010", 1), record.ByDispatch, record.Released{Why: "waiting", NotBefore: now.Add(70 * time.Minute)})

	s.at = now.Add(-5*time.Minute - 12*time.Second)
	s.start("T-0007", 1, "first")
}

func TestStatusPutsWhatNeedsAPersonFirst(t *testing.T) {
	s := night(t)
	s.contract(asked("T-0012", "Not minted yet"))
	s.Write(contract.PathOf("T-0013"), string(contract.Render(asked("T-0013", "Not committed yet"))))
	r, o := s.here()
	a, err := view.Status(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "status", text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) }))
	if !a.NeedsPerson() {
		t.Error("two tasks need a person, and NeedsPerson says none")
	}
	golden(t, "status-ascii", text(t, func(b *bytes.Buffer) error { return a.Text(b, view.Style{Width: 80, Zone: cet, ASCII: true}) }))
}

func TestStatusOfAFreshCloneIsReadFromItsFiles(t *testing.T) {
	r, o := night(t).clone()
	a, err := view.Status(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "status-clone", text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) }))
	if got := a.Sources["tasks"]; got.Carrier != "files" || got.Partition != "" {
		t.Errorf("sources.tasks = %+v", got)
	}
}

func TestStatusWithNothingToDoSaysSo(t *testing.T) {
	s := open(t)
	r, o := s.here()
	a, err := view.Status(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	if a.NeedsPerson() {
		t.Error("nothing needs a person")
	}
	golden(t, "status-nothing", text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) }))
}

func TestWhyPrintsTheWholeAccount(t *testing.T) {
	s := night(t)
	r, o := s.here()
	fresh, of := s.clone()
	for _, c := range []struct {
		name, subject string
		clone         bool
	}{
		{"why-refused", "T-0004", false},
		{"why-exhausted", "T-0006", false},
		{"why-landed", "T-0001", false},
		{"why-landed-clone", "T-0001", true},
		{"why-running", "T-0007", false},
		{"why-waiting", "T-0009", false},
		{"why-line", "law/seam.go:4", false},
		{"why-line-clone", "law/seam.go:4", true},
		{"why-line-not-ours", "README.md:1", true},
		{"why-path", "law/seam.go", true},
		{"why-decision", "S-0001/D-2", false},
		{"why-contract", "T-0006", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, opts := r, o
			if c.clone {
				from, opts = fresh, of
			}
			a, err := view.Why(t.Context(), from, opts, c.subject)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, c.name, text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) }))
		})
	}
}

func TestLandingsArePrintedNewestFirst(t *testing.T) {
	r, o := night(t).clone()
	a, err := view.Landings(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "landings", text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) }))
}
