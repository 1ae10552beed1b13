package carrier

import (
	"fmt"
	"slices"
	"time"
)

// ReadLanding reads a landing strictly: its schema, its keys, and that name,
// task and place agree. path is the one in the tree. The error is a
// *strictyaml.Error.
func ReadLanding(path string, data []byte) (Landing, error) {
	if l, ok := quickLanding(data); ok {
		_, wrong := l.wrong()
		if _, misplaced := l.misplaced(path); wrong == "" && misplaced == "" {
			return l, nil
		}
	}
	var l Landing
	d, err := document(path, data, LandingSchema, &l)
	if err != nil {
		return Landing{}, err
	}
	if key, why := l.wrong(); why != "" {
		return Landing{}, d.Fault(why, "", key)
	}
	if key, why := l.misplaced(path); why != "" {
		return Landing{}, d.Fault(why, "a landing is never edited or moved: git log -- "+path, key)
	}
	return l, nil
}

// wrong says which key of a landing cannot be as it is, and why.
func (l *Landing) wrong() (key, why string) {
	switch {
	case !ValidTask(l.Task):
		return "task", fmt.Sprintf("task is %q, and an id such as T-0007 is wanted", l.Task)
	case l.Spec != "" && !validSpec(l.Spec):
		return "spec", fmt.Sprintf("spec is %q, and an id such as S-0001 is wanted", l.Spec)
	case l.Attempt < 0:
		return "attempt", fmt.Sprintf("attempt is %d, and 0 or more is wanted", l.Attempt)
	case l.At.IsZero():
		return "at", "at is not given"
	case l.Commit == "":
		return "commit", "commit is not given"
	case l.Gate == nil && l.Attested == "":
		return "gate", "no gate judged this, and no person attests it"
	case l.Gate != nil && l.Attested != "":
		return "attested_by", "a person attests this, and the gate judged it: it is one or the other"
	}
	if at, why := wrongEntry(l.Entries); why != "" {
		return "entries", fmt.Sprintf("entry %d: %s", at+1, why)
	}
	if i := slices.IndexFunc(l.Reverts, func(id string) bool { return !ValidTask(id) || id == l.Task }); i >= 0 {
		return "reverts", fmt.Sprintf("reverts names %q, and the id of another task is wanted", l.Reverts[i])
	}
	return "", ""
}

// misplaced says which key disagrees with the file's own path.
func (l *Landing) misplaced(path string) (key, why string) {
	task, attempt, at, ok := ParseLandingPath(path)
	dir, _, _ := LandingPlace(path)
	switch {
	case !ok:
		return "task", "this is not the name of a landing: " + LandingPath(l.Task, l.Spec, l.Attempt, l.At) + " is wanted"
	case task != l.Task:
		return "task", fmt.Sprintf("task is %s, and the file is named for %s", l.Task, task)
	case attempt != l.Attempt:
		return "attempt", fmt.Sprintf("attempt is %d, and the file is named for attempt %d", l.Attempt, attempt)
	case !at.Equal(l.At):
		return "at", fmt.Sprintf("at is %s, and the file is named for %s", l.At.UTC().Format(time.RFC3339), at.Format(time.RFC3339))
	case dir != LandingDir(l.Spec):
		return "spec", fmt.Sprintf("the file stands in %s, and a landing with this spec belongs in %s", dir, LandingDir(l.Spec))
	}
	return "", ""
}

// WriteLanding gives the one form of a landing: the same landing is always the
// same bytes, and never more than Cap of them. What is larger is cut, longest
// texts first, and named by digest under cut.
func WriteLanding(l Landing) ([]byte, error) {
	l.Schema, l.At, l.Entries = LandingSchema, second(l.At), inSeconds(l.Entries)
	if _, why := l.wrong(); why != "" {
		return nil, fmt.Errorf("writing the landing of %s: %s", l.Task, why)
	}
	data, err := fit(func(c *cutter) any { return l.cut(c) })
	if err != nil {
		return nil, fmt.Errorf("writing the landing of %s: %w", l.Task, err)
	}
	// It can never be mended once it is committed.
	if _, err := ReadLanding(LandingPath(l.Task, l.Spec, l.Attempt, l.At), data); err != nil {
		return nil, fmt.Errorf("writing the landing of %s: it does not read back: %w", l.Task, err)
	}
	return data, nil
}

// cut is the landing with no text and no list above the cutter's limits.
func (l Landing) cut(c *cutter) Landing {
	l.Title = c.text("title", l.Title)
	l.Intent = c.text("intent", l.Intent)
	l.Scope.Allow = list(c, "scope.allow", l.Scope.Allow)
	l.Scope.Deny = list(c, "scope.deny", l.Scope.Deny)
	l.Decisions = list(c, "decisions", l.Decisions)
	for i := range l.Decisions {
		d := &l.Decisions[i]
		d.Text = c.text(fmt.Sprintf("decisions[%d].text", i), d.Text)
	}
	l.Entries = cutEntries(c, l.Entries)
	if l.Gate != nil {
		l.Gate = l.Gate.cut(c)
	}
	l.Cut = c.cuts
	return l
}

func (g Gate) cut(c *cutter) *Gate {
	g.Checks = list(c, "gate.checks", g.Checks)
	for i := range g.Checks {
		a := &g.Checks[i]
		a.Note = c.text(fmt.Sprintf("gate.checks[%d].note", i), a.Note)
	}
	g.Acceptance = list(c, "gate.acceptance", g.Acceptance)
	for i := range g.Acceptance {
		r := &g.Acceptance[i]
		r.Line = c.text(fmt.Sprintf("gate.acceptance[%d].line", i), r.Line)
		r.First = c.text(fmt.Sprintf("gate.acceptance[%d].first", i), r.First)
	}
	return &g
}
