package cli

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// nearest is the name that was probably meant; "" where none is near. How near is the
// library's own measure of verbs.
func nearest(names []string, typed string) string {
	all := &cobra.Command{}
	for _, name := range names {
		all.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	for ; all.SuggestionsMinimumDistance <= 2; all.SuggestionsMinimumDistance++ {
		if near := all.SuggestionsFor(typed); len(near) > 0 {
			return near[0]
		}
	}
	return ""
}

// flagHint is the flag of a verb that was probably meant, else its page.
func flagHint(c *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1 {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := nearest(names, unknown.GetSpecifiedName()); near != "" {
			return " --" + near
		}
	}
	return " --help"
}
