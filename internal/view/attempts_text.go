package view

import (
	"fmt"
	"slices"
	"strings"

	"torve/internal/carrier"
)

// attempts prints the newest whole and the older ones in a line each; where only
// the landing is known, what its file says of the gate.
func (p whyPage) attempts() {
	n := len(p.a.Attempts)
	if n == 0 {
		p.fromLanding()
		return
	}
	for i, at := range slices.Backward(p.a.Attempts) {
		if i == n-1 {
			p.whole(at)
			continue
		}
		p.wrapped(fmt.Sprintf("attempt %d  ", at.N), ending(at), 11)
	}
}

// ending is how an older attempt came out.
func ending(at Attempt) string {
	switch {
	case at.Verdict == "refused":
		return "refused by " + at.Check + ": " + at.Reason
	case at.Verdict == "accepted":
		return "accepted"
	case at.End == "done" || at.End == "":
		return "not judged"
	case at.Why != "":
		return at.End + ": " + at.Why
	}
	return at.End
}

func (p whyPage) whole(at Attempt) {
	p.blank()
	parts := []string{writer(carrier.Agent(at.Agent))}
	span := p.When(at.Started, p.a.now)
	if !at.Ended.IsZero() {
		span += "-" + p.ended(at)
	} else {
		span = "since " + span
	}
	parts = append(parts, span, wallsOf(at.Walls), "base "+Short(at.Base))
	if l := p.a.Landing; l != nil && l.Onto != "" && at.N == l.Attempt {
		parts = append(parts, "onto "+Short(l.Onto))
	}
	p.wrapped(fmt.Sprintf("attempt %d  ", at.N), strings.Join(parts, ", "), 11)
	if at.End != "" && at.End != "done" {
		p.wrapped("  ended      ", strings.TrimSuffix(at.End+": "+at.Why, ": "), 13)
	}
	p.checks(at.Checks)
	p.flaky(at.flaky)
	p.noted(at.N)
}

// ended is the time of an attempt's end, with its day where that is another than it began.
func (p whyPage) ended(at Attempt) string {
	if p.today(at.Ended, at.Started) {
		return at.Ended.In(p.Zone).Format("15:04")
	}
	return p.When(at.Ended, p.a.now)
}

func wallsOf(w string) string {
	switch w {
	case "":
		return "walls unknown"
	case "none":
		return "no walls"
	}
	return w
}

func (p whyPage) fromLanding() {
	l := p.a.Landing
	if l == nil {
		return
	}
	p.blank()
	if l.Gate == nil {
		p.wrapped("", "attested by "+l.Attested+": a person did it by hand, and no gate judged it", 0)
		return
	}
	parts := []string{writer(l.Agent), "base " + Short(l.Base), "onto " + Short(l.Onto)}
	p.wrapped(fmt.Sprintf("attempt %d  ", l.Attempt), strings.Join(parts, ", "), 11)
	p.checks(checksOf(l.Gate))
	p.flaky(flakyOf(nil, l.Gate.Acceptance, landedFlaky))
	p.noted(l.Attempt)
	if older := l.Spent.Attempts - 1; older > 0 {
		p.wrapped("earlier    ", before(older, l.Spent.Refused)+"; the account is in the record, which is not here", 11)
	}
}

// before counts the attempts before the one that landed.
func before(n, refused int) string {
	if n == refused {
		return Count(n, "attempt") + ", refused"
	}
	return fmt.Sprintf("%s, %d refused", Count(n, "attempt"), refused)
}

// gloss is what each check asks, in words.
var gloss = map[string]string{
	"shape":     "is it the shape asked for, within its caps",
	"verb":      "is each change of a kind that is allowed",
	"grounding": "does it name only what it was given",
	"law":       "does the law permit every change",
	"reach":     "does it apply, do the tests pass",
	"freshness": "is the place still the same",
}

// checks prints the six answers of the arrival, and what was asked again when due.
func (p whyPage) checks(all []Check) {
	due := map[string]Check{}
	for _, c := range all {
		if c.Moment == "due" && c.Said != "-" {
			due[c.Check] = c
		}
	}
	n := 0
	for _, c := range all {
		if c.Moment != "arrival" {
			continue
		}
		n++
		if d, asked := due[c.Check]; asked && d.Said == "yes" && c.Check == "reach" {
			p.merged(n, c)
			continue
		}
		p.check(n, c)
	}
	for i, name := range []string{"reach", "freshness"} {
		if d := due[name]; d.Said == "no" {
			p.line("  when due:")
			p.check(i+5, d)
		}
	}
}

// merged prints an answer that was given on the merged tree too, on a second line where
// both do not fit one.
func (p whyPage) merged(n int, c Check) {
	const too = "on the merged tree too"
	if Width(c.Note)+3+len(too) <= p.Width-21 {
		c.Note += "   " + too
		p.check(n, c)
		return
	}
	p.check(n, c)
	p.line("%21s%s", "", too)
}

func (p whyPage) check(n int, c Check) {
	head := fmt.Sprintf("  %d %-10s ", n, c.Check)
	plain := fmt.Sprintf("%s%-4s ", head, c.Said)
	lead := head + p.Paint(fmt.Sprintf("%-4s ", c.Said))
	switch c.Said {
	case "no":
		for i, l := range p.Lines(plain, c.Note, Width(plain)) {
			if i == 0 {
				l = lead + strings.TrimPrefix(l, plain)
			}
			p.line("%s", l)
		}
	case "-":
		note := "not asked"
		if c.Note != "" && c.Note != note {
			note = c.Note
		}
		p.line("%s%s", lead, p.Cut(note+" ("+gloss[c.Check]+")", p.Width-Width(plain)))
	default:
		p.line("%s%s", lead, p.Cut(c.Note, p.Width-Width(plain)))
	}
}

// noted prints the log's entries of an attempt.
func (p whyPage) noted(attempt int) {
	label := "noted"
	for _, e := range p.a.Divergences {
		if e.Attempt != attempt {
			continue
		}
		row := e.Decision[strings.LastIndexByte(e.Decision, '/')+1:]
		p.line("  %-10s %s", label, p.Cut(fmt.Sprintf("%s %s, %s", row, e.Action, firstLine(e.Evidence)), p.Width-13))
		label = ""
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}
