package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// Version is this torve; the build sets Commit.
const Version = "0.1.0"

// Commit is the commit that the binary was built from; "" when the build did not say.
var Commit string

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "what this torve is",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := a.noJSON("version"); err != nil {
				return err
			}
			built := ""
			if Commit != "" {
				built = ", " + Commit
			}
			fmt.Fprintf(a.out, "torve %s%s, %s %s/%s\n", Version, built, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
}
