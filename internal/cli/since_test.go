package cli

import (
	"testing"
	"time"
)

func TestSinceIsAnAgeADayOrATime(t *testing.T) {
	cet := time.FixedZone("CET", 3600)
	now := time.Date(2026, 12, 3, 8, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"": "0001-01-01T00:00:00Z", "7d": "2026-11-26T08:00:00Z", "2w": "2026-11-19T08:00:00Z", "24h": "2026-12-02T08:00:00Z", "90m": "2026-12-03T06:30:00Z",
		"0d": "2026-12-03T08:00:00Z", "2026-12-01": "2026-11-30T23:00:00Z", "2026-12-01T10:00:00Z": "2026-12-01T10:00:00Z", "2026-12-01T10:00:00+01:00": "2026-12-01T09:00:00Z",
	} {
		got, err := sinceOf(text, now, cet)
		if err != nil || got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q is %v, %v; want %s", text, got.UTC(), err, want)
		}
	}
	for _, text := range []string{"7", "d", "-7d", "-1h", "yesterday", "2026-13-01", "1e3d", "7 d", "99999999d"} {
		if got, err := sinceOf(text, now, cet); err == nil {
			t.Errorf("%q is taken as %v", text, got)
		}
	}
}
