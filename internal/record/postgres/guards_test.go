package postgres

import (
	"maps"
	"testing"

	"github.com/jackc/pgx/v5"

	"torve/internal/record/postgres/pgtest"
)

func TestEveryGuardThatAMigrationMakesIsAskedFor(t *testing.T) {
	dsn := pgtest.Server(t).Database(t)
	migrateIt(t, dsn)
	c, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer c.Close(t.Context())
	have, err := guardsOf(t.Context(), c)
	must(t, err)
	want, err := guards()
	must(t, err)
	if !maps.Equal(have, want) {
		t.Errorf("the tables have the guards\n%v\nand check asks for\n%v", have, want)
	}
}
