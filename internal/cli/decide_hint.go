package cli

import (
	"slices"
	"strings"

	"torve/internal/board"
)

// whole is a hint that can be typed as it is: one that is a flag is the command that was typed,
// with that flag in the place of its own. Where its rows go is not repeated unless it is a file.
func (f decideFlags) whole(hint string) string {
	if !strings.HasPrefix(hint, "-") {
		return hint
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(hint, "-"), " ")
	command := "go run ./cmd/decide"
	at := func(one [2]string) bool { return one[0] == "mode" }
	if i := slices.IndexFunc(f.typed, at); i >= 0 && name != "mode" {
		command += " -mode " + board.Quoted(f.typed[i][1])
	}
	for _, one := range f.typed {
		switch value := one[1]; {
		case at(one) || one[0] == name:
		case value == "true":
			command += " -" + one[0]
		case one[0] == "dsn" && !isFile(value):
			command += " -dsn @FILE"
		default:
			command += " -" + one[0] + " " + board.Quoted(value)
		}
	}
	return command + " " + hint
}
