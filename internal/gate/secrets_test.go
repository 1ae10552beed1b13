package gate

import (
	"strings"
	"testing"
)

// The values are put together here, so that this file holds none.
func TestAddedLinesAreAskedForSecrets(t *testing.T) {
	mixed := "aB3dE5gH7jK9mN1pQ4rS6tU8vW0xY2zA5cD7"
	for want, line := range map[string]string{
		"aws access key":     "key: AKIA" + "Z3M5KQ7TW2XB4LNC",
		"github token":       "GH=ghp_" + mixed,
		"gitlab token":       "glpat-" + mixed[:20],
		"slack token":        "xoxb-" + "283749283742-" + mixed[:24],
		"slack webhook":      "https://hooks.slack.com/services/T0AB12CD3/B0EF45GH6/" + mixed[:24],
		"private key":        "-----BEGIN RSA " + "PRIVATE KEY-----",
		"google api key":     "AIza" + mixed[:35],
		"stripe key":         "sk_live_" + mixed[:24],
		"model provider key": "sk-ant-" + mixed[:30],
		"npm token":          "npm_" + mixed[:36],
		"secret value":       `  db_password = "` + mixed[:24] + `"`,
	} {
		kind, n, found := Secret([]Line{{3, "nothing here"}, {12, line}})
		if !found || kind != want || n != 12 {
			t.Errorf("%s: Secret = %q, %d, %v", want, kind, n, found)
		}
	}
}

func TestWhatOnlyLooksLikeASecretIsLetThrough(t *testing.T) {
	for _, line := range []string{
		"AKIAIOSFODNN7" + "EXAMPLE", // printed in its maker's documentation
		"AKIA" + strings.Repeat("A", 16),
		"ghp_" + strings.Repeat("x", 36),
		`password = "correct horse battery"`,
		`apiKey: "your-api-key-goes-here-1234"`,
		`token = os.Getenv("SOME_LONG_ENVIRONMENT_NAME_1")`,
		`const keyPrefix = "refs/torve/attempts/task"`,
		`sha256 = "` + strings.Repeat("0f", 32) + `"`,
		`"integrity": "sha512-aB3dE5gH7jK9mN1pQ4rS6tU8vW0xY2zA5cD7=="`,
		`secretName: "my-service-credentials-store"`,
		"-----BEGIN PUBLIC KEY-----",
	} {
		if kind, _, found := Secret([]Line{{1, line}}); found {
			t.Errorf("%q was taken for a %s", line, kind)
		}
	}
}

func TestASecretsValueIsNeverPrinted(t *testing.T) {
	p, r := good()
	p.Changes[1].AddedLines = []Line{{1, aKey}}
	if v, _ := arrive(p, r, terms()); v.OK || strings.Contains(v.Reason, aKey[4:]) {
		t.Error(v)
	}
}

func FuzzSecret(f *testing.F) {
	f.Add("AKIA" + "Z3M5KQ7TW2XB4LNC")
	f.Add(`password: "aB3dE5gH7jK9mN1pQ4rS"`)
	f.Add("\x00\xff'token'=>`")
	f.Fuzz(func(t *testing.T, line string) {
		kind, n, found := Secret([]Line{{N: 9, Text: line}})
		if found && (kind == "" || n != 9) || !found && (kind != "" || n != 0) {
			t.Errorf("Secret(%q) = %q, %d, %v", line, kind, n, found)
		}
	})
}
