// Package cli is the command line: one file a verb, each a constructor and a run
// function; wire.go joins the stations, exit.go holds the one table of exit codes,
// report.go the one form of an error.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// app is one run of the program: its streams, its flags, and what it opened.
type app struct {
	in       io.Reader
	out, err io.Writer
	now      func() time.Time
	env      func(string) string

	dir                         string
	json, quiet, verbose, files bool
	partition, dsn              string
	yes                         bool

	s *session // opened when a verb first needs it
}

// Main runs one command and gives the exit code.
func Main(args []string, in io.Reader, out, errs io.Writer) int {
	// A write to a closed pipe (torve landings | head) is not our fault to report.
	signal.Ignore(syscall.SIGPIPE)
	a := &app{in: in, out: out, err: errs, now: time.Now, env: os.Getenv}
	defer a.close()
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(context.Background())
	if err == nil {
		return Done.Code()
	}
	return reportError(errs, err, a.json)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "torve",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          a.unknownVerb,
		RunE:          func(*cobra.Command, []string) error { fmt.Fprint(a.out, mainHelp()); return nil },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage("reading the command", "torve "+c.Name()+" --help", "%v", err)
	})
	f := root.PersistentFlags()
	f.StringVarP(&a.dir, "dir", "C", ".", "run as if started in this folder")
	f.BoolVar(&a.json, "json", false, "one JSON document on stdout")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "only what must be said")
	f.BoolVarP(&a.verbose, "verbose", "v", false, "say more")
	f.StringVar(&a.partition, "partition", "", "the record's partition (also TORVE_PARTITION)")
	f.StringVar(&a.dsn, "dsn", "", "a shared store (also TORVE_DSN)")
	f.BoolVar(&a.files, "files", false, "read this repository's own files, not the record")
	root.AddCommand(a.verbs()...)
	usual := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if c == root {
			fmt.Fprint(a.out, mainHelp())
			return
		}
		usual(c, args)
	})
	root.SetHelpCommand(a.helpCmd(root))
	return root
}

// verbs lists every verb, in the order in which a person meets them.
func (a *app) verbs() []*cobra.Command {
	return []*cobra.Command{
		a.initCmd(), a.newCmd(), a.runCmd(), a.demoCmd(),
		a.mintCmd(), a.dispatchCmd(), a.statusCmd(), a.whyCmd(),
		a.diffCmd(), a.showCmd(), a.widenCmd(), a.requeueCmd(), a.abandonCmd(), a.landCmd(),
		a.gateCmd(), a.noteCmd(), a.landingsCmd(), a.agentsCmd(), a.logCmd(), a.versionCmd(),
	}
}

func (a *app) unknownVerb(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "torve help"
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "torve " + near[0]
	}
	return usage("reading the command", hint, "there is no verb %q", args[0])
}

// noJSON refuses --json where a verb has no document.
func (a *app) noJSON(verb string) error {
	if a.json {
		return usage(verb, "torve "+verb, "this verb has no JSON document")
	}
	return nil
}

func (a *app) close() {
	if a.s != nil {
		a.s.close()
	}
}

// say prints a line for people on stdout unless --json asked for one document.
func (a *app) say(format string, args ...any) {
	if !a.json && !a.quiet {
		fmt.Fprintf(a.out, format+"\n", args...)
	}
}

// warn prints a line beside the answer, on stderr.
func (a *app) warn(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.err, "torve: "+format+"\n", args...)
	}
}

// confirm asks a person, or takes --yes; without a terminal and without it, it refuses.
func (a *app) confirm(verb, question string) error {
	if a.yes {
		return nil
	}
	if !isTerminal(a.in) {
		return usage(verb, "torve "+verb+" ... --yes", "it asks before it acts, and there is no terminal to ask on")
	}
	fmt.Fprintf(a.err, "%s [y/N] ", question)
	var reply string
	if _, err := fmt.Fscanln(a.in, &reply); err != nil && !errors.Is(err, io.EOF) {
		reply = ""
	}
	if r := strings.ToLower(strings.TrimSpace(reply)); r == "y" || r == "yes" {
		return nil
	}
	return usage(verb, "", "not confirmed, and nothing was done")
}
