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
				verb, ours := strings.CutPrefix(command, "torve ")
				switch {
				case !ours, strings.HasSuffix(verb, " --files"), slices.Contains(recordless, verb):
					return command
				case verb == "migrate":
					return command + a.typedStore()
				case strings.HasSuffix(verb, " --from"): // it says itself where the record is
					return strings.TrimSuffix(command, " --from") + a.typedPartition() + " --from"
				}
				return command + flags
			})
		}
	}
	return strings.Join(lines, "")
}

var (
	toPaste      = regexp.MustCompile(`(?:next: |→ |-> |hint: )`)
	ourVerb      = regexp.MustCompile(`[\w./-]*\btorve (?:record )?[a-z]+\b(?: --(?:files|from)\b)?`) // a path may end in torve, too
	typedAlready = regexp.MustCompile(`--(dsn|partition)[ =]|\bTORVE_(DSN|PARTITION)\b`)
	// recordless are the verbs that ask no record.
	recordless = []string{"agents", "completion", "demo", "help", "init", "landings", "version"}
)

// typedRecord are the flags by which the record was named on the command line, as a shell
// takes them.
func (a *app) typedRecord() string { return a.typedStore() + a.typedPartition() }

func (a *app) typedPartition() string {
	if a.partition == "" {
		return ""
	}
	return " --partition " + board.Quoted(a.partition)
}

// typedStore is the flag of the store alone; of a dsn no more than the form in which nobody
// else reads it.
func (a *app) typedStore() string {
	switch {
	case a.dsnTyped && strings.HasPrefix(a.dsn, "@"):
		return " --dsn " + board.Quoted(a.dsn)
	case a.dsnTyped:
		return " --dsn @FILE"
	}
	return ""
}
