package cli

import (
	"regexp"
	"slices"
	"strings"

	"torve/internal/board"
	"torve/internal/view"
)

// again puts the store and the partition that were typed into the commands that a text gives
// to paste: without them they would be about another record.
func (a *app) again(text string) string {
	if a.typedRecord() == "" {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if at := toPaste.FindStringIndex(line); at != nil && !typedAlready.MatchString(line) {
			if before, command, mid := strings.Cut(line, " · next: "); mid && view.Width(line)+view.Width(a.typedRecord()) > a.width() {
				lines[i] = before + "\n" + a.again("next: "+command)
				continue
			}
			lines[i] = a.fitting(line, func(apart string) string { return line[:at[1]] + a.flagged(line[at[1]:], apart) })
		}
	}
	return strings.Join(lines, "")
}

// flagged is a command with the flags that were typed, something apart from its verb.
func (a *app) flagged(command, apart string) string {
	return ourVerb.ReplaceAllStringFunc(command, func(command string) string {
		verb, ours := strings.CutPrefix(command, "torve ")
		switch {
		case !ours, strings.HasSuffix(verb, " --files"), slices.Contains(recordless, verb):
			return command
		case verb == "migrate":
			return command + apart + a.typedStore()
		case strings.HasSuffix(verb, " --from"): // it says itself where the record is
			return strings.TrimSuffix(command, " --from") + a.typedPartition() + " --from"
		}
		return command + apart + a.typedRecord()
	})
}

// fitting is a line into which flags are put, where it fits the width: else without the reason
// behind the command, and else with the flags on a line of their own, as a shell goes on.
func (a *app) fitting(line string, put func(apart string) string) string {
	end := line[len(strings.TrimSuffix(line, "\n")):]
	got := strings.TrimSuffix(put(""), end)
	if a.json || got+end == line || view.Width(got) <= a.width() {
		return got + end
	}
	if reason := reasonBehind.FindStringSubmatch(got); reason != nil {
		if got = strings.TrimSuffix(got, reason[1]); view.Width(got) <= a.width() {
			return got + end
		}
	}
	got = strings.TrimSuffix(put(" \\\n       "), end)
	if reason := reasonBehind.FindStringSubmatch(got); reason != nil {
		got = strings.TrimSuffix(got, reason[1])
	}
	return got + end
}

var (
	toPaste      = regexp.MustCompile(`(?:next: |→ |-> |hint: )`)
	ourVerb      = regexp.MustCompile(`[\w./-]*\btorve (?:record )?[a-z]+\b(?: --(?:files|from)\b)?`) // a path may end in torve, too
	typedAlready = regexp.MustCompile(`--(dsn|partition)[ =]|\bTORVE_(DSN|PARTITION)\b`)
	reasonBehind = regexp.MustCompile(`\S( {2,}[^'"]*)$`)
	// recordless are the verbs that ask no record.
	recordless = []string{"agents", "completion", "demo", "help", "init", "landings", "version", "world"}
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
