package agent

// opencodeAccount reads JSON lines: each step tells its own tokens and cost, and the
// same step is counted once.
type opencodeAccount struct {
	seen    map[string]bool
	in, out *int64
	usd     float64
	priced  bool // every step told a cost
	steps   int
	failed  string
}

type opencodeEvent struct {
	Type string `json:"type"`
	Part struct {
		ID     string   `json:"id"`
		Reason string   `json:"reason"`
		Cost   *float64 `json:"cost"`
		Tokens struct {
			In    *int64 `json:"input"`
			Out   *int64 `json:"output"`
			Cache struct {
				Read  *int64 `json:"read"`
				Write *int64 `json:"write"`
			} `json:"cache"`
		} `json:"tokens"`
	} `json:"part"`
	Error *struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
		} `json:"data"`
	} `json:"error"`
}

func (c *opencodeAccount) line(line []byte) bool {
	var e opencodeEvent
	if !decode(line, &e) {
		return false
	}
	switch e.Type {
	case "step_finish":
		c.add(e)
		c.failed = ""
		return e.Part.Reason == "stop"
	case "error":
		c.failed = "an error"
		if e.Error != nil {
			c.failed = e.Error.Name + " " + e.Error.Data.Message
		}
	}
	return false
}

// add counts a step. What one of them does not tell is unknown of all.
func (c *opencodeAccount) add(e opencodeEvent) {
	if e.Part.ID != "" && c.seen[e.Part.ID] {
		return
	}
	c.seen[e.Part.ID] = true
	t := e.Part.Tokens
	in, out := sum(t.In, orZero(t.Cache.Read), orZero(t.Cache.Write)), sum(t.Out)
	if c.steps == 0 {
		c.in, c.out, c.priced = new(int64), new(int64), true
	}
	c.in, c.out = sum(c.in, in), sum(c.out, out)
	c.priced = c.priced && price(e.Part.Cost, in, out) != nil
	if c.priced {
		c.usd += *e.Part.Cost
	}
	c.steps++
}

func (c *opencodeAccount) whole([]byte) {}

func (c *opencodeAccount) fill(out *Outcome, _ []string) {
	if c.steps > 0 {
		out.Usage.TokensIn, out.Usage.TokensOut = c.in, c.out
	}
	if c.steps > 0 && c.priced {
		out.Usage.USD, out.Usage.Source = &c.usd, Reported
	}
	if out.End == Done && c.failed != "" {
		trouble(out, "opencode", c.failed)
	}
}
