package process_test

import (
	"slices"
	"strings"
	"testing"

	"torve/internal/process"
)

func TestOnlyWhatTheTableNamesPassesTheCleanEnvironment(t *testing.T) {
	passes := []string{"PATH", "HOME", "USER", "LANG", "LC_ALL", "LC_TIME", "TZ", "TERM", "SSL_CERT_FILE", "SSL_CERT_DIR", "http_proxy", "https_proxy", "no_proxy", "HTTPS_PROXY"}
	stays := []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_AUTHOR_NAME", "EDITOR", "AWS_SECRET_ACCESS_KEY", "TMPDIR", "TORVE_DSN", "SSH_AUTH_SOCK", "LCX"}
	for _, name := range slices.Concat(passes, stays) {
		t.Setenv(name, "value of "+name)
	}
	got := process.Environ()
	for _, name := range passes {
		if !slices.Contains(got, name+"=value of "+name) {
			t.Errorf("%s does not pass", name)
		}
	}
	for _, name := range stays {
		if slices.ContainsFunc(got, func(kv string) bool { return strings.HasPrefix(kv, name+"=") }) {
			t.Errorf("%s passes", name)
		}
	}
}

func TestWhatAnAdapterNamesPassesAndNoGitLocationDoes(t *testing.T) {
	t.Setenv("CLAUDE_CODE_A", "a")
	t.Setenv("CLAUDE_CODE_B", "b")
	t.Setenv("MINE", "c")
	t.Setenv("GIT_DIR", "/elsewhere")
	t.Setenv("GIT_CONFIG_COUNT", "1")
	got := process.Environ("CLAUDE_CODE_*", "MINE", "NOT_THERE", "GIT_*", "GIT_DIR", "PATH=first", "PATH=last", "EMPTY=", "GIT_INDEX_FILE=own")
	for _, want := range []string{"CLAUDE_CODE_A=a", "CLAUDE_CODE_B=b", "MINE=c", "PATH=last", "EMPTY=", "GIT_INDEX_FILE=own"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing in %q", want, got)
		}
	}
	text := strings.Join(got, "\n")
	for _, not := range []string{"NOT_THERE", "GIT_DIR", "GIT_CONFIG_COUNT", "PATH=first"} {
		if strings.Contains(text, not) {
			t.Errorf("%s passes", not)
		}
	}
}

func TestValuesOfSecretsAreMasked(t *testing.T) {
	env := []string{"API_KEY=sk-12345678", "GITHUB_TOKEN=ghp_abcdefgh", "DB_PASSWORD=sk-12345678-and-more", "MY_SECRET=short", "TORVE_DSN=postgres://a:b@c/d", "my_secret=lowercase", "PLAIN=not a secret", "GIT_CONFIG_KEY_0=safe.directory", "BROKEN"}
	for in, want := range map[string]string{
		"key sk-12345678.":              "key ***.",
		"sk-12345678-and-more":          "***",
		"ghp_abcdefgh ghp_abcdefgh":     "*** ***",
		"short stays, not a secret too": "short stays, not a secret too",
		"lowercase":                     "***",
		"at postgres://a:b@c/d":         "at ***",
		"safe.directory":                "safe.directory",
	} {
		if got := string(process.Masked([]byte(in), env)); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestNothingThatReachesTheRecordPasses(t *testing.T) {
	names := []string{"TORVE_DSN", "PGPASSWORD", "PGPASSFILE", "PGSERVICE", "PGSERVICEFILE", "PGHOST", "PGUSER", "PGSSLKEY", "PGSSLPASSWORD"}
	for _, name := range names {
		t.Setenv(name, "of the record")
	}
	t.Setenv("PGP_HOME", "mine")
	for who, got := range map[string][]string{
		"a program":          process.Environ(append([]string{"PG*", "TORVE_*", "PGP_HOME"}, names...)...),
		"a person's program": process.Person(),
	} {
		if text := strings.Join(got, "\n"); strings.Contains(text, "of the record") || !strings.Contains(text, "PGP_HOME=mine") {
			t.Errorf("%s gets %q", who, got)
		}
	}
	if got := process.Environ("PGHOST=localhost"); !slices.Contains(got, "PGHOST=localhost") {
		t.Errorf("what is set outright does not pass: %q", got)
	}
}

func TestLookFindsWhatIsOnThePath(t *testing.T) {
	if process.Look("sh") == "" || process.Look("torve-no-such-program") != "" {
		t.Error(process.Look("sh"), process.Look("torve-no-such-program"))
	}
}
