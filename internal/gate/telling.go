package gate

import (
	"regexp"
	"strings"
)

// failed finds the first failing test's name in what a runner printed.
var failed = map[string]*regexp.Regexp{
	"go test":     regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`),
	"pytest":      regexp.MustCompile(`(?m)^FAILED (\S+)`),
	"cargo test":  regexp.MustCompile(`(?m)^test (\S+) \.\.\. FAILED`),
	"node --test": regexp.MustCompile(`(?m)^\s*not ok \d+ - (.+?)\s*$`),
	"vitest":      regexp.MustCompile(`(?m)^\s*FAIL\s+(.+?)\s*$`),
	"jest":        regexp.MustCompile(`(?m)^\s*● (.+?)\s*$`),
}

// Telling is the line of an output that says most: the first failing test where the
// runner is a known one and names it, else the last line that was printed. Where that is
// go's own FAIL it is the first failed test or place in a file.
func Telling(line string, output []byte, last string) string {
	name, _ := Runner(line)
	if re := failed[name]; re != nil {
		if m := re.FindSubmatch(output); m != nil {
			return string(m[1])
		}
	}
	if m := goFault.FindSubmatch(output); m != nil && strings.HasPrefix(last, "FAIL") {
		return oneLine(string(m[1]) + string(m[2]))
	}
	return last
}

// goFault is where go says what is wrong, whatever runs it: a failed test, or a place in
// a file. Its own FAIL below says nothing.
var goFault = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^(\S+\.go:[0-9]+(?::[0-9]+)?: .*)$`)
