package view_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/record"
	"torve/internal/view"
)

// forty is the morning after forty tasks: most landed, many need a person, some run.
func forty(t testing.TB) *shop {
	s := open(t)
	s.clock(time.Date(2026, 12, 2, 23, 5, 0, 0, time.UTC))
	var all []contract.Contract
	for n := 1; n <= 40; n++ {
		all = append(all, asked(taskID(n), fmt.Sprintf("Answer the %d. complaint of the night", n), func(c *contract.Contract) {
			c.Owner = []string{"ada@example.com", "Bo@Example.com"}[n%2]
			if n > 34 {
				c.DependsOn = []string{taskID(n - 20)}
			}
		}))
		s.Write(contract.PathOf(taskID(n)), string(contract.Render(all[n-1])))
	}
	s.Commit("Ask for forty things")
	for _, c := range all {
		s.minted(c)
	}
	for n := 1; n <= 24; n++ { // eleven land, thirteen need a person
		id := taskID(n)
		s.start(id, 1, "first")
		u := dollars(float64(n) / 100)
		if n%5 == 0 {
			u = record.Usage{Source: "unknown"}
		}
		s.finish(id, 1, 30, u)
		if n <= 11 {
			s.judge(id, 1, "arrival", "", "")
			s.landedAs(all[n-1], u)
			s.release(id, 1, "landed")
			continue
		}
		s.judge(id, 1, "arrival", "law", "change 1: mail/cart.go is outside scope.allow cart/**")
		s.escalate(id, 1, record.Escalation{Reason: "scope", Check: "law", Detail: "change 1: mail/cart.go is outside scope.allow cart/**", Paths: []string{"mail/cart.go"}})
	}
	s.start(taskID(25), 1, "first")
	s.finish(taskID(25), 1, 60, dollars(0.31))
	s.judge(taskID(25), 1, "arrival", "reach", "sh test.sh exited 1")
	s.at = now.Add(-5 * time.Minute)
	s.release(taskID(25), 1, "waiting")
	s.start(taskID(25), 2, "fresh")
	s.start(taskID(26), 1, "first")
	s.Commit("Land what passed")
	return s
}

// landedAs records a landing and writes its file, to be committed.
func (s *shop) landedAs(c contract.Contract, u record.Usage) {
	s.t.Helper()
	at := s.at.UTC()
	path := carrier.LandingPath(c.ID, "", 1, at)
	data, err := carrier.WriteLanding(carrier.Landing{Task: c.ID, Title: c.Title, Owner: c.Owner, Attempt: 1, At: at, Target: "main", Base: s.base, Onto: s.base, Commit: s.base,
		Tree: s.base, Contract: c.Digest(), Gate: &carrier.Gate{}, Spent: carrier.Spent{Attempts: 1, Seconds: new(30.0), USD: u.USD, Source: u.Source}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.Write(path, string(data))
	s.fact(c.ID, 1, claimOf(c.ID, 1), record.ByLanding, record.Landed{Path: path, Target: "main", Base: s.base, Onto: s.base, Commit: s.base, Head: s.base, Tree: s.base, Contract: c.Digest()})
}

func TestTheMorningAfterFortyTasksReadsWell(t *testing.T) {
	s := forty(t)
	r, o := s.here()
	o.Brief, o.Zone = true, cet
	a := status(t, r, o)
	out := text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) })
	golden(t, "status-forty", out)
	for _, want := range []string{"needs you (13)", "and 3 more", "→ torve status --all", "next (14)", "$0.31 of $5.00", "cost so far unknown, of $5.00"} {
		if !strings.Contains(out, want) {
			t.Errorf("it lacks %q", want)
		}
	}
	if n := strings.Count(out, "\n"); n > 80 {
		t.Errorf("it has %d lines", n)
	}
	o.All = true
	if all := text(t, func(b *bytes.Buffer) error { return status(t, r, o).Text(b, wide) }); strings.Contains(all, "more") || !strings.Contains(all, taskID(24)+"  ") {
		t.Errorf("--all leaves some out:\n%s", all)
	}
	data, err := json.Marshal(a)
	if err != nil || strings.Count(string(data), `"id":`) != 40 {
		t.Errorf("the document has %d tasks, %v", strings.Count(string(data), `"id":`), err)
	}
}

func TestMineIsWhatCarriesMyAddressHoweverItIsWritten(t *testing.T) {
	s := forty(t)
	r, o := s.here()
	o.Mine, o.Zone = "BO@example.com", cet
	a := status(t, r, o)
	if len(a.Tasks) != 20 || a.Counts["escalated"] != 6 || a.Sources["attempts"].Rows != 13 {
		t.Errorf("%d tasks, %v, %+v", len(a.Tasks), a.Counts, a.Sources["attempts"])
	}
	out := text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) })
	if !strings.Contains(out, "13 attempts today") {
		t.Errorf("the day is everybody's:\n%s", out)
	}
	o.Mine = "nobody@example.com"
	a = status(t, r, o)
	if a.NeedsPerson() || len(a.Tasks) != 0 {
		t.Errorf("nobody's: %+v", a.Tasks)
	}
	golden(t, "status-nobodys", text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) }))
	broken := open(t)
	broken.Write(contract.PathOf("T-0003"), "schema: torve/contract/v1\nid: T-0003\ntitel: x\n")
	broken.Commit("Break a file")
	r, o = broken.here()
	o.Mine = "ada@example.com"
	if a := status(t, r, o); a.NeedsPerson() || len(a.Faults) != 1 {
		t.Errorf("a file that names no owner waits on Ada, or is not named: %+v", a.Faults)
	}
}

func TestABoardSeenLaterSaysHowLongWhatRunsHasRun(t *testing.T) {
	s := forty(t)
	r, o := s.here()
	a := status(t, r, o)
	at := func(a view.StatusAnswer) string {
		return text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) })
	}
	if before, after := at(a), at(a.At(now.Add(time.Minute))); before == after || !strings.Contains(after, "4:00 of 30:00") {
		t.Errorf("%s", after)
	}
}

func TestATimeThatIsNotTodayHasItsDate(t *testing.T) {
	s := open(t)
	s.mint(asked("T-0001", "Retry the mailer"))
	for _, c := range []struct {
		until time.Time
		want  string
	}{
		{now.Add(2 * time.Hour), "until 11:00"}, {now.Add(20 * time.Hour), "until 4 Dec 05:00"}, {time.Date(2099, 12, 30, 23, 30, 0, 0, time.UTC), "until 31 Dec 2099"},
	} {
		s.start("T-0001", 1, "first")
		s.fact("T-0001", 0, claimOf("T-0001", 1), record.ByDispatch, record.Released{Why: "waiting", NotBefore: c.until})
		r, o := s.here()
		for screen, out := range map[string]string{
			"status":  text(t, func(b *bytes.Buffer) error { return status(t, r, o).Text(b, wide) }),
			"why":     text(t, func(b *bytes.Buffer) error { return why(t, r, o, "T-0001").Text(b, wide) }),
			"context": text(t, func(b *bytes.Buffer) error { return planned(t, r, o).Text(b, wide) }),
		} {
			if !strings.Contains(out, c.want+"\n") {
				t.Errorf("%s does not say %q:\n%s", screen, c.want, out)
			}
		}
	}
}

func TestWhatADeadRunHeldIsNotSaidToRun(t *testing.T) {
	s := open(t)
	c := asked("T-0001", "Answer at night")
	s.Write(contract.PathOf(c.ID), string(contract.Render(c)))
	s.Commit("Ask")
	s.minted(c)
	s.start(c.ID, 1, "first")
	for died, want := range map[bool][]string{
		true:  {"died (1)", "its run died: the next one takes it up   → torve dispatch\n", "\nnext: torve dispatch\n"},
		false: {"running (1)", "→ torve why T-0001\n", "\nnext: torve why T-0001\n"},
	} {
		r, o := s.here()
		o.Died = func(*board.Claim) bool { return died }
		a := status(t, r, o)
		has(t, text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) }), want...)
		w, err := view.Why(t.Context(), r, o, c.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got := text(t, func(b *bytes.Buffer) error { return w.Text(b, wide) }); strings.Contains(got, "its run died") != died {
			t.Errorf("died %v, and why says\n%s", died, got)
		}
	}
}

func TestWhatARunOfThisHostMayStartIsNotAPersonsToDispatch(t *testing.T) {
	s := open(t)
	for _, id := range []string{"T-0001", "T-0002"} {
		s.Write(contract.PathOf(id), string(contract.Render(asked(id, "Answer at night"))))
	}
	s.Commit("Ask")
	s.minted(asked("T-0001", "Answer at night"))
	s.minted(asked("T-0002", "Answer at night", func(c *contract.Contract) { c.Scope.Allow = []string{"elsewhere/**"} }))
	s.start("T-0001", 1, "first")
	for runs, want := range map[bool][]string{
		true:  {"next in this run, or a later one\n", "\nnext: torve status --watch\n"},
		false: {"starts at the next dispatch\n", "\nnext: torve dispatch\n"},
	} {
		r, o := s.here()
		o.Runs = func(*board.Claim) bool { return runs }
		a := status(t, r, o)
		has(t, text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) }), want...)
	}
}

func TestWhatARunIsAboutToLandIsNotAPersonsToLand(t *testing.T) {
	s := open(t)
	c := asked("T-0001", "Answer at night")
	s.Write(contract.PathOf(c.ID), string(contract.Render(c)))
	s.Commit("Ask")
	s.minted(c)
	s.start(c.ID, 1, "first")
	s.finish(c.ID, 1, 30, dollars(0.1))
	s.judge(c.ID, 1, "arrival", "", "")
	for died, want := range map[bool][]string{
		false: {"running (1)", "being landed", "\nnext: torve why T-0001\n"},
		true:  {"accepted (1)", "→ torve land T-0001\n", "\nnext: torve dispatch\n"},
	} {
		r, o := s.here()
		o.Died = func(*board.Claim) bool { return died }
		a := status(t, r, o)
		has(t, text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) }), want...)
	}
}

func has(t *testing.T, out string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(out, w) {
			t.Errorf("it lacks %q:\n%s", w, out)
		}
	}
}
