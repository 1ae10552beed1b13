package gate

import (
	"fmt"
	"strings"
	"time"

	"torve/internal/seam"
)

// reach asks whether the place itself allows it: the budget pays for it, and
// every acceptance line was run and is green. A merge that conflicts has no tree
// to run on: then arrival's answer stands, and freshness alone refuses.
func reach(p Proposal, n seam.Part, r Reading) seam.Verdict {
	no := func(why string) seam.Verdict { return seam.Refused(seam.OnReach, why) }
	if r.Money != "" {
		return no(r.Money)
	}
	if n != seam.Whole && len(r.Conflicts) > 0 {
		return seam.Accepted()
	}
	for _, ran := range r.Runs {
		if why := ran.notGreen(); why != "" {
			return no(why)
		}
	}
	switch {
	case len(r.Runs) < r.Planned:
		return no(notRun(p, len(r.Runs), r.Planned))
	case len(r.Runs) == 0 && p.Bound():
		return no("there is no acceptance line, and what was not run is not green")
	}
	return seam.Accepted()
}

// notGreen is the sentence for a line that is not green; empty when it is. A
// reading that calls a failed line green is not believed.
func (r Ran) notGreen() string {
	why := r.Why
	if why == "" {
		why = Why(r.Line, r.Exit, r.Tests, 0)
	}
	if why == "" {
		return ""
	}
	last := oneLine(r.Last)
	if last != "" && !strings.Contains(why, last) && (strings.HasPrefix(why, exited) || strings.HasPrefix(why, absent)) {
		why += ": " + last
	}
	return oneLine(r.Line) + " " + why
}

const (
	exited = "exited "
	absent = "is not there"
)

// Why says why an acceptance line is not green; empty when it is. Over is the
// limit that ended it, 0 when none did; exit is -1 when it did not exit by
// itself; tests is how many ran, -1 when that is not known.
func Why(line string, exit, tests int, over time.Duration) string {
	switch {
	case over > 0:
		return "did not end within " + limit(over)
	case exit == 126 || exit == 127:
		return absent
	case exit < 0:
		return "did not exit by itself"
	case exit != 0:
		return fmt.Sprintf("%s%d", exited, exit)
	case tests == 0:
		if _, known := Runner(line); known {
			return "ran no test"
		}
	}
	return ""
}

// limit prints a duration as a person wrote it: 10m, not 10m0s.
func limit(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// mostRunes of a program's last line that a reason carries.
const mostRunes = 200

// oneLine is what a program or a report said, made fit for one line of a reason.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(stripColour(s), "?"))
	s = strings.TrimSpace(s)
	if r := []rune(s); len(r) > mostRunes {
		s = string(r[:mostRunes]) + "…"
	}
	return s
}

func notRun(p Proposal, ran, planned int) string {
	if ran < len(p.Contract.Acceptance) {
		return oneLine(p.Contract.Acceptance[ran]) + " was not run"
	}
	return fmt.Sprintf("acceptance line %d of %d was not run", ran+1, planned)
}

func sawReach(r Reading) string {
	if len(r.Conflicts) > 0 && len(r.Runs) == 0 {
		return "as on arrival: it does not merge, and nothing was run"
	}
	parts := make([]string, 0, len(r.Runs))
	for _, ran := range r.Runs {
		s := fmt.Sprintf("%s %.1f s", oneLine(ran.Line), ran.Seconds)
		switch {
		case ran.Again:
			s = oneLine(ran.Line) + " passed on this very tree before"
		case ran.Tests < 0:
			s += ", tests: not counted"
		default:
			s += ", " + counted(ran.Tests, "test")
		}
		if ran.Flaky {
			s += ", flaky: it " + oneLine(ran.First) + ", and passed when it was run once more"
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "; ")
}
