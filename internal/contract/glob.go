package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Globs are read as .gitignore reads them, from the repository's root, with
// {a,b} beside: a pattern without a slash matches at any depth; a leading slash
// or one in the middle ties it to the root; what matches a folder matches all
// below it; a trailing slash means folders alone. Case counts.

// Match reports whether a pattern matches a file's path. A pattern that is not
// valid matches nothing; Parse refuses it.
func Match(pattern, path string) bool {
	p, folder := strings.CutSuffix(pattern, "/")
	p, anchored := strings.CutPrefix(p, "/")
	switch {
	case path == "" || p == "":
		return false
	case everything(pattern):
		return true
	}
	if !anchored && !strings.Contains(p, "/") {
		p = "**/" + p
	}
	// doublestar lets x/** match x itself; here it is what lies below.
	if rest, below := strings.CutSuffix(p, "/**"); below && folder {
		return matches(rest+"/**/*/**/*", path)
	} else if below {
		return matches(rest+"/**/*", path)
	}
	return !folder && matches(p, path) || matches(p+"/**/*", path)
}

func matches(pattern, path string) bool {
	ok, err := doublestar.Match(pattern, path)
	return err == nil && ok
}

// badGlob says what is wrong with a pattern, as the end of a sentence, and what
// would mend it; both are empty when it is one.
func badGlob(g string) (why, hint string) {
	segments := strings.Split(g, "/")
	switch {
	case strings.TrimSpace(g) == "":
		return "is blank", `everything is written "**"`
	case strings.TrimSpace(g) != g:
		return "begins or ends with a space", "leave the space out"
	case strings.HasPrefix(g, "!"):
		return "begins with !, which excludes nothing here", "write what is excluded under scope.deny"
	case strings.Trim(g, "/") == "":
		return "names nothing", `everything is written "**"`
	case slices.Contains(segments, "..") || slices.Contains(segments, "."):
		return "has . or .. in it, and paths are from the repository's root", "leave it out"
	case strings.Contains(g, "//"):
		return "has an empty folder name in it", "write one slash"
	case !doublestar.ValidatePattern(g):
		return "is not a valid glob", `close each [ and {, and write \[ for the letter`
	}
	return "", ""
}

// ValidGlob is nil for a pattern that a scope may hold; else it says why not.
func ValidGlob(g string) error {
	if why, hint := badGlob(g); why != "" {
		return fmt.Errorf("glob %q %s: %s", g, why, hint)
	}
	return nil
}

// literal is the part of a pattern before its first wildcard, from the root.
func literal(g string) string {
	lit, _ := plain(g)
	return lit
}

// plain gives a pattern's letters up to its first wildcard, escapes taken off,
// and whether that is all of it.
func plain(g string) (letters string, all bool) {
	g = strings.TrimPrefix(g, "/")
	var b strings.Builder
	for i := 0; i < len(g); i++ {
		switch g[i] {
		case '*', '?', '[', '{':
			return b.String(), false
		case '\\':
			if i++; i == len(g) {
				return b.String(), false
			}
		}
		b.WriteByte(g[i])
	}
	return strings.TrimSuffix(b.String(), "/"), true
}

// everything reports whether a pattern matches every path.
func everything(g string) bool {
	switch strings.TrimPrefix(g, "/") {
	case "*", "**", "**/", "**/*", "**/**":
		return true
	}
	return false
}
