package view

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// mostSpends rows are shown where not all are asked for.
const mostSpends = 20

// Text prints a row of figures each, the costliest first, and what they come to.
func (a SpendAnswer) Text(w io.Writer, s Style) error {
	p := newPage(s)
	p.wrapped("", a.from.spentFrom(a.told), 0)
	p.ends(a.scope(), p.zone(a.now))
	for _, l := range a.told.counts() {
		p.wrapped("", l, 0)
	}
	for _, f := range a.Faults {
		p.wrapped("broken  ", f.Error, 8)
	}
	p.blank()
	if len(a.Rows) == 0 {
		p.line("nothing was spent that is known here")
		p.line("next: torve status")
		return p.to(w)
	}
	a.figures(p)
	p.blank()
	for _, l := range a.notes() {
		p.wrapped("", l, 0)
	}
	p.line("next: %s", a.step())
	return p.to(w)
}

// spentFrom is the line above the first figure.
func (f From) spentFrom(t told) string {
	switch t.carrier {
	case fromRecord:
		return f.readFrom(fromRecord)
	case fromFiles:
		f.Why = cmp.Or(f.Why, t.why)
		return f.readFrom(fromFiles)
	case fromGit:
		return "read from git: the landing files' own figures"
	}
	return f.readFrom(fromFiles)
}

func (a SpendAnswer) scope() string {
	text := Count(a.Total.Attempts, "attempt")
	if !a.Since.IsZero() {
		text += " since " + a.Since.In(a.zone).Format("2 Jan 2006 15:04")
	}
	return text
}

// counts say how much each carrier holds, so that no figure is read as more than it is.
func (t told) counts() []string {
	var out []string
	switch n := t.ledger.Rows; {
	case t.carrier == fromGit:
		out = append(out, "nothing here tells of attempts: what never landed is not among the figures")
	case t.carrier == fromRecord && *t.ledger.Unrecorded > 0:
		out = append(out, fmt.Sprintf("%s of attempts in the record; %s in .torve/telemetry.jsonl, %d of them not in the record: torve spend --files",
			Count(len(t.rows), "row"), Count(n, "row"), *t.ledger.Unrecorded))
	case t.carrier == fromFiles:
		out = append(out, Count(n, "row")+" in .torve/telemetry.jsonl")
	}
	if b := t.beside; b != nil {
		out = append(out, fmt.Sprintf("%s of attempts in the record besides (partition %s, %s): torve spend", Count(b.Rows, "row"), b.Partition, b.Store))
	}
	if t.unasked != "" {
		out = append(out, "a record is named, and was not asked: "+t.unasked)
	}
	if t.carrier == fromFiles && t.ledger.Repeated > 0 {
		out = append(out, fmt.Sprintf("%s told twice, and counted once", Count(t.ledger.Repeated, "row")))
	}
	return out
}

func (a SpendAnswer) figures(p *page) {
	t := table{heads: heads, may: []string{"reported", "estimated", "notional"}}
	rows := a.Rows
	if !a.all && len(rows) > mostSpends+1 {
		rows = rows[:mostSpends]
	}
	for _, row := range rows {
		t.add(a.label(row), row.cells())
	}
	if rest := len(a.Rows) - len(rows); rest > 0 {
		var more Figures
		for _, row := range a.Rows[len(rows):] {
			more = more.with(row.Figures)
		}
		t.add(fmt.Sprintf("and %d more", rest), more.cells())
	}
	if len(a.Rows) > 1 {
		t.add(a.total(), a.Total.cells())
	}
	t.print(p)
}

// total says over how many kinds of figure it stands.
func (a SpendAnswer) total() string { return "total" + a.Total.over() }

// over is how many regimes some figures are of, where that is not one.
func (s Spend) over() string {
	switch {
	case s.Regimes == 0 && s.Untold > 0:
		return ", regimes not told"
	case s.Untold > 0:
		return fmt.Sprintf(" over %s and some not told", Count(s.Regimes, "regime"))
	case s.Regimes > 1:
		return fmt.Sprintf(" over %s", Count(s.Regimes, "regime"))
	}
	return ""
}

// label is what a row is told by; of a regime with what sets it apart.
func (a SpendAnswer) label(s Spend) string {
	if a.By != "regime" && s.Regimes > 1 {
		return s.Key + ", " + Count(s.Regimes, "regime")
	}
	if a.By != "regime" {
		return s.Key
	}
	return s.regime(slices.ContainsFunc(a.Rows, func(o Spend) bool {
		return o.Key != s.Key && slices.Equal(o.Agents, s.Agents) && slices.Equal(o.Tasks, s.Tasks) && slices.Equal(o.Contracts, s.Contracts)
	}))
}

// regime is a regime in words: its hash, who worked, on what; settings says that it is
// these alone that set it apart from another.
func (s Spend) regime(settings bool) string {
	if len(s.Key) != 64 {
		return s.Key
	}
	parts := []string{Short(s.Key) + "  " + strings.Join(s.Agents, ", ")}
	switch {
	case len(s.Tasks) == 1 && len(s.Contracts) == 1:
		parts = append(parts, s.Tasks[0]+" under "+Short(s.Contracts[0]))
	case len(s.Tasks) == 1:
		parts = append(parts, s.Tasks[0])
	default:
		parts = append(parts, Count(max(len(s.Contracts), len(s.Tasks)), "contract"))
	}
	if settings {
		parts = append(parts, "other settings")
	}
	return strings.Join(parts, ", ")
}

// notes explain what the figures cannot say by themselves.
func (a SpendAnswer) notes() []string {
	var out []string
	if a.Total.partial() {
		out = append(out, "+ is at least: some attempts did not say.")
	}
	if a.Undated > 0 {
		out = append(out, fmt.Sprintf("%s without a time left out.", Count(a.Undated, "row")))
	}
	if a.Total.Regimes > 1 && a.By != "regime" {
		out = append(out, "Figures of different regimes (contract, agent, model, settings) are not of one kind.")
	}
	return out
}

func (a SpendAnswer) step() string {
	switch {
	case !a.all && len(a.Rows) > mostSpends+1:
		return "torve spend --all --by " + a.By
	case a.Total.Regimes > 1 && a.By != "regime":
		return "torve spend --by regime"
	}
	return "torve context"
}

// with adds the figures of other attempts, column by column.
func (f Figures) with(o Figures) Figures {
	f.Attempts, f.Landed, f.Refused, f.Unknown = f.Attempts+o.Attempts, f.Landed+o.Landed, f.Refused+o.Refused, f.Unknown+o.Unknown
	f.Reported, f.Estimated, f.Notional = sum(f.Reported, o.Reported), sum(f.Estimated, o.Estimated), sum(f.Notional, o.Notional)
	f.TokensIn, f.TokensOut, f.TokensUnknown = sum(f.TokensIn, o.TokensIn), sum(f.TokensOut, o.TokensOut), f.TokensUnknown+o.TokensUnknown
	f.Seconds, f.SecondsUnknown = sum(f.Seconds, o.Seconds), f.SecondsUnknown+o.SecondsUnknown
	return f
}
