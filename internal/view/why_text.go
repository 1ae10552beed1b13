package view

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/truth"
)

// Text prints the answer: for a task the whole account, for a line, a path, a
// commit or a decision who is behind it.
func (a WhyAnswer) Text(w io.Writer, s Style) error {
	p := whyPage{newPage(s), a}
	switch a.Kind {
	case ofTask:
		p.task()
	case ofDecision:
		p.decision()
	default:
		p.behind()
	}
	p.next()
	return p.to(w)
}

type whyPage struct {
	*page
	a WhyAnswer
}

func (p whyPage) task() {
	p.ends(p.a.Task+"  "+p.a.Title, p.standing())
	p.wrapped("", p.readFrom(), 0)
	p.blank()
	p.asked()
	p.bound()
	p.spent()
	p.ledgers()
	p.waits()
	if p.a.holder != "" {
		p.field("held", p.a.holder)
	}
	p.attempts()
	p.outcome()
	p.landing()
}

// standing is where the task is, in the words that people read.
func (p whyPage) standing() string {
	a := p.a
	switch s := a.Settled.State; s {
	case board.Landed:
		if a.Landing != nil {
			return "landed " + Short(p.landedAs())
		}
		return "landed"
	case board.Escalated:
		if e := a.Escalation; e != nil && e.Check == "" {
			return "needs you: " + escalationWords(e.Reason, e.Check, e.Detail, a.budget)
		}
		return "refused, needs you"
	case board.Ready:
		return "accepted"
	case board.InReview:
		return "in review"
	case truth.Committed:
		return "committed, not minted"
	case truth.Draft:
		if a.away {
			return "not on " + a.target
		}
		return "not committed"
	case truth.RanHere:
		return "ran here, unrecorded"
	case truth.Removed:
		return "its landing was removed"
	default:
		if a.died {
			return "its run died"
		}
		return strings.ReplaceAll(string(s), "_", " ")
	}
}

// landedAs is the commit by which the work is known on this line.
func (p whyPage) landedAs() string {
	if w := p.a.Landing.Work; w.Found == bySHA || w.Found == byTrailer {
		return w.To
	}
	return p.a.Landing.Commit
}

// readFrom says which carrier answered, and which settled it.
func (p whyPage) readFrom() string {
	a := p.a
	by := map[truth.Carrier]string{
		truth.Landing: "its landing file", truth.Board: "the board", truth.Host: "this host's state file", truth.Contract: "its contract",
	}[a.Settled.Carrier]
	switch a.Sources["tasks"].Carrier {
	case fromRecord:
		return fmt.Sprintf("read from the record (%s, %s) · settled by %s", a.from.Store, Count(a.events, "event"), by)
	case fromGit:
		return "read from git (its landing file; " + cmp.Or(a.notTheRecord(), "this clone has no record") + ")"
	}
	return strings.TrimSuffix("read from this repository's own files: "+a.notTheRecord(), ": ") + " · settled by " + by
}

// notTheRecord says why a record that is named did not answer; "" where there is none here.
func (a WhyAnswer) notTheRecord() string {
	switch {
	case a.from.Why != "":
		return a.from.Why
	case a.from.Empty:
		return "the record is empty"
	case a.events > 0:
		return "the record does not hold it"
	}
	return ""
}

func (p whyPage) asked() {
	parts := []string{}
	if p.a.Owner != "" {
		parts = append(parts, "by "+p.a.Owner)
	}
	if c := p.a.Contract; c != nil {
		if !c.MintedAt.IsZero() {
			parts = append(parts, p.full(c.MintedAt, p.a.now))
		}
		file := map[string]string{"same": "file unchanged since", "edited": "file edited since", "missing": "file gone since"}[c.File]
		if p.a.unpulled {
			file = "from another clone, not here yet"
		}
		parts = append(parts, "contract "+Short(c.Digest), file)
	}
	if len(parts) > 0 {
		p.field("asked", strings.Join(parts, ", "))
	}
	if s := p.a.Scope; len(s.Allow) > 0 {
		text := strings.Join(s.Allow, "  ")
		p.wrapGlobs("scope", text)
		if len(s.Deny) > 0 {
			p.wrapGlobs("", "but not "+strings.Join(s.Deny, "  "))
		}
	}
}

// wrapGlobs prints globs two blanks apart where they fit one line.
func (p whyPage) wrapGlobs(label, text string) {
	if Width(text) <= p.Width-10 {
		p.line("%-10s%s", label, text)
		return
	}
	p.field(label, text)
}

func (p whyPage) bound() {
	label := "bound by"
	for _, d := range p.a.Decisions {
		text := d.Text
		if d.Said != "" {
			text = fmt.Sprintf("%-9s %s", d.Said, saidOf(d))
		}
		p.line("%-10s%s %-9s %s", label, d.ID, d.Grade, p.Cut(text, p.Width-21-Width(d.ID)))
		label = ""
	}
}

// saidOf is what the log says of a decision: the why of a departure, else the evidence.
func saidOf(d Decision) string {
	if d.Said == "departed" && d.Why != "" {
		return `"` + d.Why + `"`
	}
	return d.Evidence
}

func (p whyPage) spent() {
	s := p.a.Spent
	if s == nil || s.Attempts == 0 {
		return
	}
	attempts := Count(s.Attempts, "attempt")
	if open := p.a.Landing == nil && p.a.budget.attempts > 0; open {
		attempts = fmt.Sprintf("%d of %s", p.a.budget.counted, Count(p.a.budget.attempts, "attempt"))
		if s.Attempts != p.a.budget.counted {
			attempts += fmt.Sprintf(", %d in all", s.Attempts)
		}
	}
	if n := len(p.a.Attempts); n == 1 && p.a.Attempts[0].End == "" {
		p.field("spent", attempts+", still running")
		return
	}
	what := cost(s.USD, s.Source)
	if s.USD != nil && p.a.Landing == nil && p.a.budget.usd > 0 {
		what = fmt.Sprintf("$%.2f of $%.2f (%s)", *s.USD, p.a.budget.usd, s.Source)
	}
	p.field("spent", strings.Join([]string{attempts, lasted(s.Seconds), what}, ", "))
}

// ledgers prints what reviews found and nobody closed, and what people said.
func (p whyPage) ledgers() {
	label, closed := "found", 0
	for _, f := range p.a.Findings {
		if f.State != carrier.FindingOpen {
			closed++
			continue
		}
		where := f.Severity
		if f.Path != "" {
			where += ", " + f.Place()
		}
		p.field(label, f.ID+" "+where+": "+f.Claim)
		label = ""
	}
	if closed > 0 {
		p.field(label, Count(closed, "finding")+" closed: torve findings --all --task "+p.a.Task)
	}
	f := p.a.Feedback
	if said := f.of(); said != "" {
		p.field("feedback", said)
	}
	for _, broken := range p.a.Faults {
		p.field("broken", broken.Error)
	}
}

func (p whyPage) waits() {
	agent := ""
	if n := len(p.a.Attempts); n > 0 {
		agent = p.a.Attempts[n-1].Agent.Adapter
	}
	for _, w := range p.a.Waits {
		p.field("waits", waitWords(w, agent, p.soon(p.a.now)))
	}
}

// outcome says what follows from the last attempt, and where its work is kept.
func (p whyPage) outcome() {
	a := p.a
	var lines []string
	if e := a.Escalation; e != nil {
		switch {
		case slices.Contains([]string{"verb", "grounding", "law"}, e.Check):
			lines = append(lines, "Another attempt would meet the same clause, so none was bought.")
		case e.Reason == "refused" && slices.Contains([]string{"shape", "reach"}, e.Check) && len(a.Attempts) > 1:
			lines = append(lines, "Two attempts running met the same no, so another was not bought.")
		case e.Detail != "" && len(a.Attempts) == 0 || e.Check == "":
			lines = append(lines, e.Detail)
		}
	}
	overruled := p.overruled()
	unseen := a.Settled.State == board.Landed && a.Landing == nil
	if a.Settled.Carrier != truth.Board && a.Settled.Carrier != truth.Landing || len(overruled) > 0 || unseen {
		lines = append(lines, sentence(a.Settled.Because))
		if a.hint != "" {
			lines = append(lines, sentence(a.hint))
		}
	}
	for _, o := range overruled {
		lines = append(lines, fmt.Sprintf("Overruled: the %s says %s.", o.Carrier, strings.ReplaceAll(string(o.State), "_", " ")))
	}
	if a.Kept != nil {
		lines = append(lines, "The work is kept: torve diff "+a.Task)
	}
	if a.apart != "" {
		lines = append(lines, sentence(a.apart))
	}
	if len(lines) == 0 {
		return
	}
	p.blank()
	for _, l := range lines {
		p.wrapped("", l, 0)
	}
}

// sentence begins with a capital letter and ends with a full stop.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

func (p whyPage) landing() {
	l := p.a.Landing
	if l == nil {
		return
	}
	p.blank()
	text := fmt.Sprintf("%s on %s", p.full(l.At, p.a.now), l.Target)
	if l.Work.By != "" {
		text += " by " + l.Work.By
	}
	if l.Tree != "" {
		text += ", tree " + Short(l.Tree) + " as it was judged"
	}
	p.field("landed", text)
	if l.Work.Note != "" {
		p.field("work", l.Work.Note)
	}
	if l.Work.Found == byTrailer && l.Work.To != l.Commit {
		p.field("work", fmt.Sprintf("was %s when it landed; its line was rewritten since", Short(l.Commit)))
	}
	if l.Reverted != "" {
		p.field("reverted", "by "+l.Reverted)
	}
	for _, e := range p.a.Divergences {
		if e.Proposal != "" {
			p.field("proposed", e.Decision+": "+e.Proposal)
		}
	}
}

// next prints one command in a line, several in a list with their reasons.
func (p whyPage) next() {
	steps := p.a.Next
	if len(steps) == 0 {
		return
	}
	p.blank()
	if !slices.ContainsFunc(steps, func(s Step) bool { return s.Why != "" }) {
		commands := make([]string, 0, len(steps))
		for _, s := range steps {
			commands = append(commands, s.Command)
		}
		p.line("next: %s", strings.Join(commands, " · "))
		return
	}
	p.line("next, one of")
	longest := 0
	for _, s := range steps {
		longest = max(longest, Width(s.Command))
	}
	longest = min(longest, 44)
	for _, s := range steps {
		p.line("  %-*s   %s", longest, s.Command, s.Why)
	}
}

// overruled lists the carriers whose other word is news. This host's note of a run
// that the record knows is not: it follows the record and may lag behind.
func (p *whyPage) overruled() []truth.Overruled {
	var news []truth.Overruled
	for _, o := range p.a.Settled.Overruled {
		if o.Carrier != truth.Host {
			news = append(news, o)
		}
	}
	return news
}
