package view

import (
	"slices"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/record"
)

// flakyLine is an acceptance line that was red first, and why, and then green on the
// same tree.
type flakyLine struct{ line, first string }

func ranFlaky(r record.Ran) (flakyLine, bool)     { return flakyLine{r.Line, r.First}, r.Flaky }
func landedFlaky(r carrier.Ran) (flakyLine, bool) { return flakyLine{r.Line, r.First}, r.Flaky }

// flakyOf adds the flaky ones among runs, each once.
func flakyOf[R any](all []flakyLine, runs []R, of func(R) (flakyLine, bool)) []flakyLine {
	for _, r := range runs {
		if f, flaky := of(r); flaky && !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return all
}

// flakyTask is what was flaky in the newest attempt of a task.
func flakyTask(t *board.Task) (all []flakyLine) {
	if n := len(t.Attempts); n > 0 {
		for _, j := range t.Attempts[n-1].Judged {
			all = flakyOf(all, j.Acceptance, ranFlaky)
		}
	}
	return all
}

// lines are their command lines.
func lines(all []flakyLine) []string {
	out := []string{}
	for _, f := range all {
		if l := clean(f.line); !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// flaky prints what passed only when it was run once more.
func (p whyPage) flaky(all []flakyLine) {
	for _, f := range all {
		p.wrapped("  flaky      ", clean(f.line)+" "+clean(f.first)+"; run once more on the same tree it passed", 13)
	}
}
