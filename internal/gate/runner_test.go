package gate

import (
	"testing"
	"time"
)

func TestARunnerIsKnownWhereverItStandsInTheLine(t *testing.T) {
	for line, want := range map[string]string{
		"go test ./...":        "go test",
		"go -C sub test ./...": "go test",
		"CGO_ENABLED=0 go test -race ./... 2>&1 | tail -5": "go test",
		"cd x && go vet ./... && go test ./...":            "go test",
		"timeout 60 go test ./...":                         "go test",
		"pytest -q":                                        "pytest",
		"python3 -m pytest tests":                          "pytest",
		"uv run pytest":                                    "pytest",
		"poetry run python -m pytest":                      "pytest",
		"npx vitest run":                                   "vitest",
		"./node_modules/.bin/jest --ci":                    "jest",
		"pnpm exec jest":                                   "jest",
		"cargo +nightly test --all":                        "cargo test",
		"node --test test/":                                "node --test",
		`sh -c "go test ./..."`:                            "go test",
		"npm test":                                         "",
		"make test":                                        "",
		"echo go test":                                     "",
		"go build ./...":                                   "",
		"":                                                 "",
	} {
		if got, ok := Runner(line); got != want || ok != (want != "") {
			t.Errorf("Runner(%q) = %q, %v; want %q", line, got, ok, want)
		}
	}
}

func TestTestsAreCountedFromWhatTheRunnerPrinted(t *testing.T) {
	for _, c := range []struct {
		name, line, out string
		want            int
	}{
		{"go, verbose", "go test -v .", "=== RUN   TestA\n=== RUN   TestA/x\n    --- PASS: TestA/x (0.00s)\n--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\n--- SKIP: TestC (0.00s)\nFAIL\n", 2},
		{"go, json", "go test -json .", `{"Action":"run","Test":"TestA"}` + "\n" + `{"Action":"pass","Test":"TestA/x"}` + "\n" + `{"Action":"pass","Test":"TestA"}` + "\n" + `{"Action":"pass"}`, 1},
		{"go, terse", "go test ./...", "ok  \ttorve/a\t0.01s\n?   \ttorve/b\t[no test files]\n", -1},
		{"go, cached", "go test ./...", "ok  \ttorve/a\t(cached)\n", -1},
		{"go, no files", "go test ./...", "?   \ttorve/b\t[no test files]\n", 0},
		{"go, none to run", "go test -run Nope .", "ok  \ttorve/a\t0.01s [no tests to run]\n", 0},
		{"go, no packages", "go test ./none/...", "go: warning: \"./none/...\" matched no packages\nno packages to test\n", 0},
		{"go, silent", "go test ./... >log", "", -1},
		{"pytest", "pytest", "===== 3 passed, 1 failed, 2 skipped in 0.12s =====\n", 4},
		{"pytest, quiet and coloured", "pytest -q", "..\n\x1b[32m2 passed\x1b[0m\x1b[32m in 0.01s\x1b[0m\n", 2},
		{"pytest, warnings and minutes", "pytest", "==== 120 passed, 3 warnings in 83.10s (0:01:23) ====", 120},
		{"pytest, all skipped", "pytest", "==== 5 skipped in 0.01s ====", 0},
		{"pytest, none", "pytest", "collected 0 items\n\n==== no tests ran in 0.00s ====\n", 0},
		{"vitest", "vitest run", " Test Files  2 passed (2)\n      Tests  3 passed | 1 skipped (4)\n", 3},
		{"vitest, none", "vitest run --passWithNoTests", "No test files found, exiting with code 0\n", 0},
		{"jest", "jest", "Test Suites: 1 passed, 1 total\nTests:       1 failed, 2 passed, 3 total\n", 3},
		{"jest, none", "jest --passWithNoTests", "No tests found, exiting with code 0\n", 0},
		{"cargo", "cargo test", "running 2 tests\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\ntest result: FAILED. 0 passed; 3 failed; 0 ignored\n", 5},
		{"cargo, none", "cargo test", "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n", 0},
		{"node, tap", "node --test", "# tests 5\n# suites 0\n# pass 3\n# fail 1\n# skipped 1\n", 4},
		{"node, spec", "node --test", "ℹ tests 0\nℹ pass 0\nℹ fail 0\n", 0},
		{"another runner", "make test", "==== 3 passed in 0.1s ====", -1},
		{"a figure too large", "pytest", "==== 99999999999999999999 passed in 0.1s ====", -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := CountTests(c.line, []byte(c.out)); got != c.want {
				t.Errorf("CountTests = %d, want %d", got, c.want)
			}
		})
	}
}

func TestMissingFailedAndNotRunAreNeverGreen(t *testing.T) {
	for _, c := range []struct {
		exit, tests int
		over        time.Duration
		want        string
	}{
		{0, -1, 0, ""}, {0, 3, 0, ""},
		{0, 0, 0, "ran no test"},
		{1, 3, 0, "exited 1"},
		{127, -1, 0, "is not there"}, {126, -1, 0, "is not there"},
		{-1, -1, 0, "did not exit by itself"},
		{-1, -1, 10 * time.Minute, "did not end within 10m"},
		{0, 3, 90 * time.Second, "did not end within 1m30s"},
		{0, 3, 2 * time.Hour, "did not end within 2h"},
	} {
		if got := Why("go test ./...", c.exit, c.tests, c.over); got != c.want {
			t.Errorf("Why(%d, %d, %s) = %q, want %q", c.exit, c.tests, c.over, got, c.want)
		}
	}
	if got := Why("make test", 0, 0, 0); got != "" {
		t.Errorf("of a runner that is not known nothing is said: %q", got)
	}
}

func FuzzCountTests(f *testing.F) {
	f.Add("go test -v", "--- PASS: TestA (0.00s)\n")
	f.Add("pytest", "== 3 passed in 0.1s ==")
	f.Add("sh -c 'sh -c \"jest\"'", "Tests: 1 passed")
	f.Fuzz(func(t *testing.T, line, out string) {
		n := CountTests(line, []byte(out))
		if n < -1 {
			t.Errorf("CountTests = %d", n)
		}
		if _, known := Runner(line); !known && n != -1 {
			t.Errorf("%q is no known runner, and %d tests were counted", line, n)
		}
	})
}
