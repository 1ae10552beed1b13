package attempt

import (
	"testing"

	"torve/internal/record"
)

func TestABrokenReportIsRefusedByShape(t *testing.T) {
	for name, c := range map[string]struct{ report, part string }{
		"no JSON":      {"{", "not the shape asked for"},
		"another task": {`{"task":"T-0002","summary":"","leans_on":[],"divergences":[],"halted":false}`, "the report answers for T-0002, and the task is T-0001"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			res := w.attempt("append:a.txt:four\\n", "report:"+c.report)
			wantEnd(t, res, "done")
			wantRefused(t, res, "shape", c.part)
		})
	}
}

func TestWhatAReportForAnotherTaskSaysIsNobodysWord(t *testing.T) {
	w := newWorld(t)
	w.attempt("append:a.txt:four\\n", `report:{"task":"T-0002","summary":"s","leans_on":[],"divergences":[{"decision":"unlisted","claim":"c","evidence":"a.txt:1","action":"decided","proposal":"p"}],"halted":true}`)
	if log := w.task("T-0001").Log; len(log) > 0 {
		t.Errorf("the log is %+v", log)
	}
	if f := w.finished("T-0001", 1); f.End != "done" || f.Summary != "" {
		t.Errorf("finished says %+v", f)
	}
}

func TestAHaltedReportIsNotJudged(t *testing.T) {
	halted := func(entry string) string {
		return `report:{"task":"T-0001","summary":"It cannot be done","leans_on":[],"divergences":[` + entry + `],"halted":true}`
	}
	for name, c := range map[string]struct{ entry, reason string }{
		"an entry cites a LOCKED row": {`{"decision":"S-0001/D-1","claim":"it says no","evidence":"a.txt:1","action":"halted"}`, "locked_conflict"},
		"an entry cites another row":  {`{"decision":"S-0001/D-3","claim":"which","evidence":"a.txt:1","action":"halted"}`, "underspecified"},
		"no entry":                    {``, "underspecified"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.agent("append:a.txt:four\\n", halted(c.entry))
			w.mint(task("T-0001"), rows()...)
			res := w.run(w.job("T-0001"))
			wantEnd(t, res, "halted")
			if res.Judged != nil || res.Reason != c.reason || !res.Counts || res.Why == "" {
				t.Errorf("judged %v, reason %q, counts %v, why %q", res.Judged, res.Reason, res.Counts, res.Why)
			}
			if last := w.kinds("T-0001"); last[len(last)-1] != string(record.KindFinished) {
				t.Errorf("the events are %v", last)
			}
		})
	}
}

func TestANoteAloneCanHaltOrAnswerForARow(t *testing.T) {
	t.Run("halt", func(t *testing.T) {
		w := newWorld(t)
		res := w.attempt("append:a.txt:x", `note:{"decision":"unlisted","claim":"which one","evidence":"a.txt:1","action":"halted","proposal":"say which"}`)
		wantEnd(t, res, "halted")
	})
	t.Run("answer", func(t *testing.T) {
		w := newWorld(t)
		w.agent("append:a.txt:four\\n", `note:{"decision":"S-0001/D-1","claim":"kept","evidence":"a.txt:4","action":"upheld"}`)
		w.mint(task("T-0001"), rows()[0])
		wantAccepted(t, w.run(w.job("T-0001")))
	})
	t.Run("silence", func(t *testing.T) {
		w := newWorld(t)
		w.agent("append:a.txt:four\\n")
		w.mint(task("T-0001"), rows()[0])
		wantRefused(t, w.run(w.job("T-0001")), "law", "S-0001/D-1 is LOCKED")
	})
	t.Run("evidence that is not in the tree", func(t *testing.T) {
		w := newWorld(t)
		w.agent("append:a.txt:four\\n", `note:{"decision":"S-0001/D-1","claim":"kept","evidence":"a.txt:400","action":"upheld"}`)
		w.mint(task("T-0001"), rows()[0])
		wantRefused(t, w.run(w.job("T-0001")), "law", "does not resolve")
	})
}

func TestARowsCheckIsAnAcceptanceLine(t *testing.T) {
	check := record.Row{ID: "S-0001/D-2", Grade: "ASSUMED", Text: "It is sorted", Paths: []string{"*.txt"}, Check: "sort -c a.txt"}
	t.Run("it is run", func(t *testing.T) {
		w := newWorld(t)
		w.agent("append:a.txt:four\\n")
		w.mint(task("T-0001"), check)
		wantRefused(t, w.run(w.job("T-0001")), "reach", "sort -c a.txt exited 1")
	})
	t.Run("a logged departure takes it out", func(t *testing.T) {
		w := newWorld(t)
		w.agent("append:a.txt:four\\n", `note:{"decision":"S-0001/D-2","claim":"not sorted","evidence":"a.txt:4","action":"departed","why":"order matters"}`)
		w.mint(task("T-0001"), check)
		wantAccepted(t, w.run(w.job("T-0001")))
	})
}
