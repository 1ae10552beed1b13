package attempt

import (
	"fmt"
	"strings"

	"torve/internal/seam"
	"torve/internal/workload"
)

// What a repair is told is what the place shows of the work that was refused: the command
// that failed and what it printed, how many files are changed, what of the report does
// not read. It is never a word of the verdict. The hunks of a conflict are added by
// whoever cuts the repair, over the head as it is then.

// shown is what the place shows of a refusal that a repair may mend; "" of any other.
func (p *place) shown(j workload.Judged, raw []byte) string {
	switch {
	case j.Verdict.OK:
		return ""
	case j.Verdict.Failed == seam.OnReach:
		return p.failed
	case j.Verdict.Failed == seam.OnShape:
		return p.shape(raw)
	}
	return ""
}

// shape is how the work looks from outside.
func (p *place) shape(raw []byte) string {
	var lines []string
	if read, _ := workload.Report(raw, nil); read != nil {
		switch why := read.Wrong(); {
		case why != "":
			lines = append(lines, "The report at $TORVE_REPORT is not in the form above: "+oneLine(masked(why)))
		case read.Task != p.job.Task.ID:
			lines = append(lines, fmt.Sprintf("The report at $TORVE_REPORT is on %s, and this is %s.", oneLine(read.Task), p.job.Task.ID))
		}
	}
	switch most := p.job.Task.Contract.Budget.Changes; {
	case p.changed == 0:
		lines = append(lines, "$ git status --short\n(nothing: every file is as it was)")
	case most > 0 && p.changed > most:
		lines = append(lines, fmt.Sprintf("$ git status --short | wc -l\n%d\n(at most %d may be changed)", p.changed, most))
	}
	return strings.Join(lines, "\n\n")
}

// conflicting introduces the hunks of kept work that does not merge.
func conflicting(target, hunks string) string {
	return fmt.Sprintf("%s has moved on, and this does not merge with it. At the paths below the files hold what %[1]s has\n"+
		"now (`ours`); what the work had there is `theirs`.\n\n%[2]s", target, hunks)
}
