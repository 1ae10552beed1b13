// Package cli is the command line: one file a verb, each a constructor and a run
// function; wire.go joins the stations, exit.go holds the one table of exit codes,
// report.go the one form of an error, print.go the one way to a person's eyes.
package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// app is one run of the program: its streams, its flags, and what it opened.
type app struct {
	args     []string
	in       io.Reader
	out, err io.Writer
	now      func() time.Time
	env      func(string) string

	dir                         string
	json, quiet, verbose, files bool
	partition, dsn              string
	dsnTyped                    bool     // --dsn was given, be it empty
	named                       *store   // once it was asked for
	secrets                     []string // of the dsns that were named: what no change may hold
	yes                         bool

	s *session // opened when a verb first needs it
}

// Main runs one command and gives the exit code.
func Main(args []string, in io.Reader, out, errs io.Writer) int {
	// A write to a closed pipe (torve landings | head) is not our fault to report.
	signal.Ignore(syscall.SIGPIPE)
	// Most commands live for a moment: they end before they have 64 MB, from which this
	// begins to collect. GOGC says otherwise.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(1600)
		go thrifty(time.Tick(100 * time.Millisecond))
	}
	a := &app{in: in, out: out, err: errs, now: time.Now, env: os.Getenv}
	return a.run(context.Background(), args)
}

// muchLive is from how many live bytes on memory is dearer than the time of collecting it.
const muchLive = 200 << 20

// seldom is how much more than is live may lie there before it is collected, in percent: over
// a long record it saves a third of the time.
const seldom = 400

// thrifty collects seldom in who lives for longer than a moment, and as often as Go would have
// it once much is live: four times as much again is what a machine has to spare of a little,
// and not of a gigabyte.
func thrifty(look <-chan time.Time) {
	if _, more := <-look; !more {
		return
	}
	debug.SetGCPercent(seldom)
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	for range look {
		if metrics.Read(live); live[0].Value.Kind() == metrics.KindUint64 && live[0].Value.Uint64() > muchLive {
			debug.SetGCPercent(100)
			return
		}
	}
}

// run is Main with everything that a test may want to hand in.
func (a *app) run(ctx context.Context, args []string) int {
	defer a.close()
	a.args = args
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return Done.Code()
	}
	a.json = a.json || slices.Contains(args, "--json") // a flag before it may not have parsed
	return a.fail(err)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "torve",
		Version:       Version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          a.unknownVerb,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if err := a.hasDocument(c); err != nil {
				return err
			}
			return a.combined(c)
		},
		RunE: func(*cobra.Command, []string) error { a.printHelp(mainHelp()); return nil },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetVersionTemplate("torve {{.Version}}\n")
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		text, _, _ := strings.Cut(err.Error(), ": strconv.") // how Go reads a number says nothing here
		return usage("reading the command", c.CommandPath()+flagHint(c, err), "%s", text)
	})
	f := root.PersistentFlags()
	f.StringVarP(&a.dir, "dir", "C", ".", "run as if started in `DIR`")
	f.BoolVar(&a.json, "json", false, "one JSON document on stdout: "+joined(documents))
	f.BoolVarP(&a.quiet, "quiet", "q", false, "only what needs you")
	f.BoolVarP(&a.verbose, "verbose", "v", false, "say more")
	f.StringVar(&a.partition, "partition", "", "the record's partition `NAME` (or TORVE_PARTITION)")
	f.StringVar(&a.dsn, "dsn", "", "the record in a PostgreSQL database: `DSN`, or @FILE (or TORVE_DSN)")
	f.BoolVar(&a.files, "files", false, "read this repository's own files, not the record")
	root.AddCommand(a.verbs()...)
	root.SetHelpFunc(a.help)
	root.SetHelpCommand(a.helpCmd(root))
	return root
}

// verbs lists every verb, in the order in which a person meets them.
func (a *app) verbs() []*cobra.Command {
	return []*cobra.Command{
		a.initCmd(), a.newCmd(), a.runCmd(), a.demoCmd(),
		a.mintCmd(), a.dispatchCmd(), a.statusCmd(), a.whyCmd(), a.contextCmd(),
		a.diffCmd(), a.showCmd(), a.widenCmd(), a.requeueCmd(), a.abandonCmd(), a.landCmd(), a.stopCmd(),
		a.gateCmd(), a.noteCmd(), a.landingsCmd(), a.spendCmd(), a.findingsCmd(), a.feedbackCmd(), a.verifyCmd(), a.doctorCmd(), a.recoverCmd(), a.gcCmd(), a.migrateCmd(), a.recordCmd(), a.agentsCmd(), a.worldCmd(), a.logCmd(), a.versionCmd(),
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

// documents are the verbs that answer --json.
var documents = []string{"mint", "dispatch", "status", "why", "context", "landings", "spend", "verify", "world"}

// hasDocument refuses --json where a verb has no document, before it does anything.
func (a *app) hasDocument(c *cobra.Command) error {
	if a.json && !slices.Contains(documents, c.Name()) {
		return usage(strings.TrimPrefix(c.CommandPath(), "torve "), "torve help all", "it has no JSON document; these have one: %s", joined(documents))
	}
	return nil
}

func (a *app) close() {
	if a.s != nil {
		a.s.close()
	}
}
