package agent

import (
	"regexp"
	"time"
)

// NotNow is the exit code by which a command of the person's own says that a usage limit
// was met: EX_TEMPFAIL of sysexits, "try again later". What stands in the tree is kept and
// gone on from; nothing is judged and nothing counts.
const NotNow = 75

// when is how the last line that was printed may say until when: a time in RFC 3339, or
// how long from now (90s, 1h30m).
var when = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)|\b(?:\d+(?:\.\d+)?[hms])+\b`)

// longestWait bounds a wait that a command may ask for by a length of time.
const longestWait = 7 * 24 * time.Hour

// notNow reads the limit of a command that ended by it; last is the last line it printed.
func notNow(out *Outcome, name, last string) {
	out.End, out.Why = Quota, name+" met its limit"
	if last != "" {
		out.Why = name + " says: " + last
	}
	for _, word := range when.FindAllString(last, -1) {
		if at, err := time.Parse(time.RFC3339, word); err == nil {
			out.Until = at.UTC()
			return
		}
		if d, err := time.ParseDuration(word); err == nil && d > 0 {
			out.After = min(d, longestWait)
			return
		}
	}
}
