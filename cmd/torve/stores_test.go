package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"torve/internal/record/postgres"
	"torve/internal/record/postgres/pgtest"
	"torve/internal/record/recordtest"
	"torve/internal/record/sqlite"
)

// The scripts run twice: with the record embedded, as they are written, and with the record
// in a PostgreSQL database that TORVE_DSN names. Where a script means one store alone it
// says so by a condition: [postgres] holds in the second run, [server] where a server can
// be had.

// scripts is the folder of the scripts.
const scripts = "testdata/script"

// embeddedAlone are the scripts whose subject is the embedded record's own file, and why.
var embeddedAlone = map[string]string{
	"liar_record":    "its agent writes into the file, which is in its reach; a database is not",
	"readonly_mount": "the log of a crash beside the file",
	"record_corrupt": "damage to the file",
}

// words are what is told of the store in the scripts, and what in the second run.
var words = strings.NewReplacer(
	"(embedded", "(postgres", `\(embedded`, `\(postgres`, "store embedded", "store postgres", `"store": "embedded"`, `"store": "postgres"`,
)

// TestScriptsOnPostgres runs every script again with its record in a schema of its own.
func TestScriptsOnPostgres(t *testing.T) {
	server := pgtest.Server(t)
	names, err := filepath.Glob(filepath.Join(scripts, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir, out := t.TempDir(), 0
	left := maps.Clone(embeddedAlone)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		script := strings.TrimSuffix(filepath.Base(name), ".txtar")
		if why, alone := embeddedAlone[script]; alone {
			delete(left, script)
			out++
			t.Run(script, func(t *testing.T) { t.Skip("left out: " + why) })
			continue
		}
		if strings.Contains(string(text), "\n[postgres] skip ") { // by a reason of its own
			out++
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), []byte(words.Replace(string(text))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for script := range left {
		t.Errorf("%s is to be left out, and there is no such script", script)
	}
	t.Logf("%d scripts run on Postgres, %d are left out", len(names)-out, out)
	testscript.Run(t, params(t, dir, server))
}

// inSchema is a schema with the record's tables, for one script.
func inSchema(ctx context.Context, server *pgtest.Cluster) (dsn string, err error) {
	if dsn, err = server.Schema(ctx); err != nil {
		return "", err
	}
	_, err = postgres.Migrate(ctx, dsn, postgres.Roles{})
	return dsn, err
}

type storeKey struct{}

// onStore is the store of a script: a server to make databases on, whether the record is
// there in this run, and how many repositories were made so far.
type onStore struct {
	server *pgtest.Cluster
	shops  int
}

// partition is the partition of a repository that a script makes: in a store that all of its
// repositories share, from the second on each has its own.
func partition(ts *testscript.TestScript) string {
	s := ts.Value(storeKey{}).(*onStore)
	if s.shops++; s.shops == 1 || s.server == nil {
		return "acme/shop"
	}
	return fmt.Sprintf("acme/shop-%d", s.shops)
}

// database NAME sets a variable to the DSN of a fresh database with the record's tables;
// database NAME empty, to one of a database with nothing in it.
func database(t *testing.T) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 1 && (len(args) != 2 || args[1] != "empty") {
			ts.Fatalf("usage: database variable [empty]")
		}
		if err := pgtest.Found(); err != nil {
			ts.Fatalf("no PostgreSQL server: %v; a script that needs one says [!server] skip", err)
		}
		if len(args) == 2 {
			ts.Setenv(args[0], pgtest.Server(t).Database(t))
			return
		}
		dsn, err := inSchema(t.Context(), pgtest.Server(t))
		ts.Check(err)
		ts.Setenv(args[0], dsn)
	}
}

// forget loses the record of the repository in the script's folder, and what else its store
// holds: what goes on from there finds none.
func forget(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: forget")
	}
	if server := ts.Value(storeKey{}).(*onStore).server; server != nil {
		dsn, err := inSchema(context.Background(), server)
		ts.Check(err)
		ts.Setenv("TORVE_DSN", dsn)
	}
	files, err := filepath.Glob(ts.MkAbs(".git/torve/record.db*"))
	ts.Check(err)
	for _, file := range files {
		ts.Check(os.Remove(file))
	}
}

// events [KIND [TASK]] prints the record of the repository in the script's folder, an event a
// line: kind, task, attempt and payload.
func events(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 2 {
		ts.Fatalf("usage: events [kind [task]]")
	}
	ts.Check(recorded(context.Background(), ts.Getenv("TORVE_DSN"), ts.MkAbs(".git/torve/record.db"), func(f fact) error {
		if (len(args) < 1 || args[0] == f.kind) && (len(args) < 2 || args[1] == f.task) {
			fmt.Fprintln(ts.Stdout(), f.kind, f.task, f.attempt, string(f.payload))
		}
		return nil
	}))
}

// fact is an event, as far as the tests ask for it.
type fact struct {
	kind, task string
	attempt    int
	payload    []byte
}

// recorded asks whether a shop's record is whole, in the database of a dsn, else in a file, and
// gives its events in order.
func recorded(ctx context.Context, dsn, file string, each func(fact) error) error {
	return whole(ctx, dsn, file, each, nil)
}

// whole is recorded that then gives the rows of the table proposal, a line each: id, villager,
// tick, kind, model, verdict, and the check that failed.
func whole(ctx context.Context, dsn, file string, each func(fact) error, row func(string)) error {
	open, store := sqlite.OpenRead, file
	if dsn != "" {
		open, store = postgres.OpenRead, dsn
	}
	log, err := open(ctx, store)
	if err != nil {
		return err
	}
	defer log.Close()
	if err := log.Check(ctx, "acme/shop"); err != nil {
		return fmt.Errorf("the record is not whole: %w", err)
	}
	for e, err := range log.Read(ctx, "acme/shop", 1) {
		if err == nil {
			err = each(fact{string(e.Kind), e.Task, e.Attempt, e.Payload})
		}
		if err != nil {
			return err
		}
	}
	if row == nil {
		return nil
	}
	for r, err := range recordtest.Rows(ctx, log, "acme/shop") {
		if err != nil {
			return err
		}
		row(fmt.Sprintln(r.ID, r.Actor, r.Tick, r.Kind, r.Model, r.Verdict, cmp.Or(r.Failed, "-")))
	}
	return nil
}

// ledger prints the rows of the table proposal of the record of the repository in the script's
// folder.
func ledger(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: ledger")
	}
	events := func(fact) error { return nil }
	ts.Check(whole(context.Background(), ts.Getenv("TORVE_DSN"), ts.MkAbs(".git/torve/record.db"), events, func(row string) {
		fmt.Fprint(ts.Stdout(), row)
	}))
}
