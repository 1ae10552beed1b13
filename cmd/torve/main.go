// Command torve turns reviewed task contracts into landed commits.
package main

import (
	"os"

	"torve/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
