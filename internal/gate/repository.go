package gate

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"torve/internal/contract"
)

// Repository is the law of a code repository.
type Repository struct {
	Protect      []string // globs that are protected besides Protected
	Secrets      bool     // whether added lines are asked for secrets
	SecretsAllow []string // globs whose files may hold what looks like one

	// Reaches reports whether a text holds what reaches the record of this very run. It is
	// asked of every file, whatever the settings allow; nil: there is nothing to ask for.
	Reaches func(text string) bool
}

// Protected is what no change may touch unless a pattern of scope.allow names
// the path without a wildcard; a repository adds to it and never takes away.
var Protected = []string{
	".github/**", ".gitlab-ci.yml", "CODEOWNERS", "AGENTS.md", "CLAUDE.md", ".claude/**", ".gitmodules",
}

// Permits asks one change, in this order: torve's own paths, the scope,
// protected paths, secrets, lost tests, what acceptance runs. Without a contract
// only secrets and tests are asked.
func (l Repository) Permits(c contract.Contract, ch Change) (string, bool) {
	if c.ID != "" {
		for _, ask := range []func(contract.Contract, Change) string{own, scope, l.protected} {
			if clause := ask(c, ch); clause != "" {
				return clause, false
			}
		}
	}
	if clause := l.secret(ch); clause != "" {
		return clause, false
	}
	if clause, lost := TestsLost(c, ch); lost {
		return clause, false
	}
	if clause := scripts(c, ch); clause != "" {
		return clause, false
	}
	return "", true
}

// own refuses torve's own paths. It is built in, and no setting lifts it.
func own(c contract.Contract, ch Change) string {
	switch first, _, _ := strings.Cut(ch.Path, "/"); strings.ToLower(first) {
	case ".torve", ".wt":
		return quoted(ch.Path) + " is torve's own, and no attempt changes it"
	case "specs":
		if slices.ContainsFunc(c.Scope.Allow, allowsSpecs) {
			return ""
		}
		return quoted(ch.Path) + " is a specification, and no pattern of scope.allow begins with specs/"
	}
	return ""
}

// allowsSpecs reports whether a pattern begins with the folder of specifications, in
// whatever letters: so does what is refused.
func allowsSpecs(glob string) bool {
	return strings.HasPrefix(strings.ToLower(strings.TrimPrefix(glob, "/")), "specs/")
}

// scope refuses what the contract's scope does not let in; deny wins.
func scope(c contract.Contract, ch Change) string {
	if ok, clause := c.Scope.Admits(ch.Path); !ok {
		return quoted(ch.Path) + " " + clause
	}
	return ""
}

// outside reports whether no pattern of scope.allow takes the path, and none of
// scope.deny either: whether a wider scope would let it in.
func outside(c contract.Contract, path string) bool {
	_, denied := firstMatch(c.Scope.Deny, path)
	_, in := firstMatch(c.Scope.Allow, path)
	return !denied && !in
}

func (l Repository) protected(c contract.Contract, ch Change) string {
	g, ok := firstMatch(Protected, ch.Path)
	if !ok {
		g, ok = firstMatch(l.Protect, ch.Path)
	}
	if !ok || contract.Names(c.Scope, ch.Path) {
		return ""
	}
	return fmt.Sprintf("%s is protected by %s", quoted(ch.Path), g)
}

func (l Repository) secret(ch Change) string {
	for _, line := range append(slices.Clip(ch.AddedLines), Line{Text: ch.Path}) {
		if l.Reaches != nil && l.Reaches(line.Text) {
			return fmt.Sprintf("%s holds what reaches the record (its dsn, or the password)", quoted(ch.Path))
		}
	}
	if !l.Secrets {
		return ""
	}
	if _, ok := firstMatch(l.SecretsAllow, ch.Path); ok {
		return ""
	}
	if what, _, found := Secret([]Line{{Text: ch.Path}}); found && ch.Verb == Add {
		return fmt.Sprintf("a name in %s is what looks like a secret (%s)", quoted(path.Dir(ch.Path)), what)
	}
	what, n, found := Secret(ch.AddedLines)
	switch {
	case !found:
		return ""
	case n == 0:
		return fmt.Sprintf("%s is binary and gains what looks like a secret (%s)", quoted(ch.Path), what)
	}
	return fmt.Sprintf("%s adds what looks like a secret (%s) at line %d", quoted(ch.Path), what, n)
}

func scripts(c contract.Contract, ch Change) string {
	if len(ch.Scripts) == 0 || contract.Names(c.Scope, ch.Path) {
		return ""
	}
	return fmt.Sprintf("%s changes %s, which acceptance runs", quoted(ch.Path), names(allQuoted(ch.Scripts)))
}

func firstMatch(globs []string, path string) (string, bool) {
	for _, g := range globs {
		if contract.Match(g, path) {
			return g, true
		}
	}
	return "", false
}

// Answered asks once whether the graded rows that the changes touch are answered for.
func (Repository) Answered(p Proposal) (string, bool) {
	clause := owed(p)
	return clause, clause == ""
}

// Saw is what a yes of this law looked at.
func (l Repository) Saw(p Proposal) string {
	var asked []string
	if p.Bound() {
		asked = append(asked, "scope", "protected paths")
	}
	if l.Secrets {
		asked = append(asked, "secrets")
	}
	if p.Contract.Tests != "change" {
		asked = append(asked, "tests")
	}
	for _, t := range touched(p) {
		asked = append(asked, t.row.ID[strings.LastIndexByte(t.row.ID, '/')+1:])
	}
	if !p.Bound() {
		return strings.Join(append(asked, "no contract: scope and decisions are not asked"), ", ")
	}
	return strings.Join(asked, ", ")
}

// Outside lists every changed path that the scope alone keeps out: outside
// scope.allow, not denied, and not torve's own, as sentences name paths. It is what a
// wider scope would let in.
func Outside(c contract.Contract, changes []Change) []string {
	var paths []string
	for _, ch := range changes {
		if own(c, ch) == "" && outside(c, ch.Path) {
			paths = append(paths, quoted(ch.Path))
		}
	}
	return paths
}

// ByScope reports whether the law's first clause against the proposal is that a
// path is outside scope.allow, so that a wider scope is the answer to it.
func ByScope(p Proposal, l Law) bool {
	if l == nil {
		return false
	}
	i, clause := firstRefused(p, l)
	if clause == "" {
		return false
	}
	ch := p.Changes[i]
	return clause == scope(p.Contract, ch) && outside(p.Contract, ch.Path)
}
