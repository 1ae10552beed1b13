package record

// Started is attempt.started: an agent was started for the attempt in the envelope.
type Started struct {
	Mode     string `json:"mode"` // first, repair, fresh or continue
	Agent    Agent  `json:"agent"`
	Base     string `json:"base"`
	From     string `json:"from,omitempty"` // the kept commit it goes on from
	Worktree string `json:"worktree"`
	Clone    string `json:"clone,omitempty"` // the git directory of the clone that made it, on the envelope's host; "" where that was not told yet
	Walls    string `json:"walls"`
	Contract string `json:"contract"` // the digest in force
	Prompt   string `json:"prompt_sha256"`
}

// Kind is attempt.started.
func (Started) Kind() Kind { return KindStarted }

// Validate asks what the store cannot: that the fact is whole.
func (p Started) Validate() error {
	from := p.Mode == "repair" || p.Mode == "continue"
	return first(
		oneOf("mode", p.Mode, Modes),
		p.Agent.validate(),
		object("base", p.Base),
		maybe(object, "from", p.From),
		say(from != (p.From != ""), "mode %s with from %q", p.Mode, p.From),
		need("worktree", p.Worktree),
		need("walls", p.Walls),
		digest("contract", p.Contract),
		digest("prompt_sha256", p.Prompt),
	)
}
