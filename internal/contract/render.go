package contract

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"torve/internal/strictyaml"
)

// Render writes a new contract's file as people would write it: what differs
// from the defaults, the intent, and the comments that a first reader needs.
// Parsing it gives the same contract again.
func Render(c Contract) []byte {
	var b page
	b.line("# yaml-language-server: $schema=../../schemas/contract.json")
	b.line("schema: %s", c.Schema)
	b.line("id: %s", c.ID)
	b.line("title: %s", quoted(c.Title))
	b.text("owner", c.Owner, "")
	b.text("spec", c.Spec, "")
	b.intent(c.Intent)
	d := Default()
	b.text("workload", c.Workload, d.Workload)
	b.list("depends_on", c.DependsOn, d.DependsOn)
	b.scope(c.Scope)
	b.list("verbs", c.Verbs, d.Verbs)
	b.text("tests", c.Tests, d.Tests)
	b.text("base", c.Base, d.Base)
	b.acceptance(c.Acceptance)
	b.budget(c.Budget, d.Budget)
	if len(c.Agent) == 1 {
		b.text("agent", c.Agent[0], "")
	} else {
		b.list("agent", c.Agent, d.Agent)
	}
	b.text("role", c.Role, d.Role)
	b.list("targets", c.Targets, d.Targets)
	if c.Priority != 0 {
		b.line("priority: %d", c.Priority)
	}
	if w := c.World; w != nil {
		b.line("world: {villager: %s, at: %d, profile: %s}", strconv.Quote(w.Villager), w.At, strconv.Quote(w.Profile))
	}
	return []byte(b.String())
}

type page struct{ strings.Builder }

func (b *page) line(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }

func (b *page) text(key, is, usual string) {
	if is != usual {
		b.line("%s: %s", key, quoted(is))
	}
}

func (b *page) list(key string, is, usual []string) {
	if !slices.Equal(is, usual) {
		b.line("%s: %s", key, flow(is))
	}
}

func (b *page) scope(s Scope) {
	if len(s.Allow)+len(s.Deny) == 0 {
		return
	}
	b.line("scope:")
	if len(s.Allow) > 0 {
		b.line("  allow: %s", flow(s.Allow))
	}
	if len(s.Deny) > 0 {
		b.line("  deny: %s", flow(s.Deny))
	}
}

func (b *page) intent(text string) {
	if text == "" {
		b.line("# intent: |  # what and why, never steps; the agent reads it")
		return
	}
	if block := "intent: " + literalBlock(text); readsAs(block, "intent", text) {
		b.WriteString(block)
		return
	}
	b.line("intent: %s", strconv.Quote(text))
}

// literalBlock is a text as a block scalar, its line ends kept.
func literalBlock(text string) string {
	head := "|"
	switch {
	case !strings.HasSuffix(text, "\n"):
		head = "|-"
	case strings.HasSuffix(text, "\n\n") || text == "\n":
		head = "|+"
	}
	var b strings.Builder
	b.WriteString(head + "\n")
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if line != "" {
			line = "  " + line
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func (b *page) acceptance(lines []string) {
	if len(lines) == 0 {
		b.line("# acceptance:  # shell lines that exit 0 when it is done")
		b.line("#   - go test ./...")
		return
	}
	b.line("acceptance:")
	for _, l := range lines {
		b.line("  - %s", quoted(l))
	}
}

func (b *page) budget(is, usual Budget) {
	var keys []string
	add := func(key string, is, usual float64) {
		if is != usual {
			keys = append(keys, key+": "+strconv.FormatFloat(is, 'f', -1, 64))
		}
	}
	add("attempts", float64(is.Attempts), float64(usual.Attempts))
	add("minutes", is.Minutes, usual.Minutes)
	add("usd", is.USD, usual.USD)
	add("changes", float64(is.Changes), float64(usual.Changes))
	add("lines", float64(is.Lines), float64(usual.Lines))
	if len(keys) > 0 {
		b.line("budget: {%s}", strings.Join(keys, ", "))
	}
}

func flow(list []string) string {
	items := make([]string, len(list))
	for i, x := range list {
		items[i] = strconv.Quote(x)
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// quoted is a text as a YAML scalar: plain where every reader of YAML takes it
// for that text, in quotes otherwise.
func quoted(text string) string {
	out, err := yaml.Marshal(text)
	scalar := strings.TrimSuffix(string(out), "\n")
	if err == nil && !strings.Contains(scalar, "\n") && readsAs("x: "+scalar+"\n", "x", text) {
		return scalar
	}
	return strconv.Quote(text)
}

// readsAs asks the reader itself whether a line says the text.
func readsAs(line, key, text string) bool {
	d, err := strictyaml.Parse("", []byte(line))
	if err != nil {
		return false
	}
	n := d.Node(key)
	if n == nil {
		return false
	}
	got, err := strictyaml.Text(n)
	return err == nil && got == text
}
