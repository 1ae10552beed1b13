package contract

import (
	"slices"
	"strings"
	"testing"
)

// What git check-ignore says of each of these, asked of git 2.39.
const askedPaths = "README.md docs/README.md docs/a/b.md docs/a.md docs internal/law/x.go internal/law/deep/x.go " +
	"internal/x.go internal a/b a/c/b a/c/d/b a.txt ab.txt axb a/x/b/c law/x.go main.go Docs/a.md x/y x/y/z go.mod " +
	"sub/go.mod internal/go/x.txt"

func TestGlobsAreReadAsGitignoreReadsThem(t *testing.T) {
	for _, c := range []struct{ pattern, matched string }{
		{"*.go", "internal/law/x.go internal/law/deep/x.go internal/x.go law/x.go main.go"},
		{"README.md", "README.md docs/README.md"},
		{"docs/**", "docs/README.md docs/a/b.md docs/a.md"},
		{"docs/", "docs/README.md docs/a/b.md docs/a.md"},
		{"docs", "docs/README.md docs/a/b.md docs/a.md docs"},
		{"/docs", "docs/README.md docs/a/b.md docs/a.md docs"},
		{"internal/law/**", "internal/law/x.go internal/law/deep/x.go"},
		{"internal/*/x.go", "internal/law/x.go"},
		{"internal/*", "internal/law/x.go internal/law/deep/x.go internal/x.go internal/go/x.txt"},
		{"**/x.go", "internal/law/x.go internal/law/deep/x.go internal/x.go law/x.go"},
		{"a/**/b", "a/b a/c/b a/c/d/b a/x/b/c"},
		{"/README.md", "README.md"},
		{"internal/l*", "internal/law/x.go internal/law/deep/x.go"},
		{"law/", "internal/law/x.go internal/law/deep/x.go law/x.go"},
		{"**", askedPaths},
		{"*", askedPaths},
		{"/*", askedPaths},
		{"docs/*.md", "docs/README.md docs/a.md"},
		{"[ab].txt", "a.txt"},
		{"?.txt", "a.txt internal/go/x.txt"},
		{"a**b", "axb"},
		{"**/law/**", "internal/law/x.go internal/law/deep/x.go law/x.go"},
		{"x/**/", "x/y/z"},
		{"/go.mod", "go.mod"},
	} {
		var got []string
		for _, p := range strings.Fields(askedPaths) {
			if Match(c.pattern, p) {
				got = append(got, p)
			}
		}
		if want := strings.Fields(c.matched); !slices.Equal(got, want) {
			t.Errorf("%s matches %v, want %v", c.pattern, got, want)
		}
	}
}

func TestOddPathsAreMatchedLetterByLetter(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"Docs/**", "docs/a", false}, {"docs/**", "Docs/a", false},
		{"文書/**", "文書/一.md", true}, {"a b/*.txt", "a b/c d.txt", true},
		{"{a,b}/**", "b/c", true}, {`\{a\}/**`, "{a}/c", true}, {`app/\[id\].ts`, "app/[id].ts", true}, {"app/[id].ts", "app/[id].ts", false},
		{"**", ".hidden/x", true}, {"*", "a\nb", true}, {"**", "", false}, {"", "a", false}, {"/", "a", false}, {"[", "[", false},
	} {
		if got := Match(c.pattern, c.path); got != c.want {
			t.Errorf("Match(%q, %q) = %v", c.pattern, c.path, got)
		}
	}
}

func TestAScopeSaysWhichLineForbidsAPath(t *testing.T) {
	s := Scope{Allow: []string{"internal/**", "docs/**"}, Deny: []string{"docs/seeds/**", "*.pem"}}
	many := Scope{Allow: []string{"a", "b", "c", "d", "e", "f", "g", "h"}}
	for _, c := range []struct {
		scope        Scope
		path, clause string
	}{
		{s, "internal/a.go", ""},
		{s, "docs/a.md", ""},
		{s, "docs/seeds/a.md", "is denied by scope.deny docs/seeds/**"},
		{s, "internal/key.pem", "is denied by scope.deny *.pem"},
		{s, "main.go", "is outside scope.allow internal/**, docs/**"},
		{many, "z", "is outside scope.allow a, b, c, d, e, f and 2 more"},
		{Scope{Allow: many.Allow[:6]}, "z", "is outside scope.allow a, b, c, d, e, f"},
		{Scope{}, "z", "is outside scope.allow, which is empty"},
		{Scope{Allow: []string{"internal/**"}}, "internal", "is outside scope.allow internal/**"},
	} {
		ok, clause := c.scope.Admits(c.path)
		if clause != c.clause || ok != (c.clause == "") {
			t.Errorf("%s: %v %q, want %q", c.path, ok, clause, c.clause)
		}
	}
}

func TestTwoGlobsMeetWhenTheLiteralPartOfOneBeginsWithThatOfTheOther(t *testing.T) {
	for _, c := range []struct {
		name         string
		a, b, shared []string
		want         []string
	}{
		{"the same", []string{"docs/**"}, []string{"docs/**"}, nil, []string{"docs/**"}},
		{"one below the other", []string{"internal/law/**"}, []string{"internal/**"}, nil, []string{"internal/law/**"}},
		{"the other way", []string{"internal/**"}, []string{"internal/law/x.go"}, nil, []string{"internal/**"}},
		{"apart", []string{"internal/a/**"}, []string{"internal/b/**"}, nil, []string{}},
		{"two files", []string{"a.txt"}, []string{"b.txt"}, nil, []string{}},
		{"a wildcard first meets all", []string{"*.go"}, []string{"docs/**"}, nil, []string{"*.go"}},
		{"everything meets all", []string{"docs/**"}, []string{"**"}, nil, []string{"docs/**"}},
		{"an anchor is no letter", []string{"/docs/a"}, []string{"docs/**"}, nil, []string{"/docs/a"}},
		{"alternatives are a wildcard", []string{"{a,b}/x"}, []string{"c/**"}, nil, []string{"{a,b}/x"}},
		{"only those that meet", []string{"a/**", "b/**", "c/**"}, []string{"b/x", "c/y"}, nil, []string{"b/**", "c/**"}},
		{"nothing", nil, []string{"**"}, nil, []string{}},
		{"a shared file", []string{"go.mod", "a/**"}, []string{"go.mod", "b/**"}, []string{"go.mod"}, []string{}},
		{"a shared file under a glob", []string{"a/go.sum"}, []string{"a/go.sum"}, []string{"*.sum"}, []string{}},
		{"a shared glob", []string{"locks/*"}, []string{"locks/*"}, []string{"locks/*"}, []string{}},
		{"shared takes no glob that is wider", []string{"**"}, []string{"go.mod", "a"}, []string{"go.mod"}, []string{"**"}},
	} {
		if got := Meet(Scope{Allow: c.a}, Scope{Allow: c.b}, c.shared); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if meets := Meets(c.a, c.b); c.shared == nil && meets != (len(c.want) > 0) {
			t.Errorf("%s: that they meet is %v", c.name, meets)
		}
		one := len(Meet(Scope{Allow: c.a}, Scope{Allow: c.b}, c.shared)) > 0
		two := len(Meet(Scope{Allow: c.b}, Scope{Allow: c.a}, c.shared)) > 0
		if one != two {
			t.Errorf("%s: it meets in one direction alone", c.name)
		}
	}
}

func TestDenyIsNotCountedWhenScopesMeet(t *testing.T) {
	a := Scope{Allow: []string{"a/**"}, Deny: []string{"a/x/**"}}
	if got := Meet(a, Scope{Allow: []string{"a/x/**"}}, nil); len(got) != 1 {
		t.Errorf("got %v", got)
	}
}

func TestAPathIsNamedOnlyWithoutAWildcard(t *testing.T) {
	s := Scope{Allow: []string{".github/**", "/CLAUDE.md", "web/package.json", `app/\[id\].ts`, "*"}}
	for path, want := range map[string]bool{
		".github/x.yml": false, "CLAUDE.md": true, "web/package.json": true, "package.json": false,
		"app/[id].ts": true, "web": false, "*": false,
	} {
		if Names(s, path) != want {
			t.Errorf("Names(%s) is %v", path, !want)
		}
	}
}

func TestAScopeOfEverythingIsKnown(t *testing.T) {
	for g, want := range map[string]bool{"**": true, "*": true, "/**": true, "**/*": true, "**/": true, "a/**": false, "*.go": false, "*/*": false} {
		if (Scope{Allow: []string{"x", g}}).Everything() != want {
			t.Errorf("%s: %v", g, !want)
		}
	}
}

func FuzzMatch(f *testing.F) {
	for _, s := range [][2]string{{"docs/**", "docs/a"}, {"*.go", "a/b.go"}, {"[", "["}, {"{a,{b,c}}", "c"}, {"**/**/**", "a/b/c"}, {`\`, "a"}, {"a/", "a/b"}, {"/", "/"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if len(pattern) > 60 || len(path) > 60 || strings.ToValidUTF8(pattern, "\ufffd") != pattern || strings.Contains(pattern, "\ufffd") {
			return // a contract is UTF-8, and long ones add nothing
		}
		matched := Match(pattern, path)
		if strings.Count(pattern, "/") > 0 && !strings.HasPrefix(pattern, "/") && !strings.HasSuffix(pattern, "/") && Match("/"+pattern, path) != matched {
			t.Errorf("an anchor changes %q, which has a slash", pattern)
		}
		if matched && ValidGlob(pattern) == nil {
			clean := strings.TrimSuffix(path, "/")
			if lit := literal(pattern); strings.Contains(strings.Trim(pattern, "/"), "/") && !strings.HasPrefix(clean+"/", lit) {
				t.Errorf("%q matches %q, which does not begin with %q", pattern, path, lit)
			}
		}
	})
}
