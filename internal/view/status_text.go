package view

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"torve/internal/board"
	"torve/internal/truth"
)

// Text prints the board: what needs a person first, then what runs, what is
// next, and what landed. Empty sections are not printed.
func (a StatusAnswer) Text(w io.Writer, s Style) error {
	p := newPage(s)
	p.wrapped("", a.from.readFrom(a.Sources["tasks"].Carrier), 0)
	p.ends(a.place(), p.zone(a.now))
	pg := statusPage{p, a}
	pg.broken()
	pg.needs()
	pg.died()
	pg.running()
	pg.accepted()
	pg.coming()
	pg.unminted()
	pg.apart()
	landed := pg.landed()
	p.blank()
	pg.closing(landed)
	return p.to(w)
}

// mostRows of a section are shown where not all are asked for.
const mostRows = 10

type statusPage struct {
	*page
	a StatusAnswer
}

// place is the repository, the target and its head.
func (a StatusAnswer) place() string {
	name := a.from.Partition
	if name == "" {
		name = a.name
	}
	s := strings.TrimLeft(name+"  "+a.Target.Name+" "+Short(a.Target.Head), " ")
	switch {
	case a.Target.Head == "":
		s = name + "  " + a.Target.Name + " has no commit yet"
	case a.Target.Upstream != "" && a.Target.Ahead > 0:
		s += fmt.Sprintf("  %d ahead of %s", a.Target.Ahead, a.Target.Upstream)
	}
	return s
}

func (p statusPage) of(states ...board.State) []Row {
	return p.those(func(t Row) bool { return slices.Contains(states, t.State) })
}

func (p statusPage) those(are func(Row) bool) []Row {
	var rows []Row
	for _, t := range p.a.Tasks {
		if are(t) {
			rows = append(rows, t)
		}
	}
	return rows
}

// left are the tasks whose run died.
func (p statusPage) left() []Row {
	return p.those(func(t Row) bool { return t.died })
}

// landing reports whether a run is about to land what was accepted.
func (p statusPage) landing(t Row) bool { return t.State == board.Ready && t.held && !p.a.manual }

// section prints a heading and a row for each task: id, title and what stands
// at the right; more prints what stands below it.
// More rows than a page holds are counted, and named with what shows them.
func (p statusPage) section(title string, rows []Row, right func(Row) string, more func(Row)) {
	shown := rows
	if !p.a.all && len(rows) > mostRows+1 {
		shown = rows[:mostRows]
	}
	p.sectionOf(title, len(rows), shown, right, more)
	if rest := len(rows) - len(shown); rest > 0 {
		command := "torve status --all"
		if p.a.mine {
			command += " --mine"
		}
		p.line("  and %d more                                → %s", rest, command)
	}
}

// sectionOf is a section of n tasks of which some rows are shown.
func (p statusPage) sectionOf(title string, n int, rows []Row, right func(Row) string, more func(Row)) {
	if len(rows) == 0 {
		return
	}
	p.blank()
	p.heading(title, n)
	ids, rights := 6, 0
	for _, t := range rows {
		ids, rights = max(ids, Width(t.ID)), max(rights, Width(right(t)))
	}
	rights = min(rights, 34)
	titles := max(12, min(37, p.Width-2-ids-2-1-rights))
	for _, t := range rows {
		p.line("  %s  %s %s", p.Pad(t.ID, ids), p.Pad(title2(t), titles), p.Cut(right(t), p.Width-2-ids-2-titles-1))
		if len(t.Flaky) > 0 {
			p.under("flaky: " + strings.Join(t.Flaky, ", "))
		}
		more(t)
	}
}

func (p statusPage) heading(title string, n int) {
	text := fmt.Sprintf("%s (%d)", title, n)
	if painted := p.Paint(text); painted != text {
		p.line("%s", painted)
		return
	}
	p.line("%s", p.Bold(text))
}

func title2(t Row) string {
	if t.Title == "" {
		return "(no title is known)"
	}
	return t.Title
}

func nothing(Row) {}

// under prints a line below a row, cut to fit.
func (p statusPage) under(s string) { p.line("          %s", p.Cut(s, p.Width-10)) }

// command prints a command below a row, never cut.
func (p statusPage) command(c string) {
	if c != "" {
		p.line("          → %s", c)
	}
}

func (p statusPage) broken() {
	if len(p.a.Faults) == 0 {
		return
	}
	p.blank()
	p.heading("broken", len(p.a.Faults))
	for _, f := range p.a.Faults {
		p.wrapped("  ", f.Error, 10)
		if f.Hint != "" {
			p.wrapped("          ", f.Hint, 10)
		}
		if i := slices.IndexFunc(p.a.Tasks, func(t Row) bool { return t.ID == f.Task }); i >= 0 && p.a.Tasks[i].State == truth.Broken {
			p.command(p.a.Tasks[i].Next)
		}
	}
}

// named reports whether a broken task is named among the faults already.
func (p statusPage) named(t Row) bool {
	return t.State == truth.Broken && slices.ContainsFunc(p.a.Faults, func(f Fault) bool { return f.Task == t.ID })
}

func (p statusPage) needs() {
	var rows []Row
	for _, t := range p.a.Tasks {
		if p.a.needs(t) && !p.named(t) {
			rows = append(rows, t)
		}
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return a.Since.Compare(b.Since) })
	words := 0
	for _, t := range rows {
		words = max(words, Width(reasonWords(t)))
	}
	p.section("needs you", rows, func(t Row) string {
		return p.Pad(reasonWords(t), words+3) + p.since(t)
	}, func(t Row) {
		if d := detail(t); d != "" && d != reasonWords(t) {
			p.under(d)
		}
		p.command(t.Next)
	})
}

func (p statusPage) since(t Row) string {
	if t.Since.IsZero() {
		return ""
	}
	return p.When(t.Since, p.a.now)
}

// detail is why, without the check's name where the words have said it.
func detail(t Row) string {
	if t.State == board.Ready {
		return "landings are by hand here"
	}
	if t.Check != "" && t.Reason != "scope" && !strings.HasPrefix(t.Why, t.Check+":") {
		return t.Check + ": " + t.Why
	}
	return t.Why
}

// reasonWords is why a task needs a person, in two or three words.
func reasonWords(t Row) string {
	switch t.State {
	case board.Ready:
		return "accepted"
	case truth.RanHere:
		return "ran here, unrecorded"
	case truth.Broken:
		return "broken"
	case truth.Removed:
		return "landing removed"
	}
	return escalationWords(t.Reason, t.Check, t.Why, t.budget)
}

// byAPerson is what the record says of an attempt that torve stop ended.
const byAPerson = "stopped by a person"

func escalationWords(reason, check, why string, b budget) string {
	switch reason {
	case "exhausted":
		if b.attempts > 0 && b.counted >= b.attempts {
			return fmt.Sprintf("%d of %d attempts", b.counted, b.attempts)
		}
		return "the money is spent"
	case "refused":
		return "refused by " + check
	case "killed":
		if strings.HasPrefix(why, byAPerson) {
			return byAPerson
		}
	}
	words := map[string]string{
		"scope": "scope too narrow", "locked_conflict": "a LOCKED decision", "underspecified": "underspecified",
		"base_red": "the base is red", "merge_conflict": "does not merge", "blocker_finding": "a blocker", "killed": "killed",
		"push_refused": "push refused", "agent_unavailable": "no agent", "isolation_broken": "isolation broken",
	}[reason]
	if words == "" {
		return strings.ReplaceAll(reason, "_", " ")
	}
	return words
}

func (p statusPage) died() {
	p.section("died", p.left(), who, func(t Row) {
		p.line("          %s   → %s", t.Why, t.Next)
	})
}

func (p statusPage) running() {
	rows := p.those(func(t Row) bool { return slices.Contains(underWay, t.State) && !t.died || p.landing(t) })
	p.section("running", rows, who, func(t Row) {
		p.line("          %s   → %s", strings.Join(p.meters(t), "   "), "torve why "+t.ID)
		if t.holder != "" {
			p.under(t.holder)
		}
	})
}

// who is the agent that is at a task, and at which attempt.
func who(t Row) string {
	agent := t.Agent
	if agent == "" {
		agent = string(t.State)
	}
	if t.Attempts == 0 {
		return agent
	}
	return fmt.Sprintf("%s, attempt %d", agent, t.Attempts)
}

// meters are the time and the money of what runs, beside their limits.
func (p statusPage) meters(t Row) []string {
	var m []string
	switch {
	case t.State != board.Running:
		m = append(m, map[board.State]string{board.Claimed: "starting", board.Gated: "being judged", board.Reviewed: "being reviewed", board.Ready: "being landed"}[t.State])
	case !t.started.IsZero():
		s := clock(p.a.now.Sub(t.started))
		if t.budget.minutes > 0 {
			s += " of " + clock(time.Duration(t.budget.minutes*float64(time.Minute)))
		}
		m = append(m, s)
	}
	return append(m, t.budget.soFar())
}

// soFar is what ended attempts cost since the last requeue, beside what may be spent. What
// the running one has cost is not known before it ends.
func (b budget) soFar() string {
	s := "cost so far unknown,"
	if usd, _ := b.since.usd(); usd != nil {
		s = money(usd)
	} else if b.since.Attempts > b.since.Unknown {
		s = b.since.priced()
	}
	if b.usd > 0 {
		s += fmt.Sprintf(" of $%.2f", b.usd)
	}
	return strings.TrimSuffix(s, ",")
}

func (p statusPage) accepted() {
	if !p.a.manual {
		waits := p.those(func(t Row) bool { return t.State == board.Ready && !t.held && !t.apart })
		p.section("accepted", waits, p.since, func(t Row) {
			p.under("not on " + p.a.Target.Name + " yet: landing it says what is in the way")
			p.command(t.Next)
		})
	}
	p.section("in review", p.of(board.InReview), p.since, nothing)
}

func (p statusPage) coming() {
	rows := p.those(func(t Row) bool { return !t.apart && (t.State == board.Queued || t.State == board.Waiting) })
	slices.SortStableFunc(rows, func(a, b Row) int {
		if (a.order == 0) != (b.order == 0) {
			return b.order - a.order // what may start comes first
		}
		return a.order - b.order
	})
	p.section("next", rows, func(t Row) string {
		if len(t.Waits) == 0 {
			if p.a.live { // which tasks a run was named is its own to know
				return "next in this run, or a later one"
			}
			return "starts at the next dispatch"
		}
		var words []string
		for _, w := range t.Waits {
			words = append(words, waitWords(w, t.Agent, p.soon(p.a.now)))
		}
		return strings.Join(words, "; ")
	}, nothing)
}

func (p statusPage) unminted() {
	drafts := p.drafts()
	p.section("not minted", slices.Concat(p.of(truth.Committed), p.of(truth.Draft)), func(t Row) string {
		switch {
		case t.away:
			return t.Why
		case t.State == truth.Draft:
			return "not committed"
		}
		return "committed"
	}, func(t Row) {
		if t.away {
			p.command(t.Next)
		}
	})
	if len(drafts) > 0 {
		p.command(Ask(drafts...))
	}
}

// drafts are the tasks that are written and not committed.
func (p statusPage) drafts() []string {
	var ids []string
	for _, t := range p.of(truth.Draft) {
		if !t.away {
			ids = append(ids, t.ID)
		}
	}
	return ids
}
