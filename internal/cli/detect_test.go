package cli

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestTestAndSetupCommandsAreFoundByTheirFiles(t *testing.T) {
	for _, c := range []struct {
		name         string
		files        map[string]string
		tests, setup []string
	}{
		{"nothing", nil, nil, nil},
		{"Go", map[string]string{"go.mod": ""}, []string{"go test ./..."}, nil},
		{"node", map[string]string{"package.json": `{"scripts":{"test":"vitest run"}}`, "package-lock.json": ""}, []string{"npm test"}, []string{"npm ci"}},
		{"node with npm's placeholder, and a Makefile", map[string]string{
			"package.json": `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`, "yarn.lock": "", "Makefile": "test:\n\ttrue\n",
		}, []string{"make test"}, []string{"yarn install --frozen-lockfile"}},
		{"a broken package.json", map[string]string{"package.json": "{"}, nil, nil},
		{"Python", map[string]string{"pyproject.toml": ""}, []string{"python -m pytest"}, nil},
		{"Rust", map[string]string{"Cargo.toml": ""}, []string{"cargo test"}, nil},
		{"a Makefile without a test", map[string]string{"Makefile": "tests:\n\ttrue\ntest := x\n"}, nil, nil},
		{"Go and a Makefile", map[string]string{"go.mod": "", "GNUmakefile": "test: build\n"}, []string{"go test ./..."}, nil},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		tests, setup := detectCommands(dir)
		if !slices.Equal(tests, c.tests) || !slices.Equal(setup, c.setup) {
			t.Errorf("%s: tests %q, setup %q", c.name, tests, setup)
		}
	}
}

func TestThePartitionIsTheOriginsOwnerAndName(t *testing.T) {
	for url, want := range map[string]string{
		"git@github.com:acme/shop.git": "acme/shop", "https://github.com/acme/shop": "acme/shop", "https://github.com/acme/shop/": "acme/shop",
		"ssh://git@host:2222/group/sub/shop.git": "sub/shop", "host:shop.git": "shop",
	} {
		m := remotePath.FindStringSubmatch(url)
		if m == nil {
			t.Errorf("%s is no remote", url)
			continue
		}
		if got := partitionOf(m[1]); got != want {
			t.Errorf("%s is %s, and %s was expected", url, got, want)
		}
	}
}
