package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"torve/internal/board"
	"torve/internal/record"
	"torve/internal/record/postgres"
)

type migrateOptions struct {
	status         bool
	writer, reader string
}

func (a *app) migrateCmd() *cobra.Command {
	var o migrateOptions
	c := &cobra.Command{
		Use:   "migrate",
		Short: "make the tables of a shared record, or bring them up to date",
		Long: "make the tables of the record in the PostgreSQL database that --dsn or TORVE_DSN names, or bring them up " +
			"to date: all of it or nothing. No other verb makes or changes a table. It needs no repository, and a second " +
			"time it changes nothing. --writer and --reader give a role of the server what it needs and no more.",
		Example: "    torve migrate --dsn @owner.dsn --writer torve_writer --reader torve_reader",
		Args:    noArgs("migrate"),
		RunE:    func(c *cobra.Command, _ []string) error { return a.runMigrate(c, o) },
	}
	f := c.Flags()
	f.BoolVar(&o.status, "status", false, "say of which version the tables are, and change nothing")
	f.StringVar(&o.writer, "writer", "", "let the role `ROLE` add events, and change none")
	f.StringVar(&o.reader, "reader", "", "let the role `ROLE` read, and nothing else")
	return c
}

func (a *app) runMigrate(c *cobra.Command, o migrateOptions) error {
	ctx := c.Context()
	if err := a.migratable(c, o); err != nil {
		return err
	}
	st, err := a.store()
	if err != nil {
		return err
	}
	if st.dsn == "" {
		return usage("migrate", "torve migrate --dsn @FILE", "no shared store is named, and the embedded one makes its tables by itself")
	}
	if o.status {
		return a.sayMigration(ctx, st)
	}
	if err := a.outsideAny(ctx, "migrate"); err != nil {
		return err
	}
	did, err := postgres.Migrate(ctx, st.dsn, postgres.Roles{Writer: o.writer, Reader: o.reader})
	if err != nil {
		return a.unmigrated(st, err)
	}
	a.sayMigrated(st, did, o)
	return nil
}

// migratable refuses what migrate can make no sense of: it is about a database, and about all
// of its partitions.
func (a *app) migratable(c *cobra.Command, o migrateOptions) error {
	named := c.Flags().Changed("writer") || c.Flags().Changed("reader")
	switch {
	case a.files:
		return usage("migrate", "leave --files out", "--files asks for files alone, and they have no tables")
	case a.partition != "":
		return usage("migrate", "leave --partition out", "the tables are of all partitions of a database")
	case o.status && named:
		return usage("migrate", "leave --status or the roles out", "--status changes nothing, and a role is given its rights")
	case c.Flags().Changed("writer") && o.writer == "", c.Flags().Changed("reader") && o.reader == "":
		return usage("migrate", "torve migrate --writer ROLE --reader ROLE", "a role is named, and its name is empty")
	}
	return nil
}

// outsideAny is session.outside for a verb that needs no repository, where it stands in one.
func (a *app) outsideAny(ctx context.Context, verb string) error {
	repo, err := a.repository(ctx)
	if err != nil {
		return nil
	}
	defer repo.Close()
	return (&session{a: a, repo: repo}).outside(verb)
}

// unmigrated is a migration that did not come about: nothing was changed.
func (a *app) unmigrated(st store, err error) error {
	var role *postgres.RoleError
	switch {
	case errors.As(err, &role) && role.Missing:
		return &fault{err: err, hint: "createuser " + at(st.dsn) + " --pwprompt " + board.Quoted(role.Role), outcome: Usage}
	case errors.As(err, &role):
		return &fault{err: err, hint: "name a role that owns nothing here and is a member of none", outcome: Usage}
	case postgres.Code(err) == "42501", errors.Is(err, record.ErrRefused) && postgres.Code(err) == "":
		return broken("", "use the dsn of the tables' owner", err)
	}
	return failed("", st.mends(a, err, true), err)
}

func (a *app) sayMigrated(st store, did postgres.Migrated, o migrateOptions) {
	where := postgres.Where(st.dsn)
	switch {
	case len(did.Applied) == 0:
		a.say("%s", a.labelled("unchanged", "", fmt.Sprintf("%s has the tables of version %d, the newest", where, did.To)))
	case did.From == 0:
		a.say("%s", a.labelled("made", "", fmt.Sprintf("the tables of version %d in %s: %s", did.To, where, strings.Join(did.Applied, ", "))))
	default:
		a.say("%s", a.labelled("migrated", "", fmt.Sprintf("%s from version %d to %d: %s", where, did.From, did.To, strings.Join(did.Applied, ", "))))
	}
	may := func(word, role, what string) {
		if slices.Contains(did.Had, role) {
			what += ", as before"
		}
		if role != "" {
			a.say("%s", a.labelled(word, "", role+" "+what))
		}
	}
	may("writer", o.writer, "may read, and add events; it changes none")
	may("reader", o.reader, "may read, and nothing else")
	if did.From == 0 {
		a.next("torve mint")
		return
	}
	a.next("torve status")
}

// sayMigration answers --status: a read, which found what it found.
func (a *app) sayMigration(ctx context.Context, st store) error {
	have, newest, err := postgres.Status(ctx, st.dsn)
	if err != nil {
		return a.unmigrated(st, err)
	}
	where := postgres.Where(st.dsn)
	switch {
	case have == newest:
		a.tell("%s", a.labelled("version", "", fmt.Sprintf("%d, the newest, in %s", have, where)))
		return nil
	case have == 0:
		a.tell("%s", a.labelled("version", "", fmt.Sprintf("0 of %d: %s has no tables yet", newest, where)))
	default:
		a.tell("%s", a.labelled("version", "", fmt.Sprintf("%d of %d in %s", have, newest, where)))
	}
	a.next("torve migrate")
	return nil
}
