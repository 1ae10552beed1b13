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

func TestATimeOfDayIsTheNextSuchWhereTheClocksArePutForwardOrBack(t *testing.T) {
	was := time.Local
	defer func() { time.Local = was }()
	for _, c := range []struct{ zone, now, text, want string }{
		{"Europe/Berlin", "2026-10-25T01:00:00+02:00", "02:30", "2026-10-25T02:30:00+02:00"}, // it comes twice: the first
		{"Europe/Berlin", "2026-10-25T02:40:00+02:00", "02:30", "2026-10-25T02:30:00+01:00"},
		{"Europe/Berlin", "2026-10-25T02:40:00+01:00", "02:30", "2026-10-26T02:30:00+01:00"},
		{"America/New_York", "2026-11-01T01:10:00-05:00", "01:30", "2026-11-01T01:30:00-05:00"},
		{"America/New_York", "2026-03-08T01:45:00-05:00", "02:30", "2026-03-08T03:30:00-04:00"}, // it does not come: as long after
		{"Europe/Berlin", "2026-03-29T01:45:00+01:00", "02:30", "2026-03-29T03:30:00+02:00"},
		{"Australia/Lord_Howe", "2026-04-05T01:50:00+11:00", "01:45", "2026-04-05T01:45:00+10:30"},
		{"Europe/Berlin", "2026-10-24T22:00:00+02:00", "07:00", "2026-10-25T07:00:00+01:00"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Skip("this machine has no table of zones")
		}
		time.Local = zone
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := untilAt(c.text, now); err != nil || got.Format(time.RFC3339) != c.want {
			t.Errorf("%s in %s at %s: %s, %v", c.text, c.zone, c.now, got, err)
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
