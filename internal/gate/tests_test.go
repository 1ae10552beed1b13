package gate

import (
	"testing"

	"torve/internal/contract"
)

func TestTestFilesAreKnownByTheNamesThatRunnersGoBy(t *testing.T) {
	for _, p := range []string{
		"a_test.go", "pkg/test_x.py", "x_test.py", "tests/conftest.py", "tests/helpers.py", "src/a.test.ts", "src/a.spec.jsx", "a.test.mjs",
		"src/__tests__/a.js", "src/test/java/x/Fixture.java", "FooTest.java", "FooTests.kt", "tests/cli.rs", "src/tests.rs", "spec/x_spec.rb",
		"test/x_test.rb", "FooTest.php", "FooTests.cs", "a.bats", "cmd/testdata/script/a.txtar", "test/unit/x.js",
	} {
		if !IsTest(p) {
			t.Errorf("%s is no test", p)
		}
	}
	for _, p := range []string{"a.go", "testing.go", "contest.py", "src/latest.ts", "test.md", "tests/data.json", "src/main.rs", "testdata/x.go", "Attest.java.txt"} {
		if IsTest(p) {
			t.Errorf("%s is a test", p)
		}
	}
}

func TestNoTestIsLostWhileTheContractKeepsTests(t *testing.T) {
	lines := func(text string) []Line { return []Line{{7, text}} }
	for _, c := range []struct {
		name, want string
		ch         Change
	}{
		{"deleted", "a_test.go is deleted, and the contract keeps tests", Change{Path: "a_test.go", Verb: Delete, InBase: true, Removed: 3}},
		{"shorter", "get_test.go loses 14 lines, and the contract keeps tests", Change{Path: "get_test.go", Verb: Modify, Added: 2, Removed: 16}},
		{"shorter by one", "get_test.go loses 1 line, and the contract keeps tests", Change{Path: "get_test.go", Verb: Modify, Removed: 1}},
		{"replaced", "a_test.go is replaced by a symlink, and the contract keeps tests", Change{Path: "a_test.go", Verb: Symlink, InBase: true}},
		{"become binary", "a_test.go is changed, and its lines cannot be counted (it is binary or generated), and the contract keeps tests",
			Change{Path: "a_test.go", Verb: Modify, InBase: true, Uncounted: true}},
		{"binary, its mode alone", "", Change{Path: "a_test.go", Verb: Mode, InBase: true, Uncounted: true}},
		{"binary, and new", "", Change{Path: "a_test.go", Verb: Add, Uncounted: true}},
		{"longer", "", Change{Path: "a_test.go", Verb: Modify, Added: 16, Removed: 2}},
		{"rewritten at the same length", "", Change{Path: "a_test.go", Verb: Modify, Added: 9, Removed: 9}},
		{"no test", "", Change{Path: "a.go", Verb: Delete, Removed: 300}},
		{"t.Skip", "a_test.go gains a skip marker (t.Skip) at line 7, and the contract keeps tests", Change{Path: "a_test.go", Verb: Modify, Added: 1, AddedLines: lines(`	t.Skip("later")`)}},
		{"b.SkipNow", "a_test.go gains a skip marker (b.SkipNow) at line 7, and the contract keeps tests", Change{Path: "a_test.go", Verb: Add, Added: 1, AddedLines: lines(`	b.SkipNow()`)}},
		{"a build tag", "a_test.go gains a skip marker (//go:build ignore) at line 7, and the contract keeps tests", Change{Path: "a_test.go", Verb: Modify, Added: 1, AddedLines: lines("//go:build ignore")}},
		{"pytest", "test_a.py gains a skip marker (@pytest.mark.skip) at line 7, and the contract keeps tests", Change{Path: "test_a.py", Verb: Modify, Added: 1, AddedLines: lines("@pytest.mark.skip(reason='x')")}},
		{"it.skip", "a.test.ts gains a skip marker (it.skip) at line 7, and the contract keeps tests", Change{Path: "a.test.ts", Verb: Modify, Added: 1, AddedLines: lines("  it.skip('a', () => {})")}},
		{"test.skip", "a.test.ts gains a skip marker (test.skip) at line 7, and the contract keeps tests", Change{Path: "a.test.ts", Verb: Modify, Added: 1, AddedLines: lines("test.skip('a')")}},
		{"describe.only leaves the others out", "a.test.ts gains a skip marker (describe.only) at line 7, and the contract keeps tests", Change{Path: "a.test.ts", Verb: Modify, Added: 1, AddedLines: lines("describe.only('a')")}},
		{"xit", "a.spec.js gains a skip marker (xit) at line 7, and the contract keeps tests", Change{Path: "a.spec.js", Verb: Modify, Added: 1, AddedLines: lines("  xit('a')")}},
		{"exit is not xit", "", Change{Path: "a.spec.js", Verb: Modify, Added: 1, AddedLines: lines("  process.exit(1); git.commit(2)")}},
		{"rust", "src/lib.rs gains a skip marker (#[ignore) at line 7, and the contract keeps tests", Change{Path: "src/lib.rs", Verb: Modify, Added: 1, AddedLines: lines("    #[ignore]")}},
		{"java", "FooTest.java gains a skip marker (@Disabled) at line 7, and the contract keeps tests", Change{Path: "FooTest.java", Verb: Modify, Added: 1, AddedLines: lines(`@Disabled("x")`)}},
		{"ruby", "a_spec.rb gains a skip marker (xit) at line 7, and the contract keeps tests", Change{Path: "a_spec.rb", Verb: Modify, Added: 1, AddedLines: lines("  xit 'a' do")}},
		{"a marker outside a test", "", Change{Path: "a.go", Verb: Modify, Added: 1, AddedLines: lines(`	t.Skip("later")`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, lost := TestsLost(contract.Contract{Tests: "keep"}, c.ch)
			if got != c.want || lost != (c.want != "") {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got, lost := TestsLost(contract.Contract{Tests: "change"}, c.ch); lost {
				t.Errorf("tests: change does not lift it: %s", got)
			}
		})
	}
}

func TestAnAllowPatternThatNamesTestsLiftsItForWhatItTakes(t *testing.T) {
	gone := func(path string) Change { return Change{Path: path, Verb: Delete, InBase: true} }
	for _, c := range []struct {
		allow string
		path  string
		lost  bool
	}{
		{"**", "a/a_test.go", true},
		{"a/**", "a/a_test.go", true},
		{"a/a_test.go", "a/a_test.go", false},
		{"**/*_test.go", "a/a_test.go", false},
		{"tests/**", "tests/cli.rs", false},
		{"b/tests/**", "a/tests/cli.rs", true},
		{"testdata/**", "a/a_test.go", true},
	} {
		con := contract.Contract{Tests: "keep", Scope: contract.Scope{Allow: []string{"a/**", c.allow}}}
		if clause, lost := TestsLost(con, gone(c.path)); lost != c.lost {
			t.Errorf("allow %s, %s deleted: lost %v (%s), want %v", c.allow, c.path, lost, clause, c.lost)
		}
	}
}
