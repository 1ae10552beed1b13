package cli

import (
	"context"
	"fmt"

	"torve/internal/board"
	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/record/sqlite"
	"torve/internal/truth"
	"torve/internal/upkeep"
	"torve/internal/view"
)

// store says which store of the record is named, where it is, and what this user may do
// there. What does not answer was said when it was opened.
func (e *examined) store(ctx context.Context) {
	s := e.s
	switch {
	case s.a.files:
		e.add(upkeep.Note, "record", "", "not asked: --files asks for files alone")
	case s.named.partition == "" && s.a.env("TORVE_DSN") != "":
		e.add(upkeep.Odd, "record", "record: {partition: org/repo} in "+configFile, "TORVE_DSN names a shared store, and no partition is named: reads answer from files, and nothing is written")
	case s.named.partition == "":
	case s.store.dsn == "" && (s.a.dsnTyped || s.a.env("TORVE_DSN") != ""): // it did not read, which is said
	case s.store.dsn != "":
		e.shared(ctx)
	case s.log == nil && s.cfgErr == nil && git.Size(s.recordFile()) == 0:
		e.add(upkeep.OK, "record", "", "none yet: the first mint makes it, embedded in %s", s.recordFile())
	case git.Size(s.recordFile()) > 0:
		e.inside(ctx)
	}
}

// inside is the embedded store.
func (e *examined) inside(ctx context.Context) {
	at := e.s.recordFile()
	about, err := sqlite.Inspect(ctx, at)
	if err != nil {
		return // it did not open either, which is said
	}
	e.add(upkeep.OK, "record", "", "embedded, %s: %s, tables of version %d", at, about.Engine, about.Tables)
	if !about.Writes {
		e.add(upkeep.Note, "record", "ls -l "+board.Quoted(at), "it may be read here and not written: every verb that writes is refused")
	}
}

// shared is the store in a database.
func (e *examined) shared(ctx context.Context) {
	s := e.s
	about, err := postgres.Inspect(ctx, s.store.dsn)
	if about.Engine == "" || err != nil {
		if s.log != nil { // else it is said why it did not open
			e.add(upkeep.Odd, "record", "", "%v", err)
		}
		return
	}
	role := "this user may add events"
	if !about.Writes {
		role = "this user may read"
	}
	e.add(upkeep.OK, "record", "", "postgres, %s, named by %s: %s, tables of version %d; %s", s.where(), s.store.by, about.Engine, about.Tables, role)
	if !about.Writes && about.Tables > 0 {
		e.add(upkeep.Note, "record", "torve migrate --writer ROLE", "this user may read the shared record and not write it: every verb that writes is refused")
	}
	if about.Owner {
		e.add(upkeep.Note, "record", "torve migrate --writer ROLE", "this user owns the shared record's tables, and could take away what keeps them append-only: work as another one")
	}
	if about.Plain {
		e.add(upkeep.Odd, "record", "add sslmode=verify-full to the dsn", "the connection to %s is not encrypted", s.where())
	}
	e.embedded(ctx)
}

// embedded names the partition's events in the embedded store while another is named, but
// where they are in that one, too.
func (e *examined) embedded(ctx context.Context) {
	s := e.s
	log, err := sqlite.OpenRead(ctx, s.recordFile())
	if err != nil {
		return
	}
	defer log.Close()
	p, fix := s.named.partition, ""
	b, err := board.Glance(ctx, log, p)
	if err != nil || b.Events == 0 {
		return
	}
	if s.log != nil { // else nobody knows what is there
		_, same, err := record.Holds(ctx, log, s.log, p, p)
		if err != nil || same {
			return
		}
		if to, err := s.source(""); err == nil {
			fix = "torve record copy --from embedded --to " + to.shown()
		}
		if there, err := board.Glance(ctx, s.log, p); err == nil && there.Events > 0 {
			fix += " --as " + board.Quoted(string(p)+"-embedded")
		}
	}
	e.add(upkeep.Note, "record", fix, "the embedded record in %s holds %s of partition %s that the database does not, and no verb reads them while it is named",
		s.recordFile(), view.Count(b.Events, "event"), p)
}

// sharedFootprint says what of the record is in a database, which others use too, and how
// its owner removes it.
func (a *app) sharedFootprint(s *session, rd *truth.Reading) {
	if s.store.dsn == "" {
		return
	}
	held := "which was not reached"
	switch {
	case rd != nil && rd.Board != nil:
		held = "which holds " + view.Count(rd.Board.Events, "event") + " of it"
	case s.log != nil:
		held = "which was not read"
	}
	host, port := postgres.Server(s.store.dsn)
	at := fmt.Sprintf("-h %s -p %d", board.Quoted(host), port)
	database := board.Quoted(postgres.Database(s.store.dsn))
	a.tell("")
	a.tell("%s", a.wrapped("", fmt.Sprintf("shared, and not of this machine: partition %s in the database %s, %s", s.named.partition, s.where(), held), 2))
	a.tell("who owns its tables removes the partition so, and no verb does:")
	a.tell("")
	a.tell("      psql %s -v ON_ERROR_STOP=1 -1 %s <<'END'", at, database)
	for _, l := range postgres.Removal(s.named.partition) {
		a.tell("      %s", l)
	}
	a.tell("      END")
	a.tell("")
	a.tell("or, with everybody's partitions, the database:")
	a.tell("")
	a.tell("      dropdb %s %s", at, database)
}
