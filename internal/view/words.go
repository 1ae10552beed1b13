package view

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Short is an object id or digest as people see it.
func Short(id string) string { return id[:min(len(id), 7)] }

// Count is a number with its noun: 1 attempt, 2 attempts.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Took is a duration as people say it: 0.8 s, 19 s, 5 min 20 s, 1 h 47 min.
func Took(d time.Duration) string {
	s := int(d.Seconds() + 0.5)
	switch {
	case d < 50*time.Millisecond:
		return "<0.1 s"
	case d < 9950*time.Millisecond:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600 && s%60 == 0:
		return fmt.Sprintf("%d min", s/60)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	if s/60%60 == 0 {
		return fmt.Sprintf("%d h", s/3600)
	}
	return fmt.Sprintf("%d h %d min", s/3600, s/60%60)
}

// clock is a duration beside its limit: 4:12, 1:02:03.
func clock(d time.Duration) string {
	s := int(max(0, d).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// money is a figure, or that it is unknown: unknown is never zero.
func money(usd *float64) string {
	if usd == nil {
		return "unknown"
	}
	return fmt.Sprintf("$%.2f", *usd)
}

// cost is a figure with where it comes from.
func cost(usd *float64, source string) string {
	if usd == nil {
		return "cost unknown"
	}
	return fmt.Sprintf("$%.2f (%s)", *usd, source)
}

// clean is a text on one line without control characters.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	return strings.TrimSpace(s)
}

// Width is how many columns a text takes.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// runeWidth is 2 for East Asian wide letters and pictures, 0 for combining marks.
func runeWidth(r rune) int {
	switch {
	case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) || r == 0x200d || r == 0xfe0f:
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// seconds is a figure of a file as a duration.
// lasted is how long something ran, or that nobody knows.
func lasted(s *float64) string {
	if s == nil {
		return "time unknown"
	}
	return Took(seconds(*s))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
