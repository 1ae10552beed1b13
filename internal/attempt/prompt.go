package attempt

import (
	"fmt"
	"strings"

	"torve/internal/contract"
	"torve/internal/record"
)

// brief is all that a prompt is made of. Nothing in it tells an attempt that
// others came before: a fresh one's bytes are the same either way.
type brief struct {
	Contract   contract.Contract
	Rows       []record.Row
	Acceptance []string // the repository's own lines
	Landings   []string // of the dependencies: "T-0003 landed: <path of its landing file>"
	GoesOn     bool     // the files hold kept work
	Evidence   string   // of the place; only when it goes on
}

// prompt is what the agent is told.
func prompt(b brief) []byte {
	var w writer
	c := b.Contract
	w.line("# %s: %s", c.ID, oneLine(c.Title))
	w.text(c.Intent)
	w.place(c)
	w.acceptance(c, b.Acceptance)
	w.decisions(b.Rows)
	w.list("What this stands on", "These tasks have landed; their files say what was done and why.", b.Landings)
	w.report(c.ID, len(b.Rows) > 0)
	w.before(b)
	w.line("")
	w.line("Before you stop, run `torve gate`; it answers the first four checks on your tree.")
	return []byte(w.String())
}

type writer struct{ strings.Builder }

func (w *writer) line(format string, a ...any) { fmt.Fprintf(w, format+"\n", a...) }

func (w *writer) head(title string) { w.line("\n## %s\n", title) }

// text is a person's own words as they stand.
func (w *writer) text(s string) {
	if s = strings.TrimSpace(s); s != "" {
		w.line("\n%s", s)
	}
}

func (w *writer) list(title, says string, items []string) {
	if len(items) == 0 {
		return
	}
	w.head(title)
	w.line("%s\n", says)
	for _, it := range items {
		w.line("- %s", it)
	}
}

// place is where the work may touch, by what verbs, and how much of it there may be.
func (w *writer) place(c contract.Contract) {
	w.head("Where you may work")
	w.line("- You may touch only: %s", quoted(c.Scope.Allow))
	if len(c.Scope.Deny) > 0 {
		w.line("- Never, even inside that: %s", quoted(c.Scope.Deny))
	}
	w.line("- You may: %s", strings.Join(c.Verbs, ", "))
	if c.Budget.Changes > 0 {
		w.line("- At most %d changed paths.", c.Budget.Changes)
	}
	if c.Budget.Lines > 0 {
		w.line("- At most %d changed lines.", c.Budget.Lines)
	}
	w.line("- %s", testsRule(c.Tests))
	w.line("- Never touch .torve/ or .wt/, and commit or not as you like: the files are taken as you leave them.")
}

func testsRule(tests string) string {
	if tests == "change" {
		return "Tests may change, and may go where the task asks for it."
	}
	return "No test may be lost: delete no test file, take no lines from one, skip none."
}

func (w *writer) acceptance(c contract.Contract, repository []string) {
	lines := append(append([]string{}, c.Acceptance...), repository...)
	if len(lines) == 0 {
		return
	}
	w.head("What must pass on the tree you leave")
	w.line("Each with /bin/sh, from the root of the tree, in this order:\n")
	for _, l := range lines {
		w.line("    %s", strings.ReplaceAll(l, "\n", "\n    "))
	}
}

// decisions are the minted rows, word for word, with what each grade owes.
func (w *writer) decisions(rows []record.Row) {
	if len(rows) == 0 {
		return
	}
	w.head("Decisions that bind you")
	for i, r := range rows {
		if i > 0 {
			w.line("")
		}
		w.line("%s %s", r.ID, r.Grade)
		w.line("%s", indented(r.Text))
		if len(r.Paths) > 0 {
			w.line("    paths: %s", quoted(r.Paths))
		}
		w.line("    %s", owes(r))
	}
}

// owes is what a row asks of the executor when a change touches its paths.
func owes(r record.Row) string {
	switch {
	case r.Grade == "LOCKED" && r.Check != "":
		return "Keep it, or halt. It is checked by: " + r.Check
	case r.Grade == "LOCKED":
		return "Keep it, or halt. If you touch its paths, leave an `upheld` entry with evidence."
	case r.Grade == "ASSUMED" && r.Check != "":
		return "You may depart from it in a `departed` entry that says why. Else it is checked by: " + r.Check
	case r.Grade == "ASSUMED":
		return "You may depart from it in a `departed` entry that says why."
	case r.Check != "":
		return "It is open: you decide. It is checked by: " + r.Check
	}
	return "It is open: decide it, and if you touch its paths say what you decided in a `decided` entry."
}

// report is the form of the account that an agent may leave.
func (w *writer) report(task string, rows bool) {
	w.head("The report")
	if rows {
		w.line("Entries for the decisions above go into a JSON file at the path in $TORVE_REPORT:")
	} else {
		w.line("You may leave a JSON file at the path in $TORVE_REPORT:")
	}
	w.line(`
    {"task": %q, "summary": "one sentence", "leans_on": [],
     "divergences": [{"decision": "S-0001/D-1", "claim": "what holds now",
       "evidence": "path/to/file:12", "action": "upheld", "why": "", "proposal": ""}],
     "halted": false}
`, task)
	w.line("- action is upheld, departed, decided or halted; departed needs a why.")
	w.line("- evidence is a path:line in your tree, or a command with its output.")
	w.line("- leans_on names decisions and tasks from this page that the work rests on.")
	w.line("- A decision that no document lists is \"unlisted\", with a proposal.")
	w.line("- When the task cannot be done as asked, set halted to true, and say why in an entry.")
	w.line("- `torve note` adds an entry without the file.")
}

// before is what a repair is told of the place: never what was said of the work.
func (w *writer) before(b brief) {
	if !b.GoesOn {
		return
	}
	w.head("Where the work stands")
	w.line("The files already hold work on this task. Go on from them.")
	if b.Evidence != "" {
		w.line("\n%s", indented(b.Evidence))
	}
}

// indented sets a text apart, so that no line of it reads as one of the page.
func indented(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight("    "+l, " \r")
	}
	return strings.Join(lines, "\n")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func quoted(globs []string) string {
	q := make([]string, len(globs))
	for i, g := range globs {
		q[i] = "`" + g + "`"
	}
	return strings.Join(q, ", ")
}
