package contract

import (
	"fmt"
	"slices"
	"strings"
)

// clauseCap is how many globs a sentence names before it counts the rest.
const clauseCap = 6

// Admits reports whether a change of the path is within the scope; where it is
// not, clause says which line forbids it, to follow the path in a sentence.
func (s Scope) Admits(path string) (ok bool, clause string) {
	for _, g := range s.Deny {
		if Match(g, path) {
			return false, "is denied by scope.deny " + g
		}
	}
	for _, g := range s.Allow {
		if Match(g, path) {
			return true, ""
		}
	}
	if len(s.Allow) == 0 {
		return false, "is outside scope.allow, which is empty"
	}
	return false, "is outside scope.allow " + listed(s.Allow)
}

func listed(globs []string) string {
	if len(globs) <= clauseCap {
		return strings.Join(globs, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(globs[:clauseCap], ", "), len(globs)-clauseCap)
}

// Everything reports whether scope.allow is everything: such work meets all
// other, whatever it denies.
func (s Scope) Everything() bool {
	return slices.ContainsFunc(s.Allow, everything)
}

// Names reports whether an allow pattern names the path itself, with no
// wildcard: the one way past a protection.
func Names(s Scope, path string) bool {
	return slices.ContainsFunc(s.Allow, func(g string) bool {
		letters, all := plain(g)
		return all && letters == path
	})
}

// Meet gives the globs of a that meet one of b, so that work under the two does
// not run side by side: the literal part of one begins with that of the other.
// Deny is not counted. A glob that lies within shared never meets: files such
// as go.sum are left to the merge.
func Meet(a, b Scope, shared []string) []string {
	meet := []string{}
	for _, g := range a.Allow {
		if within(shared, g) {
			continue
		}
		if slices.ContainsFunc(b.Allow, func(h string) bool { return !within(shared, h) && touch(g, h) }) {
			meet = append(meet, g)
		}
	}
	return meet
}

// Meets reports whether two lists of globs meet, with nothing shared.
func Meets(a, b []string) bool { return len(Meet(Scope{Allow: a}, Scope{Allow: b}, nil)) > 0 }

func touch(g, h string) bool {
	a, b := literal(g), literal(h)
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// within reports whether all that a glob can match is shared.
func within(shared []string, glob string) bool {
	return slices.ContainsFunc(shared, func(s string) bool {
		path, all := plain(glob)
		return s == glob || all && Match(s, path)
	})
}
