package cli

import (
	"regexp"
	"slices"
	"strings"

	"torve/internal/board"
)

// again puts the store and the partition that were typed into the commands that a text gives
// to paste: without them they would be about another record.
func (a *app) again(text string) string {
	flags := a.typedRecord()
	if flags == "" {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if at := toPaste.FindStringIndex(line); at != nil && !typedAlready.MatchString(line) {
			lines[i] = line[:at[1]] + ourVerb.ReplaceAllStringFunc(line[at[1]:], func(command string) string {
				if verb := strings.TrimPrefix(command, "torve "); slices.Contains(recordless, verb) {
					return command
				}
				return command + flags
			})
		}
	}
	return strings.Join(lines, "")
}

var (
	toPaste      = regexp.MustCompile(`(?:next: |→ |-> |hint: )`)
	ourVerb      = regexp.MustCompile(`\btorve [a-z]+\b`)
	typedAlready = regexp.MustCompile(`--(dsn|partition)[ =]`)
	// recordless are the verbs that ask no record.
	recordless = []string{"agents", "completion", "demo", "help", "init", "landings", "version"}
)

// typedRecord are the flags by which the record was named on the command line, as a shell
// takes them; of a dsn no more than the form in which nobody else reads it.
func (a *app) typedRecord() string {
	text := ""
	switch {
	case a.dsnTyped && strings.HasPrefix(a.dsn, "@"):
		text = " --dsn " + board.Quoted(a.dsn)
	case a.dsnTyped:
		text = " --dsn @FILE"
	}
	if a.partition != "" {
		text += " --partition " + board.Quoted(a.partition)
	}
	return text
}
