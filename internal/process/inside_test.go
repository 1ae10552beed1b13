package process_test

import (
	"slices"
	"strings"
	"testing"

	"torve/internal/process"
)

// The environment that a process was given does not hide whose run it is of.
func TestARunIsKnownInsideWhateverTheEnvironmentSays(t *testing.T) {
	for name, argv := range map[string][]string{
		"as it is":               fake("inside"),
		"its environment shed":   {"/bin/sh", "-c", "env -i " + strings.Join(fake("inside"), " ") + "; true"},
		"and another mark given": {"/bin/sh", "-c", "env TORVE_RUN=other " + strings.Join(fake("inside"), " ") + "; true"},
	} {
		t.Run(name, func(t *testing.T) {
			res := process.Run(t.Context(), process.Cmd{Argv: argv, Env: process.Environ(), Mark: "claim1"})
			if got := strings.Fields(string(res.Output)); !slices.Contains(got, "claim1") {
				t.Errorf("inside %q", got)
			}
		})
	}
	if got := process.Inside(); slices.Contains(got, "claim1") {
		t.Errorf("outside it is %q", got)
	}
}
