package agent_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"torve/internal/agent"
)

// figures is a usage in a line; a question mark is unknown.
func figures(u agent.Usage) string {
	n := func(v *int64) string {
		if v == nil {
			return "?"
		}
		return fmt.Sprint(*v)
	}
	usd := "?"
	if u.USD != nil {
		usd = fmt.Sprintf("%.4f", *u.USD)
	}
	return n(u.TokensIn) + " in, " + n(u.TokensOut) + " out, $" + usd + " " + u.Source
}

func TestWhatAnAgentSaysOfItselfIsRead(t *testing.T) {
	for file, c := range map[string]struct{ end, why, usage string }{
		"claude-success.json":     {agent.Done, "", "4312 in, 210 out, $0.0125 reported"},
		"claude-denied.json":      {agent.Done, "claude was denied: Bash, Write (3 in all)", "10 in, 20 out, $0.0300 reported"},
		"claude-max-turns.json":   {agent.Done, "claude stopped by its own account: error_max_turns", "100 in, 200 out, $0.2000 reported"},
		"claude-no-key.json":      {agent.Unavailable, "claude says: Invalid API key · Please run /login", "0 in, 0 out, $0.0000 reported"},
		"claude-limit.json":       {agent.Quota, "claude says: Claude AI usage limit reached|1769860800", "0 in, 0 out, $0.0000 reported"},
		"claude-no-price.json":    {agent.Done, "", "5 in, 7 out, $? unknown"},
		"claude-odd.json":         {agent.Done, "", "? in, 7 out, $? unknown"},
		"codex-success.jsonl":     {agent.Done, "", "24763 in, 122 out, $? unknown"},
		"codex-limit.jsonl":       {agent.Quota, "codex says: You've hit your usage limit. Try again at 12:16 PM.", "? in, ? out, $? unknown"},
		"codex-failed.jsonl":      {agent.Unavailable, "codex says: stream disconnected before completion: error sending request", "? in, ? out, $? unknown"},
		"opencode-success.jsonl":  {agent.Done, "", "1330 in, 55 out, $0.0030 reported"},
		"opencode-no-price.jsonl": {agent.Done, "", "1000 in, 50 out, $? unknown"},
		"opencode-failed.jsonl":   {agent.Unavailable, "opencode says: ProviderAuthError no key", "? in, ? out, $? unknown"},
		"qwen-success.json":       {agent.Done, "", "500 in, 60 out, $? unknown"},
		"qwen-lines.json":         {agent.Done, "qwen stopped by its own account: error_during_execution", "500 in, 60 out, $? unknown"},
	} {
		t.Run(file, func(t *testing.T) {
			s := newStage(t)
			s.says(file)
			name, _, _ := strings.Cut(file, "-")
			out, _ := s.run(s.find(name, nil))
			if out.End != c.end || out.Why != c.why || figures(out.Usage) != c.usage {
				t.Errorf("%s, %q, %s", out.End, out.Why, figures(out.Usage))
			}
		})
	}
}

func TestAQuotaSaysUntilWhenIfItSaysSo(t *testing.T) {
	for file, want := range map[string]time.Time{"claude-limit.json": time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC), "codex-limit.jsonl": {}} {
		s := newStage(t)
		s.says(file)
		name, _, _ := strings.Cut(file, "-")
		if out, _ := s.run(s.find(name, nil)); !out.Until.Equal(want) {
			t.Errorf("%s: until %s", file, out.Until)
		}
	}
}

func TestACostUnderASubscriptionIsNotional(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "")
	t.Setenv("CLAUDE_CODE_OAUTH_TOKEN", "token-of-a-subscription")
	s := newStage(t)
	s.says("claude-success.json")
	if out, _ := s.run(s.find("claude", nil)); out.Usage.Source != agent.Notional {
		t.Error(figures(out.Usage))
	}
}

func TestACommandIsNotReadAndItsCostIsUnknown(t *testing.T) {
	s := newStage(t)
	s.says("claude-success.json")
	out, _ := s.run(s.find("mine", map[string]agent.Setting{"mine": {Adapter: "command", Run: []string{"mine"}}}))
	if figures(out.Usage) != "? in, ? out, $? unknown" {
		t.Error(figures(out.Usage))
	}
	out, _ = s.run(s.find("mine", map[string]agent.Setting{"mine": {Adapter: "claude", Run: []string{"mine", "{prompt}"}}}))
	if figures(out.Usage) != "4312 in, 210 out, $0.0125 reported" {
		t.Error("claude by another program is read as claude: ", figures(out.Usage))
	}
}
