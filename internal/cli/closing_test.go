package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"torve/internal/dispatch"
	"torve/internal/git/gittest"
	"torve/internal/mint"
)

// ending prints the closing screen of a report as it stands.
func ending(t *testing.T, change func(*closing)) string {
	t.Helper()
	t.Setenv("TZ", "UTC")
	was := time.Local
	time.Local = time.FixedZone("CET", 3600)
	defer func() { time.Local = was }()
	var out bytes.Buffer
	a := &app{out: &out, err: &out, env: func(name string) string { return map[string]string{"LANG": "C.UTF-8"}[name] },
		now: func() time.Time { return time.Date(2026, 12, 3, 2, 0, 0, 0, time.UTC) }}
	cfg := defaultConfig()
	cfg.Acceptance = []string{"go test ./..."}
	c := closing{a: a, s: &session{a: a, cfg: cfg}, pushable: true, rep: dispatch.Report{
		From: "9c41e07000000000000000000000000000000000", To: "b70c2d9000000000000000000000000000000000",
		Took: 107 * time.Minute, Attempts: 8,
	}, runs: []ranLine{{line: "test -f cart"}, {line: "go test ./..."}}}
	change(&c)
	_ = c.print()
	return out.String()
}

func dollars(usd float64) *float64 { return &usd }

func landedAs(id, title, commit string, usd float64) dispatch.Outcome {
	return dispatch.Outcome{ID: id, Title: title, Outcome: dispatch.IsLanded, Commit: commit, USD: dollars(usd), Source: "reported", Attempts: 1, Judged: true}
}

var (
	log404  = landedAs("T-0001", "Answer 404 for an unknown order", "1b90c3d", 0.41)
	postal  = landedAs("T-0002", "Validate the postal code", "77ab310", 0.74)
	request = landedAs("T-0005", "Log the request id", "4e1f0aa", 0.22)
	basket  = dispatch.Outcome{ID: "T-0004", Title: "Rename Basket to Cart", Outcome: dispatch.IsRefused, Check: "law", Why: "scope", USD: dollars(0.48), Source: "reported", Judged: true,
		Reason: "change 4: mail/cart.go is outside scope.allow cart/**", Next: "torve widen T-0004 mail/cart.go"}
	price = dispatch.Outcome{ID: "T-0008", Title: "Drop the v1 price endpoint", Outcome: dispatch.IsWaiting, WaitsOn: []string{"T-0004"}, Person: true}
)

func TestTheClosingScreen(t *testing.T) {
	five := time.Date(2026, 12, 3, 4, 10, 0, 0, time.UTC)
	for _, c := range []struct {
		name   string
		change func(*closing)
	}{
		{"mixed", func(c *closing) {
			c.rep.Outcomes, c.rep.Waits = []dispatch.Outcome{basket, request, log404, postal}, []dispatch.Outcome{price}
		}},
		{"all-landed", func(c *closing) { c.rep.Outcomes = []dispatch.Outcome{request, log404, postal} }},
		{"one-landed", func(c *closing) { c.rep.Outcomes, c.pushable = []dispatch.Outcome{log404}, false }},
		{"pushed", func(c *closing) {
			c.rep.Outcomes = []dispatch.Outcome{request, log404}
			c.s.cfg.Landing.Push = "origin"
		}},
		{"interrupted", func(c *closing) {
			stopped := dispatch.Outcome{Outcome: dispatch.IsInterrupted, Kept: true, Unknown: 1, Attempts: 1, Next: "torve dispatch"}
			one, two := stopped, stopped
			one.ID, one.Title, two.ID, two.Title = "T-0006", "Cache the price list", "T-0007", "Reject a stale proposal by name"
			c.rep.Interrupted, c.rep.Attempts, c.rep.To = true, 2, c.rep.From
			c.rep.Outcomes = []dispatch.Outcome{one, two}
		}},
		{"interrupted-at-once", func(c *closing) { c.rep = dispatch.Report{Interrupted: true} }},
		{"limit", func(c *closing) {
			c.rep.Outcomes = []dispatch.Outcome{request}
			for _, id := range []string{"T-0006", "T-0007", "T-0008"} {
				c.rep.Waits = append(c.rep.Waits, dispatch.Outcome{ID: id, Title: "Something", Outcome: dispatch.IsWaiting, Until: five})
			}
			c.rep.Limit = dispatch.Limit{By: dispatch.ByQuota, Tasks: 3, Until: five, Agent: "claude"}
		}},
		{"limit-usd", func(c *closing) {
			c.rep.Outcomes = []dispatch.Outcome{request}
			c.rep.Limit, c.rep.Person = dispatch.Limit{By: dispatch.ByUSD, Tasks: 3, USD: 5, Spent: 5.22}, 2
		}},
		{"limit-until", func(c *closing) {
			c.rep.Outcomes = []dispatch.Outcome{request}
			c.rep.Limit = dispatch.Limit{By: dispatch.ByUntil, Tasks: 1, Until: five}
		}},
		{"limit-escalations", func(c *closing) {
			c.rep.Outcomes = []dispatch.Outcome{request, basket}
			c.rep.Limit = dispatch.Limit{By: dispatch.ByEscalations, Tasks: 2, Escalations: 1}
		}},
		{"red-at-the-end", func(c *closing) {
			c.rep.Outcomes, c.runs = []dispatch.Outcome{request, postal}, nil
			c.rep.Green = dispatch.Green{Asked: true, Red: "go test ./... exited 1: TestExpiry"}
		}},
		{"not-asked-at-the-end", func(c *closing) {
			c.rep.Outcomes, c.runs = []dispatch.Outcome{request, postal}, nil
			c.rep.Green = dispatch.Green{Why: "others moved it, and the run was stopped"}
		}},
		{"blocked", func(c *closing) {
			c.rep.To = c.rep.From
			c.rep.Outcomes = []dispatch.Outcome{{ID: "T-0001", Title: "Answer 404 for an unknown order", Outcome: dispatch.IsReady, Blocked: true, Judged: true,
				USD: dollars(0.41), Source: "reported", Reason: "orders/get.go is changed in /home/you/shop", Next: "git -C /home/you/shop stash && torve land T-0001"}}
		}},
		{"held", func(c *closing) {
			c.rep = dispatch.Report{From: c.rep.From, To: c.rep.From, HeldBy: []string{"T-0001 is held by process 4711 on host, for 2 min"}}
		}},
		{"nothing", func(c *closing) { c.rep = dispatch.Report{From: c.rep.From, To: c.rep.From} }},
		{"nothing-left", func(c *closing) {
			c.rep = dispatch.Report{From: c.rep.From, To: c.rep.From, Worst: dispatch.Worst{Tasks: 2}}
		}},
		{"nothing-but-people", func(c *closing) { c.rep = dispatch.Report{From: c.rep.From, To: c.rep.From, Person: 2} }},
		{"drafts", func(c *closing) {
			c.rep = dispatch.Report{From: c.rep.From, To: c.rep.From}
			c.minted = []mint.Result{{ID: "T-0001", Outcome: mint.Uncommitted}, {ID: "T-0002", Outcome: mint.Uncommitted}}
		}},
		{"quiet", func(c *closing) {
			c.a.quiet = true
			c.rep.Outcomes, c.rep.Waits = []dispatch.Outcome{basket, request}, []dispatch.Outcome{price}
		}},
		{"wide-titles", func(c *closing) {
			wide := landedAs("TORVE-12345", "把购物篮重命名为购物车，在所有被调用的地方，并且更新所有的文档与测试用例", "1b90c3d", 10.41)
			wide.Unknown = 2
			c.rep.Outcomes = []dispatch.Outcome{wide, basket}
		}},
		{"dry", func(c *closing) {
			c.dry, c.rep.To = true, c.rep.From
			c.rep.Planned = []dispatch.Planned{{ID: "T-0001", Title: "Answer 404", Does: "land"}, {ID: "T-0002", Title: "Validate", Does: "ask"}, {ID: "T-0006", Title: "Cache", Does: "first", Agent: "claude@sonnet"}, {ID: "T-0009", Title: "Document", Does: "mint", Then: "first", Agent: "claude"}, {ID: "T-0010", Title: "Retry the mailer", Does: "mint", WaitsOn: []string{"T-0009"}}}
			c.rep.Waits = []dispatch.Outcome{price, {ID: "T-0009", Title: "Document the cache", Outcome: dispatch.IsWaiting, Reason: "scope meets T-0007: docs/internal/**"}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &stage{Repo: gittest.At(t, "/nowhere"), t: t}
			s.verbatim("closing/"+c.name+".txt", ending(t, c.change))
		})
	}
}

func TestARunThatBrokeTellsWhatItDidBefore(t *testing.T) {
	disk := errors.New("disk on fire")
	for _, c := range []struct {
		name   string
		rep    dispatch.Report
		json   bool
		wants  []string
		ending bool // its exit code alone is left, and no error to print
	}{
		{"nothing was done", dispatch.Report{}, false, nil, false},
		{"one landed", dispatch.Report{Outcomes: []dispatch.Outcome{log404, postal}}, false, []string{"2 of 2 landed"}, false},
		{"one landed, as a document", dispatch.Report{Outcomes: []dispatch.Outcome{log404}}, true, []string{`"schema": "torve/dispatch/v1"`, "disk on fire"}, true},
	} {
		var out bytes.Buffer
		a := &app{out: &out, err: &out, json: c.json, env: func(string) string { return "" }, now: noon}
		err := closing{a: a, s: &session{a: a, cfg: defaultConfig()}, rep: c.rep}.after(disk)
		var over ended
		if errors.As(err, &over) != c.ending || !c.ending && !errors.Is(err, disk) {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, want := range c.wants {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %s in %s", c.name, want, out.String())
			}
		}
	}
}

func TestALineThatPassedOnlyWhenItWasRunOnceMoreIsSaidToBeFlaky(t *testing.T) {
	c := closing{a: &app{env: func(string) string { return "" }}}
	for want, runs := range map[string][]ranLine{
		"":                               {{line: "go test ./..."}, {line: "make lint"}},
		", flaky: it was red first":      {{line: "go test ./...", flaky: true}},
		"; flaky: make lint, make check": {{line: "go test ./..."}, {line: "make lint", flaky: true}, {line: "make check", flaky: true}},
		", flaky: it was red first; flaky: make lint": {{line: "go test ./...", flaky: true}, {line: "make lint", flaky: true}},
	} {
		if c.runs = runs; c.flaky("go test ./...") != want {
			t.Errorf("%+v: %q, want %q", runs, c.flaky("go test ./..."), want)
		}
	}
}
