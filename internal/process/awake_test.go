package process

import (
	"os"
	"strings"
	"testing"
	"time"
)

// Go's monotonic clock stands still while the machine sleeps, on Linux and on darwin; a
// time that has lost it is compared by the wall. So what a limit is measured from has it.
func TestLimitsAreMeasuredOnTheClockThatStandsStillWhileTheMachineSleeps(t *testing.T) {
	r, err := start(Cmd{Argv: []string{"/bin/sh", "-c", "true"}, Env: os.Environ(), Limit: time.Minute, Idle: time.Minute}.filled())
	if err != nil {
		t.Fatal(err)
	}
	end := r.watch(t.Context())
	for name, from := range map[string]time.Time{"the time that it took": r.began, "its silence": r.output.begun} {
		if !strings.Contains(from.String(), " m=") {
			t.Errorf("%s is measured from %s, which is a time of the wall", name, from)
		}
	}
	if res := r.result(end, nil); res.End != Exited || res.Took <= 0 || res.Took > time.Minute {
		t.Errorf("it came to %s after %s", res.End, res.Took)
	}
}
