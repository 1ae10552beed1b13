package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"torve/internal/board"
)

// typed are the flags and words that were given to a verb, as a shell takes them, so that a
// hint can repeat them; --dry-run is left out.
func typed(c *cobra.Command, words []string) string {
	var b strings.Builder
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		switch many, lists := f.Value.(pflag.SliceValue); {
		case !f.Changed || f.Name == "dry-run" || f.Value.Type() == "bool" && f.Value.String() == "false":
		case lists:
			for _, v := range many.GetSlice() {
				b.WriteString(" --" + f.Name + " " + board.Quoted(v))
			}
		case f.NoOptDefVal != "":
			b.WriteString(" --" + f.Name)
		default:
			b.WriteString(" --" + f.Name + " " + board.Quoted(f.Value.String()))
		}
	})
	for _, w := range words {
		b.WriteString(" " + board.Quoted(w))
	}
	return b.String()
}

func noArgs(verb string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usage(verb, "torve "+verb, "it takes no argument, and %q is given", args[0])
		}
		return nil
	}
}

// oneArg takes one thing, which is named.
func oneArg(verb, what, example string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch len(args) {
		case 0:
			return usage(verb, example, "it takes %s, and none is given", what)
		case 1:
			return nil
		}
		return usage(verb, example, "it takes %s, and %d words are given: put it in quotes", what, len(args))
	}
}

// taskArgs takes task ids: at least min, at most max (negative: any number).
func taskArgs(verb string, min, max int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < min:
			return usage(verb, "torve "+verb+" T-0001", "it takes a task id, and none is given")
		case max >= 0 && len(args) > max:
			return usage(verb, "torve "+verb+" "+args[0], "it takes one task id, and %d are given", len(args))
		}
		return ids(verb, args)
	}
}
