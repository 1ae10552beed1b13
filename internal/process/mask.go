package process

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// shortest is the length from which a value is taken for a secret: a shorter one
// would be found in innocent text.
const shortest = 8

// secretive are parts of names whose values are secrets.
var secretive = []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "DSN"}

// Masked is the text with the values of secrets in the environment, and of those that Hide
// was told, replaced by ***. In the environment a secret is told by its name (KEY, TOKEN,
// SECRET, PASSWORD, DSN) and has at least 8 bytes.
func Masked(text []byte, env []string) []byte {
	for _, secret := range secrets(env) {
		text = bytes.ReplaceAll(text, []byte(secret), []byte("***"))
	}
	return text
}

// secrets are the values, the longest first: one may be the beginning of another.
func secrets(env []string) []string {
	out := hidden.all()
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if len(value) >= shortest && secretName(name) {
			out = append(out, value)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(out)
}

// secretName leaves out git's own way of handing over settings, whose KEY is a
// setting's name.
func secretName(name string) bool {
	name = strings.ToUpper(name)
	return !strings.HasPrefix(name, "GIT_CONFIG_") && slices.ContainsFunc(secretive, func(part string) bool { return strings.Contains(name, part) })
}
