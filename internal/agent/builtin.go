package agent

// kind is how one program is called, and how it is read. The calls are those that
// were seen to work (claude 2.1, codex 0.171, opencode 1.18, qwen 0.15).
type kind struct {
	run    []string       // {prompt}, {prompt_file}, {dir} and {model} are filled in
	piped  []string       // the same with the prompt on stdin
	model  []string       // put behind, when a model is named
	set    []string       // environment; with {model} only when a model is named
	pass   []string       // names of our own environment that it needs
	cost   bool           // it says what it cost
	reader func() account // nil: nothing is read
}

// common is what every program built on node or its kin may need.
var common = []string{"NODE_EXTRA_CA_CERTS", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"}

// builtins are the agents that need no entry.
func builtins() map[string]kind {
	return map[string]kind{"claude": claude(), "codex": codex(), "opencode": opencode(), "qwen": qwen()}
}

// claude edits without asking; what else it asks for is denied and listed at its end.
func claude() kind {
	return kind{
		run:    []string{"claude", "-p", "{prompt}", "--output-format", "json", "--permission-mode", "acceptEdits"},
		piped:  []string{"claude", "-p", "--output-format", "json", "--permission-mode", "acceptEdits"},
		model:  []string{"--model", "{model}"},
		set:    []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1"},
		pass:   append([]string{"ANTHROPIC_*", "CLAUDE_CODE_*", "CLAUDE_CONFIG_DIR", "DISABLE_*", "IS_SANDBOX"}, common...),
		cost:   true,
		reader: func() account { return &resultAccount{name: "claude"} },
	}
}

// codex brings its own sandbox, and tells tokens but no cost.
func codex() kind {
	base := []string{"codex", "exec", "--json", "--skip-git-repo-check", "-s", "workspace-write", "-C", "{dir}"}
	return kind{
		run:    append(base[:len(base):len(base)], "{prompt}"),
		piped:  append(base[:len(base):len(base)], "-"),
		model:  []string{"-m", "{model}"},
		pass:   append([]string{"OPENAI_*", "CODEX_*"}, common...),
		reader: func() account { return &codexAccount{} },
	}
}

// opencode tells a cost by the prices in its own configuration.
func opencode() kind {
	return kind{
		run:    []string{"opencode", "run", "--format", "json", "{prompt}"},
		piped:  []string{"opencode", "run", "--format", "json"},
		model:  []string{"-m", "{model}"},
		set:    []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"},
		pass:   append([]string{"OPENCODE_*", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"}, common...),
		cost:   true,
		reader: func() account { return &opencodeAccount{seen: map[string]bool{}} },
	}
}

// qwen tells tokens but no cost.
func qwen() kind {
	return kind{
		run:    []string{"qwen", "--auth-type", "openai", "-p", "{prompt}", "--approval-mode", "yolo", "--output-format", "json"},
		piped:  []string{"qwen", "--auth-type", "openai", "--approval-mode", "yolo", "--output-format", "json"},
		set:    []string{"OPENAI_MODEL={model}"},
		pass:   append([]string{"OPENAI_*", "QWEN_*"}, common...),
		reader: func() account { return &resultAccount{name: "qwen"} },
	}
}
