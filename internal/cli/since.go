package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// sinceOf reads a time in the past: an age (90m, 24h, 7d, 2w), a day where the person
// is (2026-11-30), or a time in UTC (2026-11-30T10:00:00Z).
func sinceOf(text string, now time.Time, zone *time.Location) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	if at, err := time.ParseInLocation(time.DateOnly, text, zone); err == nil {
		return at, nil
	}
	if age, ok := ageOf(text); ok {
		return now.Add(-age), nil
	}
	return time.Time{}, fmt.Errorf("%q is no age and no day", text)
}

// ageOf reads an age; days and weeks are those of the clock, of 24 hours.
func ageOf(text string) (time.Duration, bool) {
	for unit, of := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		number, ok := strings.CutSuffix(text, unit)
		if n, err := strconv.ParseUint(number, 10, 16); ok && err == nil {
			return time.Duration(n) * of, true
		}
	}
	age, err := time.ParseDuration(text)
	return age, err == nil && age >= 0
}
