package agent_test

import (
	"strings"
	"testing"

	"torve/internal/agent"
)

func TestAnUnknownNameListsTheKnownOnes(t *testing.T) {
	_, err := agent.Find("ghost@m", map[string]agent.Setting{"mine": {}}, func(string) string { return "" })
	want := `no agent "ghost"; known are claude, codex, mine, opencode, qwen; agents: {ghost: {adapter: command, run: ["./scripts/agent.sh"]}} makes one`
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	_, err = agent.Find("mine", map[string]agent.Setting{"mine": {Adapter: "magic"}}, func(string) string { return "" })
	if err == nil || err.Error() != `agents: mine: no adapter "magic"; known are command, replay, claude, codex, opencode, qwen` {
		t.Errorf("%v", err)
	}
}

func TestWhatIsMissingIsSaidWithItsMend(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct {
		agent string
		set   map[string]agent.Setting
		says  string
	}{
		"a program": {"claude", nil, `agent claude: the program claude is not on the PATH; install it, or name one of your own: agents: {mine: {adapter: command, run: ["./scripts/agent.sh"]}}`},
		"a program of one's own": {"mine", map[string]agent.Setting{"mine": {Adapter: "command", Run: []string{"tool"}}},
			"agent mine: the program tool is not on the PATH"},
		"a run": {"mine", map[string]agent.Setting{"mine": {Adapter: "command"}}, `agent mine: it has no run; agents: {mine: {adapter: command, run: ["./scripts/agent.sh"]}}`},
		"a way for the prompt": {"mine", map[string]agent.Setting{"mine": {Adapter: "command", Run: []string{"./x"}, Prompt: "mail"}},
			"agent mine: prompt: mail is none of file, stdin, arg"},
		"a place for the prompt": {"mine", map[string]agent.Setting{"mine": {Adapter: "command", Run: []string{"./x"}, Prompt: "arg"}},
			"agent mine: prompt: arg needs a {prompt} in its run"},
		"a prompt that is handed over": {"mine", map[string]agent.Setting{"mine": {Adapter: "claude", Prompt: "file"}},
			"agent mine: its run has a {prompt}, and prompt: file hands over none; write {prompt_file} or prompt: arg"},
		"a place for the model": {"mine@big", map[string]agent.Setting{"mine": {Adapter: "command", Run: []string{"./x"}}},
			"agent mine: it cannot be told to use big: there is no {model} in its run"},
		"nothing, for a path in the worktree": {"mine", map[string]agent.Setting{"mine": {Adapter: "command", Run: []string{"./x"}, Model: "a label"}}, ""},
		"the patches":                         {"rec", map[string]agent.Setting{"rec": {Adapter: "replay"}}, "agent rec: it has no patches; agents: {rec: {adapter: replay, patches: ./recorded}}"},
		"the folder of patches": {"rec", map[string]agent.Setting{"rec": {Adapter: "replay", Patches: "gone"}},
			"agent rec: the folder of recorded patches gone is not there"},
		"git": {"rec", map[string]agent.Setting{"rec": {Adapter: "replay", Patches: "."}}, "agent rec: the program git is not on the PATH"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := agent.Find(c.agent, c.set, func(string) string { return "" })
			if err != nil {
				t.Fatal(err)
			}
			if got := a.Missing(); got != c.says {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestAnEntryWithoutARunIsNeverStarted(t *testing.T) {
	a, err := agent.Find("mine", map[string]agent.Setting{"mine": {Adapter: "command"}}, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	if out := a.Run(t.Context(), agent.Ask{}); out.End != agent.Unavailable || !strings.Contains(out.Why, "it has no run") || out.Usage.Source != agent.Unknown {
		t.Errorf("%+v", out)
	}
}

func TestAModelInTheNameWinsOverTheSettings(t *testing.T) {
	set := map[string]agent.Setting{"claude": {Model: "small"}}
	for name, want := range map[string]string{"claude": "small", "claude@big": "big", "claude@a@b": "a@b"} {
		a, err := agent.Find(name, set, func(string) string { return "" })
		if err != nil || a.Model() != want || a.Name() != "claude" {
			t.Errorf("%s: %v %v", name, a, err)
		}
	}
}

func TestTheBuiltInsAreKnownByName(t *testing.T) {
	var names []string
	for _, b := range agent.Known() {
		names = append(names, b.Name)
		if b.Program != b.Run[0] || b.Program == "" {
			t.Errorf("%+v", b)
		}
	}
	if strings.Join(names, " ") != "claude codex opencode qwen" {
		t.Errorf("%q", names)
	}
}
