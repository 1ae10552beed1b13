package agent_test

import (
	"fmt"
	"testing"
	"time"

	"torve/internal/agent"
)

func TestACommandThatExits75MetALimitAndItsLastLineMaySayUntilWhen(t *testing.T) {
	at := time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC)
	for last, want := range map[string]agent.Outcome{
		"limit until 2026-01-31T10:00:00Z":      {Until: at, Why: "mine says: limit until 2026-01-31T10:00:00Z"},
		"limit until 2026-01-31T11:00:00+01:00": {Until: at, Why: "mine says: limit until 2026-01-31T11:00:00+01:00"},
		"retry after 90s":                       {After: 90 * time.Second, Why: "mine says: retry after 90s"},
		"in 1h30m, please":                      {After: 90 * time.Minute, Why: "mine says: in 1h30m, please"},
		"in 9999h":                              {After: 7 * 24 * time.Hour, Why: "mine says: in 9999h"},
		"in 0s":                                 {Why: "mine says: in 0s"},
		"come back later":                       {Why: "mine says: come back later"},
		"":                                      {Why: "mine met its limit"},
	} {
		t.Run(last, func(t *testing.T) {
			s := newStage(t)
			line := fmt.Sprintf("echo working; echo '%s'; exit 75", last)
			if last == "" {
				line = "exit 75"
			}
			out := s.find("mine", map[string]agent.Setting{"mine": {Adapter: "command", Run: []string{"/bin/sh", "-c", line}}}).Run(t.Context(), s.ask)
			if out.End != agent.Quota || out.Exit != 75 || !out.Until.Equal(want.Until) || out.After != want.After || out.Why != want.Why {
				t.Errorf("%s, %q, until %v, after %v", out.End, out.Why, out.Until, out.After)
			}
		})
	}
}

func TestAnyOtherExitCodeOfACommandIsOnlyNoted(t *testing.T) {
	for _, code := range []int{0, 1, 74, 76} {
		s := newStage(t)
		line := fmt.Sprintf("echo limit until 2026-01-31T10:00:00Z; exit %d", code)
		out := s.find("mine", map[string]agent.Setting{"mine": {Adapter: "command", Run: []string{"/bin/sh", "-c", line}}}).Run(t.Context(), s.ask)
		if out.End != agent.Done || out.Exit != code || !out.Until.IsZero() {
			t.Errorf("exit %d: %s until %v", code, out.End, out.Until)
		}
	}
}
