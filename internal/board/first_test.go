package board

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"torve/internal/contract"
	"torve/internal/record"
)

func TestTheFirstAnswerToAnEscalationIsACommandToPaste(t *testing.T) {
	many := strings.Fields("a b c d e f g")
	for _, c := range []struct {
		e    record.Escalation
		want string
	}{
		{record.Escalation{Reason: "scope", Paths: []string{"mail/cart.go"}}, "torve widen T-0001 mail/cart.go"},
		{record.Escalation{Reason: "scope", Paths: []string{"a b", "it's[1]*"}}, `torve widen T-0001 'a b' 'it'\''s\[1]\*'`},
		{record.Escalation{Reason: "scope", Paths: many}, "torve why T-0001"},
		{record.Escalation{Reason: "scope"}, "torve why T-0001"},
		{record.Escalation{Reason: "infrastructure"}, "torve requeue T-0001"},
		{record.Escalation{Reason: "merge_conflict"}, "torve requeue T-0001"},
		{record.Escalation{Reason: "agent_unavailable"}, "torve agents"},
		{record.Escalation{Reason: "refused", Check: "law"}, "torve why T-0001"},
	} {
		if got := First("T-0001", c.e); got != c.want {
			t.Errorf("%+v: %s, and %s was expected", c.e, got, c.want)
		}
	}
}

func TestAPathToWidenToIsAPatternThatMatchesIt(t *testing.T) {
	for _, path := range []string{"a.go", "it's[1]*", "{x}", `back\slash`, "店/é", "new\nline", "latin-\xe9", `say "x"`, `"whole"`, "-dash", "cut \xe5\xba"} {
		for _, named := range []string{path, strconv.Quote(path)} {
			if strings.HasPrefix(path, `"`) && named == path || !utf8.ValidString(named) {
				continue // a refusal quotes it
			}
			g := glob(named)
			if !contract.Match(g, path) || contract.ValidGlob(g) != nil {
				t.Errorf("%q, named %s: the pattern %s does not match it", path, named, g)
			}
			if contract.Match(g, path+"x") || contract.Match(g, "x"+path) {
				t.Errorf("%q: the pattern %s matches another", path, g)
			}
		}
	}
}
