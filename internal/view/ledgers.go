package view

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"torve/internal/carrier"
	"torve/internal/strictyaml"
)

// The ledgers of findings and of feedback are read from their files whatever is named:
// nothing else holds what they hold.

// faultsOf makes faults of what a ledger's reader named, with the file as people call it.
func (o Options) faultsOf(broken []*strictyaml.Error) []Fault {
	out := []Fault{}
	for _, f := range broken {
		here := *f
		if o.Repo != nil && o.Repo.Main != "" {
			here.File = strings.TrimPrefix(f.File, o.Repo.Main+"/")
		}
		out = append(out, Fault{Path: here.File, Error: here.Error(), Hint: here.Hint})
	}
	return out
}

// FindingsAnswer is the ledger of findings, the gravest first.
type FindingsAnswer struct {
	Rows   int // of the file that read
	Found  []carrier.Found
	Faults []Fault

	there bool // a ledger can be kept here
	only  string
	all   bool
	now   time.Time
}

// Findings reads the ledger: what is open, or with All everything; of Only, or of all.
func Findings(o Options) (FindingsAnswer, error) {
	a := FindingsAnswer{Faults: []Fault{}, only: o.Only, all: o.All, now: o.Now, there: o.Findings != ""}
	if !a.there {
		return a, nil
	}
	l, broken, err := carrier.ReadFindings(o.Findings)
	if err != nil {
		return FindingsAnswer{}, err
	}
	a.Rows, a.Faults = l.Rows, o.faultsOf(broken)
	for _, f := range l.Found {
		if o.Only == "" || f.Task == o.Only {
			a.Found = append(a.Found, f)
		}
	}
	slices.SortStableFunc(a.Found, func(a, b carrier.Found) int {
		return cmp.Or(cmp.Compare(slices.Index(carrier.Severities, a.Severity), slices.Index(carrier.Severities, b.Severity)), a.At.Compare(b.At))
	})
	return a, nil
}

// open are the findings that nobody has closed.
func (a FindingsAnswer) open() []carrier.Found {
	return slices.DeleteFunc(slices.Clone(a.Found), func(f carrier.Found) bool { return f.State != carrier.FindingOpen })
}

// Text prints the findings by their severity, each with its claim.
func (a FindingsAnswer) Text(w io.Writer, s Style) error {
	p := newPage(s)
	p.ends("read from .torve/findings.jsonl: "+Count(a.Rows, "row"), p.zone(a.now))
	for _, f := range a.Faults {
		p.wrapped("broken  ", f.Error, 8)
	}
	shown := a.open()
	if a.all {
		shown = a.Found
	}
	for _, severity := range carrier.Severities {
		p.severity(severity, shown, a.now)
	}
	p.blank()
	p.line("%s", a.counts())
	p.line("next: %s", a.step())
	return p.to(w)
}

func (p *page) severity(severity string, all []carrier.Found, now time.Time) {
	of := slices.DeleteFunc(slices.Clone(all), func(f carrier.Found) bool { return f.Severity != severity })
	if len(of) == 0 {
		return
	}
	p.blank()
	p.line("%s", p.Bold(fmt.Sprintf("%s (%d)", severity, len(of))))
	for _, f := range of {
		p.ends(strings.TrimRight(fmt.Sprintf("  %s  %s  %s", f.ID, f.Task, f.Place()), " "), p.When(f.At, now))
		p.wrapped("             ", f.Claim, 13)
		if f.State != carrier.FindingOpen {
			p.wrapped("             ", strings.TrimSuffix(fmt.Sprintf("%s by %s, %s: %s", f.State, f.ClosedBy, p.When(f.ClosedAt, now), f.Why), ": "), 13)
		}
	}
}

// counts says how many findings stand how.
func (a FindingsAnswer) counts() string {
	n := map[string]int{}
	for _, f := range a.Found {
		n[f.State]++
	}
	text := fmt.Sprintf("%d open, %d fixed, %d dismissed", n[carrier.FindingOpen], n[carrier.FindingFixed], n[carrier.FindingDismissed])
	if a.only != "" {
		text = a.only + ": " + text
	}
	return text
}

func (a FindingsAnswer) step() string {
	if open := a.open(); len(open) > 0 {
		return "torve findings close " + open[0].ID + " --fixed"
	}
	return "torve status"
}

// Feedback is what tasks took of them, as they said.
type Feedback struct {
	Rows    int      `json:"rows"`
	Tasks   int      `json:"tasks"`
	Minutes *float64 `json:"minutes"` // of those that said; null: nobody did
	Unsaid  int      `json:"unsaid"`  // tasks of which nobody said any
	Rework  int      `json:"rework"`  // tasks that had to be done again, or a part of them
	Notes   []Note   `json:"notes"`

	faults []Fault
}

// Note is a line that a person wrote of a task.
type Note struct {
	At   time.Time `json:"at"`
	Task string    `json:"task"`
	By   string    `json:"by"`
	Note string    `json:"note"`
}

// feedback adds up the ledger of what tasks took of people, of Only or of all.
func (o Options) feedback() (Feedback, error) {
	f := Feedback{Notes: []Note{}}
	if o.Feedback == "" {
		return f, nil
	}
	rows, broken, err := carrier.ReadFeedback(o.Feedback)
	if err != nil {
		return f, err
	}
	f.faults = o.faultsOf(broken)
	minutes, rework := map[string]bool{}, map[string]bool{}
	for _, row := range rows {
		if o.Only != "" && row.Task != o.Only || row.At.Before(o.Since) {
			continue
		}
		f.Rows++
		minutes[row.Task] = minutes[row.Task] || row.Minutes != nil
		rework[row.Task] = rework[row.Task] || row.Rework
		if row.Minutes != nil {
			f.Minutes = sum(f.Minutes, row.Minutes)
		}
		if row.Note != "" {
			f.Notes = append(f.Notes, Note{row.At, row.Task, row.By, row.Note})
		}
	}
	f.Tasks = len(minutes)
	for task := range minutes {
		if !minutes[task] {
			f.Unsaid++
		}
		if rework[task] {
			f.Rework++
		}
	}
	slices.SortStableFunc(f.Notes, func(a, b Note) int { return b.At.Compare(a.At) })
	return f, nil
}

// said is the feedback in a line; "" where nobody said a thing.
func (f Feedback) said() string {
	if f.Rows == 0 {
		return ""
	}
	parts := []string{Count(f.Tasks, "task")}
	if f.Minutes != nil {
		parts = append(parts, Took(seconds(60**f.Minutes)))
	}
	if f.Unsaid > 0 {
		parts = append(parts, fmt.Sprintf("minutes of %d not said", f.Unsaid))
	}
	return strings.Join(append(parts, fmt.Sprintf("rework in %d", f.Rework)), ", ")
}

// of is the feedback on one task in a line; "" where nobody said a thing.
func (f Feedback) of() string {
	var parts []string
	if f.Minutes != nil {
		parts = append(parts, Took(seconds(60**f.Minutes)))
	}
	if f.Rework > 0 {
		parts = append(parts, "rework")
	}
	text := strings.Join(parts, ", ")
	for _, n := range f.Notes {
		text = strings.TrimSpace(text + fmt.Sprintf(" %q", n.Note))
	}
	return text
}
