package cli

import (
	"fmt"
	"strings"
	"time"

	"torve/internal/dispatch"
)

func joined(a []string) string { return strings.Join(a, ", ") }

// short is an object id or digest as people read it.
func short(id string) string {
	if len(id) > 7 {
		return id[:7]
	}
	return id
}

// took is a duration as people say it: 19 s, 4 min, 1 h 47 min.
func took(d time.Duration) string {
	switch {
	case d < 100*time.Millisecond:
		return "<0.1 s"
	case d < time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 90*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// count says 1 task, 2 tasks.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// cost is what a task of this run cost; unknown is said and never zero.
func cost(o dispatch.Outcome) string {
	switch {
	case o.USD == nil && o.Unknown > 0:
		return "cost unknown"
	case o.USD == nil:
		return ""
	case o.Unknown > 0:
		return fmt.Sprintf("$%.2f + %s unknown", *o.USD, count(o.Unknown, "attempt"))
	}
	return fmt.Sprintf("$%.2f", *o.USD)
}

// cut shortens a title to a width, with an ellipsis; it counts characters, not bytes.
func cut(s string, width int) string {
	s = strings.Join(strings.Fields(s), " ")
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	return string(r[:max(0, width-1)]) + "…"
}

// wrap breaks a line between words so that it fits a width in characters; what is
// broken off is indented. A word that is longer than the width stays whole.
func wrap(line string, width, indent int) string {
	var out []string
	for len([]rune(line)) > width {
		r := []rune(line)
		at := -1
		for i := width; i > indent; i-- {
			if r[i] == ' ' {
				at = i
				break
			}
		}
		if at < 0 {
			break
		}
		out = append(out, strings.TrimRight(string(r[:at]), " "))
		line = strings.Repeat(" ", indent) + strings.TrimLeft(string(r[at:]), " ")
	}
	return strings.Join(append(out, line), "\n")
}
