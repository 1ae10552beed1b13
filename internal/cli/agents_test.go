package cli

import (
	"strings"
	"testing"
)

func TestWhereNoAgentIsSetTheAdviceNamesTheOnlyOneThatIsDefined(t *testing.T) {
	for name, c := range map[string]struct{ more, says string }{
		"one":     {"", "agent: {default: mine} in .torve/config.yaml"},
		"several": {"\n  yours: {adapter: command, run: [true]}\n", "agent: {default: NAME} in .torve/config.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			s := shop(t)
			text := strings.Replace(s.Read(configFile), "agent: {default: mine}\n", "", 1)
			if c.more != "" {
				text = strings.Replace(text, "agents: {mine: {", "agents:\n  mine: {", 1)
				text = strings.Replace(text, "}}\n", "}"+c.more, 1)
			}
			s.Write(configFile, text)
			s.Commit("Set no agent")
			for _, r := range []ran{
				s.ends(0, "agents"), s.ends(0, "new", "A cup", "--allow", "orders/**", "--commit"), s.ends(2, "dispatch"),
			} {
				if said := strings.Join(strings.Fields(r.out+r.err), " "); !strings.Contains(said, c.says) {
					t.Errorf("nothing says %q\n%s%s", c.says, r.out, r.err)
				}
			}
		})
	}
}
