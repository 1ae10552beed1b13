package spec

// Inherited is a decision as a task takes it over.
type Inherited struct {
	ID    string // S-0001/D-3
	Grade string
	Text  string
	Paths []string
	Check string
	File  string // the specification's
}

// Inherit gives the rows that bind a task: LOCKED rows of every accepted
// specification whose paths meet the task's scope, which cannot be narrowed
// away, and all rows of the task's own specification, when it is accepted. meets
// says whether two lists of globs meet. The order is that of specs and tables.
func Inherit(specs []Spec, own string, allow []string, meets func(a, b []string) bool) []Inherited {
	rows := []Inherited{}
	for _, s := range specs {
		if s.Status != Accepted {
			continue
		}
		for _, d := range s.Decisions {
			if s.ID == own || d.Grade == Locked && meets(d.Paths, allow) {
				rows = append(rows, Inherited{ID: s.ID + "/" + d.ID, Grade: d.Grade, Text: d.Text, Paths: d.Paths, Check: d.Check, File: s.File})
			}
		}
	}
	return rows
}
