package gate

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"torve/internal/contract"
)

// TestsLost says whether a change loses a test: a test file that goes away, a net loss
// of lines in one, one that can no longer be counted, or a new skip marker. The contract lifts it with
// tests: change, or with a pattern of scope.allow that names tests and takes the path.
func TestsLost(c contract.Contract, ch Change) (clause string, lost bool) {
	if c.Tests == "change" {
		return "", false
	}
	what := loses(ch)
	if what == "" {
		return "", false
	}
	if _, lifted := firstMatch(TestGlobs(c), ch.Path); lifted {
		return "", false
	}
	return fmt.Sprintf("%s %s, and the contract keeps tests", quoted(ch.Path), what), true
}

// TestGlobs are the patterns of scope.allow that name tests: what they take may
// lose tests although the contract keeps them elsewhere.
func TestGlobs(c contract.Contract) []string {
	var globs []string
	for _, g := range c.Scope.Allow {
		if IsTest(g) || testFolderIn(g) {
			globs = append(globs, g)
		}
	}
	return globs
}

// loses is what a change takes from the tests, in words; empty when nothing.
func loses(ch Change) string {
	if IsTest(ch.Path) {
		switch {
		case ch.Verb == Delete:
			return "is deleted"
		case ch.InBase && (ch.Verb == Symlink || ch.Verb == Submodule):
			return "is replaced by a " + ch.Verb
		case ch.InBase && ch.Verb == Modify && ch.Uncounted:
			return "is changed, and its lines cannot be counted (it is binary or generated)"
		case ch.Removed > ch.Added:
			return "loses " + counted(ch.Removed-ch.Added, "line")
		}
	}
	for _, s := range skips {
		if !s.in(ch.Path) {
			continue
		}
		for _, line := range ch.AddedLines {
			if s.re.MatchString(line.Text) {
				return fmt.Sprintf("gains a skip marker (%s) at line %d", strings.Trim(s.re.FindString(line.Text), "( "), line.N)
			}
		}
	}
	return ""
}

// testNames are the file names by which the known runners find tests.
var testNames = []string{
	"*_test.go",
	"test_*.py", "*_test.py", "conftest.py",
	"*.test.[jt]s", "*.test.[jt]sx", "*.test.[cm][jt]s", "*.spec.[jt]s", "*.spec.[jt]sx", "*.spec.[cm][jt]s",
	"*Test.java", "*Tests.java", "*TestCase.java", "*IT.java", "Test*.java", "*Test.kt", "*Tests.kt", "*Test.scala", "*Spec.scala",
	"*_test.rs", "tests.rs",
	"*_test.rb", "*_spec.rb", "test_*.rb",
	"*Test.php", "*Test.cs", "*Tests.cs", "*Tests.swift", "*_test.exs", "*_test.dart",
	"*_test.c", "*_test.cc", "*_test.cpp", "test_*.c", "test_*.cc", "test_*.cpp",
	"*.bats",
}

// testFolders hold tests whatever the files in them are called, given their ending.
var testFolders = map[string][]string{
	"__tests__": {".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs"},
	"tests":     {".rs", ".py", ".php", ".sh"},
	"test":      {".sh", ".java", ".kt", ".scala", ".groovy", ".exs", ".js", ".mjs", ".ts"},
	"spec":      {".rb"},
	"script":    {".txtar"},
}

// IsTest reports whether a path is a test file, by the names that test runners go by.
func IsTest(file string) bool {
	base := path.Base(file)
	for _, pattern := range testNames {
		if ok, _ := path.Match(pattern, base); ok {
			return true
		}
	}
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		if slices.Contains(testFolders[part], path.Ext(base)) {
			return true
		}
	}
	return false
}

// testFolderIn reports whether a pattern names a folder of tests.
func testFolderIn(glob string) bool {
	return slices.ContainsFunc(strings.Split(glob, "/"), func(part string) bool {
		return slices.Contains([]string{"tests", "test", "spec", "__tests__"}, part)
	})
}

// skip is a marker by which a test is left out, and where it means that.
type skip struct {
	in func(path string) bool
	re *regexp.Regexp
}

var skips = []skip{
	{testOf(".go"), regexp.MustCompile(`\b[a-z]\w*\.Skip(Now|f)?\(|^//go:build\b.*\bignore\b`)},
	{testOf(".py"), regexp.MustCompile(`@(pytest\.mark\.(skip|skipif|xfail)|unittest\.(skip|skipIf|skipUnless|expectedFailure))\b|\bpytest\.skip\(|\bself\.skipTest\(`)},
	{testOf(".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts"),
		regexp.MustCompile(`\b(it|test|describe|suite|context)\.(skip|todo|only|skipIf|fixme)\b|(^|[^\w.$])(xit|xtest|xdescribe|fit|fdescribe)\s*\(|\bthis\.skip\(`)},
	{func(p string) bool { return path.Ext(p) == ".rs" }, regexp.MustCompile(`#\[(cfg_attr\([^)]*,\s*)?ignore\b`)},
	{testOf(".java", ".kt", ".scala", ".groovy"), regexp.MustCompile(`@(Disabled|Ignore)\b|\bassume(True|False)\(`)},
	{testOf(".rb"), regexp.MustCompile(`^\s*(skip|pending)\b|(^|\s)(xit|xdescribe|xcontext|fit|fdescribe)\s`)},
	{testOf(".cs"), regexp.MustCompile(`\[(Ignore|Fact\(Skip|Theory\(Skip)`)},
	{testOf(".php"), regexp.MustCompile(`markTest(Skipped|Incomplete)\(`)},
	{testOf(".swift"), regexp.MustCompile(`\bXCTSkip\b`)},
	{testOf(".exs"), regexp.MustCompile(`@(module)?tag\s+:?skip\b`)},
	{testOf(".bats", ".txtar"), regexp.MustCompile(`^\s*skip\b`)},
}

// testOf is whether a path is a test file with one of the endings.
func testOf(endings ...string) func(string) bool {
	return func(p string) bool { return slices.Contains(endings, path.Ext(p)) && IsTest(p) }
}
