package cli

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// onThePage is a command of the page: its flags, and which of its lines are shown.
var onThePage = regexp.MustCompile(`^\$ bin/decide (.*?)(?: \| tail -(\d+))?(?: \| head -(\d+))?$`)

func TestThePageOfTheBenchShowsWhatTheBenchPrints(t *testing.T) {
	text, err := os.ReadFile("../../docs/decide.md")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for i, block := range strings.Split(string(text), "\n```\n") {
		if i%2 == 0 {
			continue
		}
		command, shown, _ := strings.Cut(block, "\n")
		m := onThePage.FindStringSubmatch(command)
		if m == nil {
			t.Errorf("%q is no command of the bench", command)
			continue
		}
		asked++
		code, out, errs := decided(t, t.TempDir(), nil, strings.Fields(m[1])...)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if n, err := strconv.Atoi(m[2]); err == nil {
			lines = lines[max(len(lines)-n, 0):]
		}
		if n, err := strconv.Atoi(m[3]); err == nil {
			lines = lines[:min(n, len(lines))]
		}
		if code != 0 || !slices.Equal(lines, strings.Split(shown, "\n")) {
			t.Errorf("%s: %d\n%s\n%s", command, code, strings.Join(lines, "\n"), errs)
		}
	}
	if asked < 5 {
		t.Errorf("%d commands are on the page", asked)
	}
}
