package cli

import (
	"errors"
	"strings"
	"testing"
)

func TestATextThatNoStoreTakesAsAPartitionsNameIsRefusedBeforeAnyIsAsked(t *testing.T) {
	for name, refused := range map[string]bool{
		"acme/shop": false, "Geschäft": false, strings.Repeat("a", longestName): false,
		"acme/\xff": true, "acme/\x00shop": true, "acme/\nshop": true, "acme shop": true, strings.Repeat("a", longestName+1): true,
		"postgres://host/shop": true, "ann@host": true,
	} {
		for _, by := range []string{"--partition", "TORVE_PARTITION", "config.yaml"} {
			a, c := &app{env: func(string) string { return "" }}, config{}
			switch by {
			case "--partition":
				a.partition = name
			case "TORVE_PARTITION":
				a.env = func(key string) string { return map[string]string{by: name}[key] }
			default:
				c.Record.Partition = name
			}
			n, err := a.naming(c)
			var f *fault
			switch {
			case n.by != by:
				t.Errorf("%q is named by %q", name, n.by)
			case refused && (!errors.As(err, &f) || f.outcome.Code() != 3 || strings.Contains(err.Error(), name)):
				t.Errorf("%s %q: %v", by, name, err)
			case !refused && err != nil:
				t.Errorf("%s %q: %v", by, name, err)
			}
		}
		if made := nameFrom(name); unnamed(made) != nil {
			t.Errorf("of %q a name is made that is none: %q", name, made)
		}
	}
}
