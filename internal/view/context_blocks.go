package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/truth"
)

// most items of a block are shown where not all are asked for.
const most = 12

// block is one part of the context as people read it, on a terminal or in a prompt.
type block struct {
	title string
	from  string // which carrier told it, and of how many rows
	items []item
	table *table
	rest  string // what was left out, and what shows it
}

// item is one thing of a block: its lead (an id), a text, and what stands below it.
type item struct {
	lead, text string
	under      []string
	command    string
	beside     string // at the right of a text that is cut to make room for it
}

// blocks are the parts of the context that have something to say, in the order in which a
// planner needs them.
func (a ContextAnswer) blocks(s Style) []block {
	c := contextPage{a, s}
	all := []block{
		c.open(), c.escalations(), c.divergences(), c.findings(), c.gates(), c.flaky(), c.spend(), c.decisions(), c.landed(), c.people(),
	}
	return slices.DeleteFunc(all, func(b block) bool { return len(b.items) == 0 && b.table == nil })
}

type contextPage struct {
	a ContextAnswer
	s Style
}

// cut leaves out what is more than a page holds.
func (c contextPage) cut(b block, with string) block {
	if n := len(b.items); !c.a.all && n > most+1 {
		b.items, b.rest = b.items[:most], fmt.Sprintf("and %d more: %s", n-most, with)
	}
	return b
}

// from says which carrier told a block.
func (c contextPage) from(name string) string {
	s := c.a.Sources[name]
	where := map[string]string{fromRecord: "the record", fromFiles: "files", fromGit: "git"}[s.Carrier]
	return where + ", " + Count(s.Rows, "row")
}

// counted says how many tasks stand how, in the words that people read.
func (a ContextAnswer) counted() string {
	words := map[board.State]string{board.Ready: "accepted", board.Escalated: "need you", truth.Committed: "not minted", truth.Draft: "not committed",
		truth.RanHere: "ran here, unrecorded", truth.Removed: "with the landing removed", board.InReview: "in review"}
	order := []board.State{board.Escalated, truth.Broken, truth.Removed, truth.RanHere, board.Claimed, board.Running, board.Gated, board.Reviewed, board.Ready,
		board.InReview, board.Queued, board.Waiting, truth.Committed, truth.Draft, board.Landed, board.Reverted, board.Abandoned, board.Withdrawn}
	var parts []string
	for _, state := range order {
		if n := a.Tasks.Counts[string(state)]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, cmp.Or(words[state], string(state))))
		}
	}
	if len(parts) == 0 {
		return "no task is known here"
	}
	return strings.Join(parts, ", ")
}

func (c contextPage) open() block {
	b := block{title: fmt.Sprintf("open tasks (%d)", len(c.a.Tasks.Open)), from: c.from("tasks")}
	for _, t := range c.a.Tasks.Open {
		b.items = append(b.items, item{lead: t.ID, text: title2(t), beside: c.standing(t)})
	}
	return c.cut(b, "torve status --all")
}

// standing is where an open task is, and why.
func (c contextPage) standing(t Row) string {
	switch t.State {
	case board.Escalated, truth.RanHere, truth.Broken, truth.Removed:
		return "needs you: " + reasonWords(t)
	case board.Claimed, board.Running, board.Gated, board.Reviewed:
		return strings.TrimSuffix(fmt.Sprintf("%s, attempt %d by %s", t.State, t.Attempts, t.Agent), " by ")
	case board.Waiting:
		var words []string
		for _, w := range t.Waits {
			words = append(words, waitWords(w, t.Agent, c.s.soon(c.a.now)))
		}
		return "waits: " + strings.Join(words, "; ")
	case board.Ready:
		return "accepted, not landed"
	case truth.Committed:
		return "committed, not minted"
	case truth.Draft:
		if t.away {
			return t.Why
		}
		return "not committed"
	}
	return strings.ReplaceAll(string(t.State), "_", " ")
}

func (c contextPage) escalations() block {
	b := block{title: fmt.Sprintf("needs a person (%d)", len(c.a.Escalations)), from: c.from("escalations")}
	for _, e := range c.a.Escalations {
		words := strings.ReplaceAll(e.Reason, "_", " ")
		if e.Check != "" {
			words += " by " + e.Check
		}
		text := words + ": " + e.Detail
		if strings.HasPrefix(e.Detail, byAPerson) {
			text = e.Detail
		}
		b.items = append(b.items, item{lead: e.Task, text: text, command: e.Next})
	}
	return c.cut(b, "torve status --all")
}

func (c contextPage) divergences() block {
	b := block{title: fmt.Sprintf("decisions to look at (%d)", len(c.a.Divergences)), from: c.from("divergences")}
	for _, d := range c.a.Divergences {
		i := item{lead: d.Task, text: strings.Join(strings.Fields(d.Decision+" "+d.Grade+" "+d.Action), " ") + ": " + cmp.Or(d.Why, d.Claim)}
		if d.Why != "" && d.Decision == "unlisted" {
			i.text = "unlisted " + d.Action + ": " + d.Claim + ", because " + d.Why
		}
		if d.Proposal != "" {
			i.under = append(i.under, "proposes: "+d.Proposal)
		}
		b.items = append(b.items, i)
	}
	return c.cut(b, "torve context --all")
}

func (c contextPage) findings() block {
	b := block{title: fmt.Sprintf("open findings (%d)", len(c.a.Findings)), from: ".torve/findings.jsonl, " + Count(c.a.Sources["findings"].Rows, "row")}
	for _, f := range c.a.Findings {
		b.items = append(b.items, item{lead: f.ID, text: strings.TrimRight(fmt.Sprintf("%s  %s  %s", f.Severity, f.Task, f.Place()), " "), under: []string{f.Claim}})
	}
	return c.cut(b, "torve findings")
}

func (c contextPage) gates() block {
	if len(c.a.Gates) == 0 {
		return block{}
	}
	t := &table{heads: []string{"asked", "refused"}}
	for i, g := range c.a.Gates {
		t.add(fmt.Sprintf("%d %s", i+1, g.Check), []string{fmt.Sprint(g.Asked), fmt.Sprint(g.Refused)})
	}
	return block{title: "the six checks", from: c.from("gates"), table: t}
}

func (c contextPage) flaky() block {
	b := block{title: fmt.Sprintf("flaky acceptance lines (%d)", len(c.a.Flaky)), from: c.from("flaky")}
	for _, f := range c.a.Flaky {
		b.items = append(b.items, item{text: f.Line, under: []string{fmt.Sprintf("red, then green on the same tree, %s, last for %s: %s", times(f.Times), f.Task, f.First)}})
	}
	return c.cut(b, "torve context --all")
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// spend is a row a regime, and a total only with over how many it is.
func (c contextPage) spend() block {
	if len(c.a.Spend) == 0 {
		return block{}
	}
	const shown = 8
	t := &table{heads: heads, may: []string{"reported", "estimated", "notional"}}
	b := block{title: "spend", from: c.from("spend"), table: t}
	for i, r := range c.a.Spend {
		if !c.a.all && i == shown && len(c.a.Spend) > shown+1 {
			b.rest = fmt.Sprintf("and %d regimes more: torve spend --by regime", len(c.a.Spend)-shown)
			break
		}
		row := Spend{Key: cmp.Or(r.Regime, "regime not told"), Agents: r.Agents, Tasks: r.Tasks, Contracts: r.Contracts}
		t.add(row.regime(false), r.cells())
	}
	if len(c.a.Spend) > 1 {
		t.add("total"+c.a.total.over(), c.a.total.cells())
	}
	if c.a.total.partial() {
		b.rest = strings.TrimPrefix(b.rest+"; + is at least", "; ")
	}
	return b
}

func (c contextPage) decisions() block {
	b := block{title: fmt.Sprintf("decisions in force (%d)", len(c.a.Decisions)), from: "the corpus on " + c.a.Target.Name}
	for _, d := range c.a.Decisions {
		b.items = append(b.items, item{lead: d.ID, text: d.Grade + "  " + d.Text})
	}
	return c.cut(b, "torve context --all")
}

func (c contextPage) landed() block {
	b := block{title: "landed lately", from: "git, " + Count(c.a.Sources["landings"].Rows, "landing file")}
	for _, l := range c.a.Landings[:min(5, len(c.a.Landings))] {
		when := c.s.When(l.At, c.a.now)
		b.items = append(b.items, item{lead: l.Task, text: strings.TrimSpace(l.Title + ", " + Short(l.Commit) + ", " + when)})
	}
	return b
}

func (c contextPage) people() block {
	b := block{title: "what people said", from: ".torve/feedback.jsonl, " + Count(c.a.Feedback.Rows, "row")}
	if said := c.a.Feedback.said(); said != "" {
		b.items = append(b.items, item{text: said})
	}
	for _, n := range c.a.Feedback.Notes {
		b.items = append(b.items, item{lead: n.Task, text: n.Note})
	}
	return c.cut(b, "torve context --all")
}

// unheld names the blocks that no carrier here holds: that they are empty says nothing.
func (a ContextAnswer) unheld() []string {
	var names []string
	for _, name := range []string{"escalations", "divergences", "gates", "flaky", "spend"} {
		if a.Sources[name].Carrier == fromNone {
			names = append(names, name)
		}
	}
	return names
}

// severities counts the open findings.
func severities(found []carrier.Finding) string {
	var parts []string
	for _, s := range carrier.Severities {
		n := 0
		for _, f := range found {
			if f.Severity == s {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return strings.Join(parts, ", ")
}
