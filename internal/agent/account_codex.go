package agent

// codexAccount reads JSON lines; the last turn's usage counts, since it is the sum of
// all before.
type codexAccount struct {
	usage  *codexUsage
	failed string
}

type codexUsage struct {
	In  *int64 `json:"input_tokens"` // those from a cache are in it
	Out *int64 `json:"output_tokens"`
}

type codexEvent struct {
	Type  string      `json:"type"`
	Usage *codexUsage `json:"usage"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func (c *codexAccount) line(line []byte) bool {
	var e codexEvent
	if !decode(line, &e) {
		return false
	}
	switch e.Type {
	case "turn.completed":
		c.usage, c.failed = e.Usage, ""
		return true
	case "turn.failed":
		c.failed = "the turn failed"
		if e.Error != nil && e.Error.Message != "" {
			c.failed = e.Error.Message
		}
		return true
	}
	return false
}

func (c *codexAccount) whole([]byte) {}

func (c *codexAccount) fill(out *Outcome, _ []string) {
	if c.usage != nil {
		out.Usage.TokensIn, out.Usage.TokensOut = sum(c.usage.In), sum(c.usage.Out)
	}
	if out.End == Done && c.failed != "" {
		trouble(out, "codex", c.failed)
	}
}
