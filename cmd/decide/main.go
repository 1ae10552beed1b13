// Command decide is the bench of the world's law.
package main

import (
	"os"

	"torve/internal/cli"
)

func main() { os.Exit(cli.Decide(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
