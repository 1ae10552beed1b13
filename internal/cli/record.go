package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"torve/internal/board"
	"torve/internal/record"
)

func (a *app) recordCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "record",
		Short: "move the record: copy it to another store, or into a file and back",
		Long: "move the record: the events of a partition go with their places and hashes, all of them or none, into " +
			"a partition that is empty, and both sides are asked by the chain.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			near := nearest([]string{"copy", "export", "import"}, args[0])
			return usage("reading the command", "torve record "+first(near, "--help"), "there is no verb %q of the record", args[0])
		},
		RunE: func(c *cobra.Command, _ []string) error { a.help(c, nil); return nil },
	}
	c.AddCommand(a.recordCopyCmd(), a.recordExportCmd(), a.recordImportCmd())
	return c
}

func (a *app) recordCopyCmd() *cobra.Command {
	var from, to, as string
	var claimed bool
	c := &cobra.Command{
		Use:   "copy --to STORE",
		Short: "copy the partition into another store: " + forms,
		Long: "copy the partition into another store: a PostgreSQL database (DSN, or @FILE that holds it), the " +
			"embedded record of this repository, or a file of its kind. What comes to the source afterwards is not in " +
			"the copy: copy while nothing runs, and go on with one of the two.",
		Example: `    torve record copy --to @dsn
    torve record copy --from @dsn --to embedded
    torve record copy --to /backup/shop.db`,
		Args: noArgs("record copy"),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.move(c.Context(), "record copy", func(ctx context.Context, s *session) error {
				return s.runCopy(ctx, from, to, record.Partition(as), claimed)
			})
		},
	}
	c.Flags().StringVar(&to, "to", "", "the `STORE` that it goes to")
	c.Flags().StringVar(&from, "from", "", "the `STORE` that it comes from (default: what --dsn or TORVE_DSN names, else embedded)")
	c.Flags().StringVar(&as, "as", "", "call the partition `NAME` there")
	c.Flags().BoolVar(&claimed, "claimed", false, "also where a task stays claimed there by who works on here")
	return c
}

func (a *app) recordExportCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "export [file]",
		Short: "write the partition as JSON lines, one an event; without a file to stdout",
		Example: `    torve record export history.jsonl
    torve record export | gzip > history.jsonl.gz`,
		Args: oneFile("record export"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.move(c.Context(), "record export", func(ctx context.Context, s *session) error {
				return s.runExport(ctx, first(append(args, "-")...))
			})
		},
	}
}

func (a *app) recordImportCmd() *cobra.Command {
	var claimed bool
	c := &cobra.Command{
		Use:   "import [file]",
		Short: "fill an empty partition with what was exported; without a file from stdin",
		Example: `    torve record import history.jsonl
    zcat history.jsonl.gz | torve record import --partition acme/old`,
		Args: oneFile("record import"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.move(c.Context(), "record import", func(ctx context.Context, s *session) error {
				return s.runImport(ctx, first(append(args, "-")...), claimed)
			})
		},
	}
	c.Flags().BoolVar(&claimed, "claimed", false, "also where a task stays claimed by who works elsewhere")
	return c
}

func oneFile(verb string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usage(verb, "torve "+verb+" "+board.Quoted(args[0]), "it takes one file, and %d are given", len(args))
		}
		return nil
	}
}

// move is what the verbs have in common that move the record. The first Ctrl-C ends them:
// what was being written is not there then.
func (a *app) move(ctx context.Context, verb string, run func(context.Context, *session) error) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	if a.files {
		return usage(verb, "leave --files out", "it is about the record, and --files asks for files alone")
	}
	if err := s.partitioned(verb); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)() // a second one ends the program
	err = run(ctx, s)
	if err != nil && ctx.Err() != nil {
		a.warn("%s: interrupted; the same command again goes from the start", verb)
		return end(Interrupted)
	}
	return unmoved(verb, err)
}

// unmoved gives the error of a move its hint and its code.
func unmoved(verb string, err error) error {
	var line *record.LineError
	var rule *record.Broken
	var f *fault
	switch {
	case err == nil, errors.As(err, &f):
		return err
	case errors.Is(err, record.ErrElsewhere):
		return &fault{verb, err, "run it in a clone of the repository that it is of", Usage}
	case errors.Is(err, record.ErrBench):
		return &fault{verb, err, "name another partition: a record is moved by its events", Usage}
	case errors.Is(err, record.ErrNewer):
		return broken(verb, "", err)
	case errors.As(err, &line), errors.As(err, &rule) && verb == "record import":
		return &fault{verb, err, "export it again where it came from", Usage}
	case errors.As(err, &rule):
		return broken(verb, "torve verify", err)
	}
	return broken(verb, "", err)
}
