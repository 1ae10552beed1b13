package view_test

import (
	"bytes"
	"strings"
	"testing"

	"torve/internal/record"
	"torve/internal/view"
)

func TestWhatWasGreenOnlyOnASecondRunIsSaidWhereverItIsShown(t *testing.T) {
	s := open(t)
	c := s.mint(asked("T-0001", "Reject a stale proposal by name", inLaw))
	s.start(c.ID, 1, "first")
	s.finish(c.ID, 1, 61, record.Usage{Source: "unknown"})
	var due record.Judged
	s.judged(c.ID, 1, func(j *record.Judged) {
		j.Acceptance[0].Flaky, j.Acceptance[0].First = true, "exited 1: TestRace"
		due = *j
	})
	look := func() map[string]string {
		r, o := s.here()
		landings, err := view.Landings(t.Context(), r, o)
		if err != nil {
			t.Fatal(err)
		}
		return map[string]string{
			"status":  text(t, func(b *bytes.Buffer) error { return status(t, r, o).Text(b, wide) }),
			"why":     text(t, func(b *bytes.Buffer) error { return why(t, r, o, "T-0001").Text(b, wide) }),
			"context": text(t, func(b *bytes.Buffer) error { return planned(t, r, o).Text(b, wide) }), "landings": text(t, func(b *bytes.Buffer) error { return landings.Text(b, wide) }),
		}
	}
	before := look()
	for _, screen := range []string{"status", "why", "context"} {
		if !strings.Contains(before[screen], "flaky") || strings.Contains(before[screen], "$0.00") {
			t.Errorf("accepted: %s does not say it:\n%s", screen, before[screen])
		}
	}
	due.Moment = "due"
	for i := range due.Checks[:4] {
		due.Checks[i].Said, due.Checks[i].Note = "-", "answered on arrival"
	}
	s.fact(c.ID, 1, claimOf(c.ID, 1), record.ByLanding, due)
	s.land(c, 1, due, "law/seam.go", work)
	for screen, out := range look() {
		if !strings.Contains(out, "flaky") {
			t.Errorf("landed: %s does not say it:\n%s", screen, out)
		}
	}
	r, o := s.clone()
	for screen, out := range map[string]string{
		"why":    text(t, func(b *bytes.Buffer) error { return why(t, r, o, "T-0001").Text(b, wide) }),
		"a line": text(t, func(b *bytes.Buffer) error { return why(t, r, o, "law/seam.go:4").Text(b, wide) }),
		"status": text(t, func(b *bytes.Buffer) error { return status(t, r, o).Text(b, wide) }),
	} {
		if !strings.Contains(out, "flaky") || strings.Contains(out, "$0.00") {
			t.Errorf("in a clone: %s does not say it:\n%s", screen, out)
		}
	}
}
