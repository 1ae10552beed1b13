package upkeep

import (
	"context"
	"fmt"

	"torve/internal/truth"
)

// Level is how much a finding matters.
type Level int

// The levels: what holds, what one should know, what one may want to mend, and without
// what nothing runs.
const (
	OK Level = iota
	Note
	Odd
	Missing
)

// Finding is one thing that was looked at.
type Finding struct {
	Level Level
	About string // what it belongs to, in one word
	Says  string
	Fix   string // a command, or the edit to make; "" where there is nothing to do
}

// findings collects them.
type findings []Finding

func (f *findings) add(l Level, about, fix, format string, a ...any) {
	*f = append(*f, Finding{Level: l, About: about, Says: fmt.Sprintf(format, a...), Fix: fix})
}

// broke notes a question that could not be asked.
func (f *findings) broke(about string, err error) {
	if err != nil {
		f.add(Odd, about, "", "this could not be asked: %v", err)
	}
}

// Examine looks over the repository and what torve keeps for it here. It changes
// nothing. The reading may lack a board; nil where no carrier could be read.
func (h Home) Examine(ctx context.Context, rd *truth.Reading) []Finding {
	var f findings
	h.examineGit(ctx, &f)
	h.examineVolumes(&f)
	h.examineTarget(ctx, rd, &f)
	h.examineLocks(&f)
	if rd != nil {
		h.examineClaims(rd, &f)
		h.examineRooms(ctx, rd, &f)
	}
	h.examineFiles(ctx, &f)
	return f
}
