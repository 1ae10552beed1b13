package gate

import (
	"strings"
	"testing"
)

func TestAChangeOfWhatAcceptanceRunsIsNamed(t *testing.T) {
	pkg := func(scripts string) string { return `{"name":"x","scripts":{` + scripts + `},"dependencies":{}}` }
	const mk = "FLAGS = -race\n.PHONY: all test\nall: test lint\ntest: build\n\tgo test $(FLAGS) ./...\nbuild:\n\tgo build ./...\nlint:\n\tvet\n"
	for _, c := range []struct {
		name, file, before, after, line, want string
	}{
		{"npm test", "package.json", pkg(`"test":"jest"`), pkg(`"test":"true"`), "npm test", "scripts.test"},
		{"npm run", "package.json", pkg(`"unit":"jest"`), pkg(`"unit":"true"`), "npm run -s unit", "scripts.unit"},
		{"yarn", "package.json", pkg(`"unit":"jest"`), pkg(`"unit":"true"`), "yarn unit", "scripts.unit"},
		{"node --run", "package.json", pkg(`"unit":"jest"`), pkg(`"unit":"true"`), "node --run unit", "scripts.unit"},
		{"another script", "package.json", pkg(`"test":"jest","dev":"vite"`), pkg(`"test":"jest","dev":"next"`), "npm test", ""},
		{"through another", "package.json", pkg(`"test":"npm run unit","unit":"jest"`), pkg(`"test":"npm run unit","unit":"true"`), "npm test", "scripts.unit"},
		{"through run-s", "package.json", pkg(`"test":"run-s t:*","t:a":"jest"`), pkg(`"test":"run-s t:*","t:a":"true"`), "npm t", "scripts.t:a"},
		{"a hook that is new", "package.json", pkg(`"test":"jest"`), pkg(`"test":"jest","pretest":"rm -r test"`), "npm test", "scripts.pretest"},
		{"taken away", "package.json", pkg(`"test":"jest"`), "", "npm test", "scripts.test"},
		{"made unreadable", "package.json", pkg(`"test":"jest"`), "{", "npm test", "scripts.test"},
		{"the runner's settings", "package.json", `{"scripts":{"test":"jest"}}`, `{"scripts":{"test":"jest"},"jest":{"testMatch":[]}}`, "npm test", "the jest configuration"},
		{"a dependency alone", "package.json", pkg(`"test":"jest"`), `{"scripts":{"test":"jest"},"dependencies":{"a":"1"}}`, "npm test", ""},
		{"no npm at all", "package.json", pkg(`"test":"jest"`), pkg(`"test":"true"`), "go test ./...", ""},

		{"make, the recipe", "Makefile", mk, strings.Replace(mk, "go test", "echo", 1), "make test", "target test"},
		{"make, a variable", "Makefile", mk, strings.Replace(mk, "-race", "-run NONE", 1), "make -j 4 test", "target test"},
		{"make, a dependency's recipe", "Makefile", mk, strings.Replace(mk, "go build", "true", 1), "make test", "target test"},
		{"make, a target beside it", "Makefile", mk, strings.Replace(mk, "vet", "true", 1), "make test", ""},
		{"make, the first target", "Makefile", mk, strings.Replace(mk, "vet", "true", 1), "make", "target all"},
		{"make, another first target", "Makefile", mk, strings.Replace(mk, "all: test", "none:\n\nall: test", 1), "make", "the first target"},
		{"make, the shell", "Makefile", mk, "SHELL = /bin/true\n" + mk, "make test", "target test"},
		{"make, an include", "Makefile", mk, mk + "include x.mk\n", "make test", "target test"},
		{"make, a comment", "Makefile", mk, "# words\n" + mk, "make test", ""},
		{"make, a file that comes first", "GNUmakefile", "", "test:\n\ttrue\n", "make test", "target test"},
		{"make, through itself", "Makefile", "ci:\n\t$(MAKE) test\ntest:\n\tgo test\n", "ci:\n\t$(MAKE) test\ntest:\n\ttrue\n", "make ci", "target ci"},
		{"make is not run", "Makefile", mk, "", "go test ./...", ""},

		{"vitest", "vitest.config.ts", "a", "b", "npx vitest run", "the vitest configuration"},
		{"vitest, that is new", "web/vitest.config.ts", "", "b", "npm test", "the vitest configuration"},
		{"vitest, and jest is run", "vitest.config.ts", "a", "b", "jest", ""},
		{"vite without a word to the runner", "vite.config.ts", "a", "b", "vitest", ""},
		{"vite with one", "vite.config.ts", "a", "test: {}", "vitest", "the vitest configuration"},
		{"pytest.ini", "pytest.ini", "a", "b", "pytest -q", "the pytest configuration"},
		{"pyproject", "pyproject.toml", "[tool.pytest.ini_options]\naddopts = \"\"\n", "[tool.pytest.ini_options]\naddopts = \"-k none\"\n", "pytest", "the pytest configuration"},
		{"pyproject, elsewhere", "pyproject.toml", "[project]\nversion = \"1\"\n[tool.pytest.ini_options]\na=1\n", "[project]\nversion = \"2\"\n[tool.pytest.ini_options]\na=1\n", "pytest", ""},
		{"setup.cfg", "setup.cfg", "[tool:pytest]\na=1\n", "[tool:pytest]\na=2\n", "python -m pytest", "the pytest configuration"},
		{"jest", "jest.config.js", "a", "b", "yarn jest", "the jest configuration"},

		{"a script", "scripts/check.sh", "a", "b", "./scripts/check.sh --all", "what it does"},
		{"a script by its interpreter", "scripts/check.sh", "a", "b", "bash -e scripts/check.sh", "what it does"},
		{"a test that is named", "tests/test_a.py", "a", "b", "pytest tests/test_a.py", ""},
		{"a package that is tested", "internal/x.go", "a", "b", "go test ./internal/x.go", ""},
		{"nothing changed", "package.json", pkg(`"test":"jest"`), pkg(`"test":"jest"`), "npm test", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			bytes := func(s string) []byte {
				if s == "" {
					return nil
				}
				return []byte(s)
			}
			got := strings.Join(Scripts(c.file, bytes(c.before), bytes(c.after), []string{"go vet ./...", c.line}), ", ")
			if got != c.want {
				t.Errorf("Scripts = %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzScripts(f *testing.F) {
	f.Add("package.json", `{"scripts":{"test":"npm run test"}}`, `{"scripts":{"a":"run-s *"}}`, "npm test && sh -c 'npm run a'")
	f.Add("Makefile", "a: b\nb: a\n\t$(X)\nX = $(X)\n", "a:\\\n b\n", "make a")
	f.Add("pyproject.toml", "[tool.pytest\n", "]", "timeout 5 pytest")
	f.Fuzz(func(t *testing.T, file, before, after, line string) {
		if got := Scripts(file, []byte(before), []byte(before), []string{line}); len(got) > 0 {
			t.Errorf("a file that has not changed changes %q", got)
		}
		for _, name := range Scripts(file, []byte(before), []byte(after), []string{line}) {
			if name == "" {
				t.Error("a name is empty")
			}
		}
	})
}

func TestOnlyFilesThatMayTellWhatTheLinesRunAreRead(t *testing.T) {
	lines := []string{"go test ./...", "sh test.sh", "make check", "npm test", "./tools/lint a"}
	for file, want := range map[string]bool{
		"package.json": true, "web/package.json": true, "Makefile": true, "web/vite.config.ts": true, "pyproject.toml": true,
		"test.sh": true, "tools/lint": true, "a.go": false, "docs/a.md": false, "other.sh": false, "package.json.md": false,
	} {
		if got := Tells(file, lines); got != want {
			t.Errorf("%s: %v, want %v", file, got, want)
		}
	}
}
