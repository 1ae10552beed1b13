package cli

import (
	"fmt"
	"strings"
	"time"
)

// untilForms are how a time is written after which nothing starts.
const untilForms = "a time of day such as 07:00, or RFC 3339 such as 2026-01-31T07:00:00+01:00"

// untilAt is the time that --until or dispatch.until names: the next such time of day
// here, or the very time. An error says what is wrong with it.
func untilAt(text string, now time.Time) (time.Time, error) {
	now = now.In(time.Local)
	if day, err := time.Parse("15:04", strings.TrimSpace(text)); err == nil {
		return nextTime(day, now), nil
	}
	at, err := time.Parse(time.RFC3339, strings.TrimSpace(text))
	switch {
	case err != nil:
		return time.Time{}, fmt.Errorf("%q is no time: it may be %s", text, untilForms)
	case !at.After(now):
		return time.Time{}, fmt.Errorf("%q is past", text)
	}
	return at, nil
}

// nextTime is when the clock here shows a time of day next. Where clocks are put back it
// comes twice, and where they are put forward not at all: then it is as long after.
func nextTime(day, now time.Time) time.Time {
	var at time.Time
	for days := range 2 {
		at = time.Date(now.Year(), now.Month(), now.Day()+days, day.Hour(), day.Minute(), 0, 0, time.Local)
		shown := false
		for _, by := range []time.Duration{-time.Hour, -time.Hour / 2, 0, time.Hour / 2, time.Hour} {
			other := at.Add(by)
			if other.Hour() != day.Hour() || other.Minute() != day.Minute() {
				continue
			}
			if shown = true; other.After(now) {
				return other
			}
		}
		if shown {
			continue
		}
		if at.Hour()*60+at.Minute() < day.Hour()*60+day.Minute() {
			at = at.Add(time.Hour)
		}
		if at.After(now) {
			return at
		}
	}
	return at
}

// untilText is how a time is written for untilAt: the time of day where it is the next
// such, else the whole.
func untilText(at, now time.Time) string {
	at = at.In(time.Local)
	if text := at.Format("15:04"); at.Second() == 0 {
		if next, err := untilAt(text, now); err == nil && next.Equal(at) {
			return text
		}
	}
	return at.Format(time.RFC3339)
}

// after is a round time that leaves at least an hour's work behind another.
func after(at time.Time) time.Time {
	at = at.In(time.Local)
	return time.Date(at.Year(), at.Month(), at.Day(), at.Hour()+2, 0, 0, 0, time.Local)
}
