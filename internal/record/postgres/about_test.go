package postgres

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"torve/internal/record"
	"torve/internal/record/postgres/pgtest"
)

func TestADatabaseSaysOfItselfWhatItIsAndWhatThisUserMayDo(t *testing.T) {
	c := pgtest.Server(t)
	owner, err := c.Schema(t.Context())
	must(t, err)
	if a, err := Inspect(t.Context(), owner); err != nil || a.Tables != 0 || a.Newest == 0 || a.Writes || !strings.HasPrefix(a.Engine, "PostgreSQL ") {
		t.Errorf("before it is migrated: %+v, %v", a, err)
	}
	writer, reader := c.Role(t), c.Role(t)
	_, err = Migrate(t.Context(), owner, Roles{Writer: writer, Reader: reader})
	must(t, err)
	for who, want := range map[string]record.About{"torve": {Writes: true, Owner: true}, writer: {Writes: true}, reader: {}} {
		a, err := Inspect(t.Context(), strings.Replace(owner, "//torve:", "//"+who+":", 1))
		must(t, err)
		want.Engine, want.Tables, want.Newest = a.Engine, a.Newest, a.Newest
		if a != want || a.Newest == 0 {
			t.Errorf("%s: %+v, and %+v is wanted", who, a, want)
		}
	}
	must(t, sql(t, owner, "INSERT INTO torve_migration (version, name, sha256) SELECT max(version) + 1, 'later', '0' FROM torve_migration"))
	if _, err := Inspect(t.Context(), owner); !errors.Is(err, record.ErrNewer) {
		t.Errorf("of a newer version: %v", err)
	}
}

func TestWhoOwnsTheTablesRemovesOnePartitionAndTheGuardsStandAgain(t *testing.T) {
	c := pgtest.Server(t)
	owner, err := c.Schema(t.Context())
	must(t, err)
	migrateIt(t, owner)
	must(t, sql(t, owner, `INSERT INTO partition (partition) VALUES ('acme/it''s'), ('acme/other');
		INSERT INTO lease (partition, claim, holder, ends) VALUES ('acme/it''s', 'c', 'h', now())`))
	must(t, sql(t, owner, "BEGIN; "+strings.Join(Removal("acme/it's"), " ")+" COMMIT"))
	if got := value(t, owner, "SELECT string_agg(partition, ' ') FROM partition"); got != "acme/other" {
		t.Errorf("left are %q", got)
	}
	log, err := Open(t.Context(), owner)
	must(t, err)
	defer log.Close()
	must(t, log.Check(t.Context(), "acme/other")) // the guards are as they were made
	if err := sql(t, owner, "DELETE FROM partition"); err == nil {
		t.Error("a guard is gone")
	}
}

func TestNoPartOfAPasswordIsSaidOfADSN(t *testing.T) {
	t.Setenv("PGPASSWORD", "")
	t.Setenv("HOME", t.TempDir())
	for dsn, want := range map[string][]string{
		"postgres://u:s3cret%2Fword@h/d":              {"s3cret%2Fword", "s3cret/word"},
		"host=h user=u password=s3cret-word dbname=d": {"s3cret-word"},
		`host=h password='s3cret \' word'`:            {`s3cret ' word`},
		"postgres://u@h/d?password=s3cret-word":       {"s3cret-word"},
		"postgres://u:short@h/d":                      {"postgres://u:short@"},
		"postgres://torve-user:torve-user@h/d":        {"postgres://torve-user:torve-user@"},
	} {
		hide, secret := Secrets(dsn)
		hide = append(hide, Forms(dsn)...)
		if !secret {
			t.Errorf("%s has a password", dsn)
		}
		for _, w := range append(want, dsn) {
			if !slices.Contains(hide, w) {
				t.Errorf("of %s %q is not hidden, but %q", dsn, w, hide)
			}
		}
		if slices.Contains(hide, "short") || slices.Contains(hide, "torve-user") || slices.Contains(hide, "") {
			t.Errorf("of %s too much is hidden: %q", dsn, hide)
		}
		if where := Where(dsn); strings.Contains(where, "s3cret") || strings.Contains(where, "short") {
			t.Errorf("where it is says %q", where)
		}
	}
	if hide, secret := Secrets("postgres://u@h/d"); secret || hide != nil {
		t.Errorf("there is no password, and %q is hidden", hide)
	}
	for _, dsn := range []string{
		"postgres://u:s3cret/word@h/d", "postgres://u:s3cret@word@h/d", "postgres://u:s3cret%zz@h/d", "password=s3cret word=x host", "s3cret",
		"postgres://u:s3cret@h:word/d", "host=h port=x password=s3cret", "postgres://u:s3cret@h/d?sslmode=nonsense", "postgres://u:s3cret@h/d?pool_max_conns=many",
	} {
		err := Reads(dsn)
		if err == nil {
			t.Errorf("%s reads", dsn)
		} else if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", dsn, err)
		}
	}
	if hide, _ := Secrets("postgres://u:short@h/d"); len(hide) != 1 {
		t.Errorf("more than the dsn is a secret wherever it stands: %q", hide)
	}
	t.Setenv("PGPASSWORD", "of-the-environment")
	if hide, _ := Secrets("postgres://u@h/d"); !slices.Contains(hide, "of-the-environment") {
		t.Errorf("the environment's password is not hidden: %q", hide)
	}
}

func TestAServerOfThisMachineIsReachedThroughNoNetwork(t *testing.T) {
	for host, want := range map[string]bool{"/run/postgresql": false, "localhost": false, "127.0.0.1": false, "::1": false, "10.0.0.7": true, "db.example.com": true} {
		if got := networked(pgconn.Config{Host: host}); got != want {
			t.Errorf("%s: %v", host, got)
		}
	}
}
