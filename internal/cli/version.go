package cli

import (
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
		Args:  noArgs("version"),
		RunE: func(*cobra.Command, []string) error {
			built := ""
			if Commit != "" {
				built = ", " + Commit
			}
			a.tell("torve %s%s, %s %s/%s", Version, built, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
}
