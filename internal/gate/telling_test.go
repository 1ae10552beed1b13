package gate

import "testing"

func TestAFailureIsToldByTheFirstTestThatFailed(t *testing.T) {
	for _, c := range []struct{ line, output, want string }{
		{"go test ./...", "ok a\n--- FAIL: TestUnknown (0.00s)\n    --- FAIL: TestUnknown/x\nFAIL\n", "TestUnknown"},
		{"go vet ./... && go test ./...", "    --- FAIL: TestSub/x (0.00s)\nFAIL", "TestSub/x"},
		{"python -m pytest -q", "FAILED tests/test_a.py::test_b - assert 1 == 2\n1 failed in 0.1s", "tests/test_a.py::test_b"},
		{"cargo test", "test a::b ... ok\ntest a::c ... FAILED\n", "a::c"},
		{"node --test", "not ok 2 - answers 404\n# fail 1", "answers 404"},
		{"npx vitest run", " FAIL  src/a.test.ts > adds\nTests 1 failed", "src/a.test.ts > adds"},
		{"npx jest", "  ● adds › wrongly\n", "adds › wrongly"},
		{"go test ./...", "x.go:1: syntax error\nFAIL", "last"},
		{"sh test.sh", "--- FAIL: TestUnknown", "last"},
	} {
		if got := Telling(c.line, []byte(c.output), "last"); got != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
}

func TestGosOwnFAILIsNotTheLineThatSaysMost(t *testing.T) {
	for output, c := range map[string]struct{ last, want string }{
		"--- FAIL: TestUnknown (0.01s)\n    a_test.go:7: 500\nFAIL\nFAIL\tshop\t0.012s\nFAIL\n": {"FAIL", "TestUnknown"},
		"# shop\n./a.go:3:1: expected 'package'\nFAIL\tshop [build failed]\nFAIL\n":             {"FAIL", "./a.go:3:1: expected 'package'"},
		"boom\nFAIL\n":                      {"FAIL", "FAIL"},
		"./a.go:3:1: a warning\none\ntwo\n": {"two", "two"},
	} {
		if got := Telling("make check", []byte(output), c.last); got != c.want {
			t.Errorf("%q gives %q, want %q", output, got, c.want)
		}
	}
}
