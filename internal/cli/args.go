package cli

import "github.com/spf13/cobra"

func noArgs(verb string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usage(verb, "torve "+verb, "it takes no argument, and %q is given", args[0])
		}
		return nil
	}
}

func oneArg(verb, example string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage(verb, example, "it takes one argument, and %d are given", len(args))
		}
		return nil
	}
}

// taskArgs takes task ids: at least min, at most max (negative: any number).
func taskArgs(verb string, min, max int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < min || max >= 0 && len(args) > max {
			return usage(verb, "torve "+verb+" T-0001", "it takes a task id, and %d arguments are given", len(args))
		}
		return ids(verb, args)
	}
}
