package board

import (
	"strings"
	"testing"

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
