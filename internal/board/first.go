package board

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"torve/internal/record"
)

// mostWidened is how many paths one command names; past it the task's own page is named.
const mostWidened = 6

// First is the first answer to an escalation, as a command to paste: the one that moves
// the task on where there is one, else the page that lists the answers.
func First(task string, e record.Escalation) string {
	switch e.Reason {
	case "scope":
		if len(e.Paths) > 0 && len(e.Paths) <= mostWidened {
			return Widen(task, e.Paths)
		}
	case "killed", "infrastructure", "push_refused", "merge_conflict":
		return "torve requeue " + task
	case "agent_unavailable":
		return "torve agents"
	}
	return "torve why " + task
}

// Widen is the command that lets paths into a task's scope.
func Widen(task string, paths []string) string {
	words := []string{"torve", "widen", task}
	for _, p := range paths {
		words = append(words, Quoted(glob(p)))
	}
	return strings.Join(words, " ")
}

// glob is a path, as a refusal names it, as a pattern that means just it. A letter that a
// contract cannot hold is any one letter there.
func glob(path string) string {
	if strings.HasPrefix(path, `"`) {
		if bare, err := strconv.Unquote(path); err == nil {
			path = bare
		}
	}
	var b strings.Builder
	for len(path) > 0 {
		r, size := utf8.DecodeRuneInString(path)
		switch {
		case r == utf8.RuneError && size == 1, !unicode.IsPrint(r):
			b.WriteByte('?')
		case strings.ContainsRune(`\*?[{}`, r):
			b.WriteString(`\` + path[:size])
		default:
			b.WriteString(path[:size])
		}
		path = path[size:]
	}
	return b.String()
}

// Merge is the command that brings a branch or commit to the target, which is checked out
// at the folder elsewhere; "" where no other worktree has it.
func Merge(target, from, elsewhere string) string {
	if elsewhere != "" {
		return "git -C " + Quoted(elsewhere) + " merge " + from
	}
	return "git switch " + target + " && git merge " + from
}

// Quoted is a word as a shell takes it.
func Quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+=:,./-_", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
