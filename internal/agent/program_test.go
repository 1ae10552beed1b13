package agent_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"torve/internal/agent"
)

func TestABuiltInIsCalledAsItWasSeenToWork(t *testing.T) {
	for name, want := range map[string][]string{
		"claude":           {"-p", "do it", "--output-format", "json", "--permission-mode", "acceptEdits"},
		"claude@opus":      {"-p", "do it", "--output-format", "json", "--permission-mode", "acceptEdits", "--model", "opus"},
		"codex":            {"exec", "--json", "--skip-git-repo-check", "-s", "workspace-write", "-C", "DIR", "do it"},
		"codex@gpt":        {"exec", "--json", "--skip-git-repo-check", "-s", "workspace-write", "-C", "DIR", "do it", "-m", "gpt"},
		"opencode@a/b":     {"run", "--format", "json", "do it", "-m", "a/b"},
		"qwen":             {"--auth-type", "openai", "-p", "do it", "--approval-mode", "yolo", "--output-format", "json"},
		"qwen@qwen3-coder": {"--auth-type", "openai", "-p", "do it", "--approval-mode", "yolo", "--output-format", "json"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			a := s.find(name, nil)
			if missing := a.Missing(); missing != "" {
				t.Fatal(missing)
			}
			out, c := s.run(a)
			for i := range want {
				want[i] = strings.ReplaceAll(want[i], "DIR", s.ask.Dir)
			}
			if !slices.Equal(c.Args, want) || c.Dir != s.ask.Dir || c.Stdin != "" {
				t.Errorf("called %q in %s with stdin %q", c.Args, c.Dir, c.Stdin)
			}
			base, model, _ := strings.Cut(name, "@")
			if a.Name() != base || a.Model() != model || out.End != agent.Done {
				t.Errorf("%s %s ended %s %s", a.Name(), a.Model(), out.End, out.Why)
			}
			if base == "qwen" && c.has("OPENAI_MODEL") != model {
				t.Errorf("OPENAI_MODEL is %q", c.has("OPENAI_MODEL"))
			}
		})
	}
}

func TestTheAgentKnowsItsAttemptAndNothingOfTheHost(t *testing.T) {
	for name, value := range map[string]string{
		"ANTHROPIC_API_KEY": "sk-ant-123456", "CLAUDE_CODE_X": "x", "OPENAI_API_KEY": "sk-other", "MINE": "m", "AWS_SECRET_ACCESS_KEY": "aws", "GIT_DIR": "/elsewhere",
	} {
		t.Setenv(name, value)
	}
	s := newStage(t)
	_, c := s.run(s.find("claude", map[string]agent.Setting{"claude": {Env: []string{"MINE", "OTHER=o", "GOCACHE=/own"}}}))
	for name, want := range map[string]string{
		"TORVE_TASK": "T-0007", "TORVE_ATTEMPT": "2", "TORVE_SLOT": "1", "TORVE_PROMPT_FILE": s.ask.PromptFile, "TORVE_REPORT": s.ask.Report,
		"TMPDIR": s.ask.Temp, "GOMODCACHE": "/caches/go-mod", "npm_config_cache": "/caches/npm", "CARGO_HOME": "/caches/cargo", "PIP_CACHE_DIR": "/caches/pip",
		"GOCACHE": "/own", "MINE": "m", "OTHER": "o", "ANTHROPIC_API_KEY": "sk-ant-123456", "CLAUDE_CODE_X": "x", "DISABLE_AUTOUPDATER": "1",
		"OPENAI_API_KEY": "", "AWS_SECRET_ACCESS_KEY": "", "GIT_DIR": "",
	} {
		if got := c.has(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestAPromptGoesByFileStdinOrArgument(t *testing.T) {
	for name, c := range map[string]struct {
		set   agent.Setting
		args  []string
		stdin string
	}{
		"by file, by default": {agent.Setting{Run: []string{"mine", "{prompt_file}"}}, []string{"FILE"}, ""},
		"by stdin":            {agent.Setting{Run: []string{"mine", "-"}, Prompt: "stdin"}, []string{"-"}, "do it"},
		"by argument":         {agent.Setting{Run: []string{"mine", "--ask={prompt}"}, Prompt: "arg"}, []string{"--ask=do it"}, ""},
		"as its run says":     {agent.Setting{Run: []string{"mine", "{prompt}"}, Args: []string{"-v", "{dir}"}}, []string{"do it", "-v", "{dir}"}, ""},
		"with a model":        {agent.Setting{Run: []string{"mine", "-m", "{model}", "{dir}"}, Model: "m1"}, []string{"-m", "m1", "DIR"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			c.set.Adapter = "command"
			_, got := s.run(s.find("mine", map[string]agent.Setting{"mine": c.set}))
			for i, arg := range c.args {
				c.args[i] = strings.NewReplacer("FILE", s.ask.PromptFile, "DIR", s.ask.Dir).Replace(arg)
			}
			if strings.Contains(name, "as its run") {
				c.args[2] = "{dir}"
			}
			if !slices.Equal(got.Args, c.args) || got.Stdin != c.stdin {
				t.Errorf("called %q with stdin %q", got.Args, got.Stdin)
			}
		})
	}
}

func TestAPromptThatNamesAPlaceholderStaysAsItIs(t *testing.T) {
	s := newStage(t)
	s.ask.Prompt = []byte("explain {dir} and {prompt}")
	if _, c := s.run(s.find("claude", nil)); c.Args[1] != "explain {dir} and {prompt}" {
		t.Errorf("%q", c.Args)
	}
}

func TestAPromptThatDoesNotFitAnArgumentGoesByStdin(t *testing.T) {
	for name, prompt := range map[string][]byte{
		"a megabyte":           bytes.Repeat([]byte("do it. "), 150000),
		"one that is too long": bytes.Repeat([]byte("x"), 128<<10),
		"with a zero byte":     []byte("a\x00b"),
		"that begins with -":   []byte("--help me"),
	} {
		for agentName, args := range map[string][]string{
			"claude": {"-p", "--output-format", "json", "--permission-mode", "acceptEdits"}, "codex@m": nil, "opencode": {"run", "--format", "json"}, "qwen": nil,
		} {
			t.Run(agentName+" "+name, func(t *testing.T) {
				s := newStage(t)
				s.ask.Prompt = prompt
				out, c := s.run(s.find(agentName, nil))
				if c.Stdin != string(prompt) || out.End != agent.Done || args != nil && !slices.Equal(c.Args, args) {
					t.Errorf("%s: called %.200q with %d bytes of stdin", out.End, c.Args, len(c.Stdin))
				}
			})
		}
	}
	t.Run("the longest that fits is an argument", func(t *testing.T) {
		s := newStage(t)
		s.ask.Prompt = bytes.Repeat([]byte("x"), 128<<10-1)
		if _, c := s.run(s.find("claude", nil)); c.Stdin != "" || len(c.Args[1]) != 128<<10-1 {
			t.Errorf("%d bytes of stdin", len(c.Stdin))
		}
	})
	t.Run("a command that may not read stdin says so", func(t *testing.T) {
		s := newStage(t)
		s.ask.Prompt = make([]byte, 1<<20)
		out := s.find("mine", map[string]agent.Setting{"mine": {Adapter: "command", Run: []string{"mine", "{prompt}"}}}).Run(t.Context(), s.ask)
		if out.End != agent.Unavailable || out.Why != "agent mine: the prompt of 1048576 bytes cannot be an argument: it holds at most 131071 bytes; set prompt: stdin or prompt: file" {
			t.Errorf("%s: %s", out.End, out.Why)
		}
	})
}

func TestABuiltInCanBeToldToReadStdin(t *testing.T) {
	s := newStage(t)
	_, c := s.run(s.find("mine", map[string]agent.Setting{"mine": {Adapter: "codex", Prompt: "stdin", Args: []string{"-c", "x=1"}, Model: "m"}}))
	want := []string{"exec", "--json", "--skip-git-repo-check", "-s", "workspace-write", "-C", s.ask.Dir, "-", "-m", "m", "-c", "x=1"}
	if !slices.Equal(c.Args, want) || c.Stdin != "do it" {
		t.Errorf("called %q with stdin %q", c.Args, c.Stdin)
	}
}

func TestHowAnAgentEnds(t *testing.T) {
	for name, c := range map[string]struct {
		does string
		ask  func(*agent.Ask)
		end  string
		why  string
		exit int
	}{
		"an exit code is only noted":       {"fail", nil, agent.Done, "", 3},
		"its time is over":                 {"stay", func(a *agent.Ask) { a.Limit = 300 * time.Millisecond }, agent.Time, "it did not end within 300ms", -1},
		"it is silent":                     {"stay", func(a *agent.Ask) { a.Idle = 300 * time.Millisecond }, agent.Idle, "it printed nothing for 300ms", -1},
		"it cannot be started in no place": {"", func(a *agent.Ask) { a.Dir += "/gone" }, agent.Unavailable, "gone: no such file or directory", -1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.ask.Env = append(s.ask.Env, "FAKE_DOES="+c.does)
			if c.ask != nil {
				c.ask(&s.ask)
			}
			out := s.find("mine", map[string]agent.Setting{"mine": {Adapter: "command", Run: []string{"mine"}}}).Run(t.Context(), s.ask)
			if out.End != c.end || out.Exit != c.exit || (c.why == "") != (out.Why == "") || !strings.HasSuffix(out.Why, c.why) {
				t.Errorf("%s exit %d: %s", out.End, out.Exit, out.Why)
			}
			if out.Usage.Source != agent.Unknown || out.Usage.USD != nil || out.Usage.TokensIn != nil {
				t.Errorf("usage %+v", out.Usage)
			}
		})
	}
}

func TestAPersonStopsAnAgent(t *testing.T) {
	s := newStage(t)
	s.ask.Env = append(s.ask.Env, "FAKE_DOES=stay")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.ask.Begun = func(int, int, string) { cancel() }
	out := s.find("claude", nil).Run(ctx, s.ask)
	if out.End != agent.Stopped || out.Why != "it was stopped" {
		t.Errorf("%s %s", out.End, out.Why)
	}
}

func TestAnAgentThatSaidItsLastWordAndStaysIsDone(t *testing.T) {
	for name, says := range map[string]string{
		"claude": "claude-success.json", "codex": "codex-success.jsonl", "opencode": "opencode-success.jsonl", "qwen": "qwen-success.json",
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.says(says)
			s.ask.Env = append(s.ask.Env, "FAKE_DOES=stay")
			s.ask.Grace = 200 * time.Millisecond
			out, _ := s.run(s.find(name, nil))
			if out.End != agent.Done || out.Why != "" || out.Usage.TokensIn == nil {
				t.Errorf("%s %s %+v", out.End, out.Why, out.Usage)
			}
		})
	}
}

func TestSecretsAreMaskedInWhatAnAgentPrinted(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-123456")
	s := newStage(t)
	s.ask.Env = append(s.ask.Env, "FAKE_DOES=my key is sk-ant-123456")
	out, _ := s.run(s.find("claude", nil))
	if got := string(out.Output); got != "my key is ***\n" {
		t.Errorf("%q", got)
	}
}

func TestAVersionIsReadOrUnknown(t *testing.T) {
	s := newStage(t)
	for said, want := range map[string]string{"2.1.197 (Claude Code)": "2.1.197", "codex-cli 0.171.0-alpha.1": "0.171.0-alpha.1", "hello": ""} {
		program := filepath.Join(s.path, "claude")
		if err := os.Remove(program); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(program, []byte("#!/bin/sh\necho '"+said+"'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if got := s.find("claude", nil).Version(t.Context()); got != want {
			t.Errorf("%q is version %q", said, got)
		}
	}
	if got := s.find("mine", map[string]agent.Setting{"mine": {Adapter: "command", Run: []string{"mine"}}}).Version(t.Context()); got != "" {
		t.Errorf("a command was asked: %q", got)
	}
	if _, err := os.Stat(s.called); err == nil {
		t.Error("asking for a version started the command")
	}
}
