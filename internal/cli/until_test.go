package cli

import (
	"strings"
	"testing"
	"time"
)

func TestATimeOfDayIsTheNextSuchAndAnythingElseIsSaidToBeNone(t *testing.T) {
	was := time.Local
	time.Local = time.FixedZone("CET", 3600)
	defer func() { time.Local = was }()
	now := time.Date(2026, 12, 31, 21, 30, 15, 0, time.UTC) // 22:30:15 here
	for _, c := range []struct{ text, want, fault string }{
		{"23:00", "2026-12-31T23:00:00+01:00", ""},
		{"22:31", "2026-12-31T22:31:00+01:00", ""},
		{"22:30", "2027-01-01T22:30:00+01:00", ""},
		{"07:00", "2027-01-01T07:00:00+01:00", ""},
		{"7:00", "2027-01-01T07:00:00+01:00", ""},
		{" 07:00 ", "2027-01-01T07:00:00+01:00", ""},
		{"2026-12-31T23:00:00Z", "2027-01-01T00:00:00+01:00", ""},
		{"2026-12-31T21:30:00Z", "", "is past"},
		{"24:00", "", "is no time"},
		{"7", "", "is no time"},
		{"07:00:00", "", "is no time"},
		{"tomorrow", "", "is no time"},
		{"-1:00", "", "is no time"},
		{"", "", "is no time"},
	} {
		got, err := untilAt(c.text, now)
		switch {
		case c.fault != "":
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%q: %v", c.text, err)
			}
		case err != nil || got.In(time.Local).Format(time.RFC3339) != c.want:
			t.Errorf("%q: %s, %v", c.text, got, err)
		}
	}
}

func TestTheTimeThatIsNamedToGoOnLeavesAnHourAndReadsBack(t *testing.T) {
	was := time.Local
	time.Local = time.FixedZone("CET", 3600)
	defer func() { time.Local = was }()
	now := time.Date(2026, 12, 3, 2, 0, 0, 0, time.UTC)
	for limit, want := range map[string]string{
		"2026-12-03T04:10:00Z": "07:00",
		"2026-12-03T21:59:59Z": "00:00",
		"2026-12-04T04:10:00Z": "2026-12-04T07:00:00+01:00",
		"2099-01-01T00:00:00Z": "2099-01-01T03:00:00+01:00",
	} {
		at, err := time.Parse(time.RFC3339, limit)
		if err != nil {
			t.Fatal(err)
		}
		got := untilText(after(at), now)
		back, err := untilAt(got, now)
		if got != want || err != nil || !back.Equal(after(at)) || back.Sub(at) < time.Hour {
			t.Errorf("%s: %s, which is %s, %v", limit, got, back, err)
		}
	}
}
