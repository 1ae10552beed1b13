package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// resultAccount reads an agent that ends with one JSON result, alone or as the last
// of an array: claude and qwen.
type resultAccount struct {
	name   string
	result *result
}

// result is what the program says at its end.
type result struct {
	Type    string          `json:"type"`
	Subtype string          `json:"subtype"`
	IsError bool            `json:"is_error"`
	Result  json.RawMessage `json:"result"`
	USD     *float64        `json:"total_cost_usd"`
	Usage   *struct {
		In      *int64 `json:"input_tokens"`
		Out     *int64 `json:"output_tokens"`
		Read    *int64 `json:"cache_read_input_tokens"`
		Created *int64 `json:"cache_creation_input_tokens"`
	} `json:"usage"`
	Denials []struct {
		Tool string `json:"tool_name"`
	} `json:"permission_denials"`
}

func (c *resultAccount) line(line []byte) bool {
	r := readResult(line)
	if r != nil {
		c.result = r
	}
	return r != nil
}

// whole looks for an array that was printed over several lines.
func (c *resultAccount) whole(output []byte) {
	if c.result != nil {
		return
	}
	begin, end := bytes.IndexAny(output, "[{"), bytes.LastIndexAny(output, "]}")
	if begin >= 0 && end > begin {
		c.result = readResult(output[begin : end+1])
	}
}

// readResult is the result in a text, or nil.
func readResult(text []byte) *result {
	text = bytes.TrimSpace(text)
	if bytes.HasPrefix(text, []byte("[")) {
		var all []json.RawMessage
		if !decode(text, &all) || len(all) == 0 {
			return nil
		}
		text = all[len(all)-1]
	}
	var r result
	if !bytes.HasPrefix(text, []byte("{")) || !decode(text, &r) || r.Type != "result" {
		return nil
	}
	return &r
}

func (c *resultAccount) fill(out *Outcome, env []string) {
	r := c.result
	if r == nil {
		return
	}
	if u := r.Usage; u != nil && c.name == "qwen" { // what it read from a cache is in its count already
		out.Usage.TokensIn, out.Usage.TokensOut = sum(u.In), sum(u.Out)
	} else if u != nil {
		out.Usage.TokensIn, out.Usage.TokensOut = sum(u.In, orZero(u.Read), orZero(u.Created)), sum(u.Out)
	}
	if out.Usage.USD = price(r.USD, out.Usage.TokensIn, out.Usage.TokensOut); out.Usage.USD != nil {
		out.Usage.Source = source(env)
	}
	if out.End == Done {
		r.verdict(out, c.name)
	}
}

// source tells a subscription from a bill: a token of one and no key.
func source(env []string) string {
	has := func(name string) bool {
		return slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") && kv != name+"=" })
	}
	if has("CLAUDE_CODE_OAUTH_TOKEN") && !has("ANTHROPIC_API_KEY") && !has("ANTHROPIC_AUTH_TOKEN") {
		return Notional
	}
	return Reported
}

// verdict reads success with a grain of salt: an error of the model's server is one,
// and so is a permission that was denied.
func (r *result) verdict(out *Outcome, name string) {
	var text string
	_ = decode(r.Result, &text) // it may be of another kind; then there is no text
	switch {
	case r.IsError && r.Subtype == "success":
		trouble(out, name, text)
	case r.IsError || strings.HasPrefix(r.Subtype, "error"):
		out.Why = fmt.Sprintf("%s stopped by its own account: %s", name, r.Subtype)
	case len(r.Denials) > 0:
		out.Why = name + " was denied: " + r.denied()
	}
}

// denied lists the tools, each once.
func (r *result) denied() string {
	var tools []string
	for _, d := range r.Denials {
		tools = append(tools, d.Tool)
	}
	slices.Sort(tools)
	return fmt.Sprintf("%s (%d in all)", strings.Join(slices.Compact(tools), ", "), len(tools))
}
