package postgres_test

import (
	"net/url"
	"strings"
	"sync"
	"testing"

	"torve/internal/record/postgres"
	"torve/internal/record/postgres/pgtest"
)

func TestTheServersTimeLimitsAreSetUnlessTheDSNSetsThem(t *testing.T) {
	dsn := fresh(t)
	own := changed(t, dsn, func(_ *url.URL, q url.Values) {
		q.Set("options", q.Get("options")+" -cstatement_timeout=5min")
		q.Set("lock_timeout", "7s")
		q.Set("application_name", "mine")
	})
	like := changed(t, dsn, func(_ *url.URL, q url.Values) {
		q.Set("options", q.Get("options")+" -c deadlock_timeout=2s --statement-timeout=3min")
	})
	for at, want := range map[string]map[string]string{
		like: {"statement_timeout": "3min", "lock_timeout": "45s", "deadlock_timeout": "2s"},
		dsn:  {"statement_timeout": "1min", "lock_timeout": "45s", "idle_in_transaction_session_timeout": "15s", "application_name": "torve"},
		own:  {"statement_timeout": "5min", "lock_timeout": "7s", "idle_in_transaction_session_timeout": "15s", "application_name": "mine"},
	} {
		l := plainly(t, at)
		for name, value := range want {
			var said string
			if err := postgres.Ask(l, "SHOW "+name, &said); err != nil || said != value {
				t.Errorf("%s is %s, %v, and should be %s", name, said, err, value)
			}
		}
	}
}

func TestACommitIsOnTheDiskWhateverTheServerIsSetTo(t *testing.T) {
	dsn := fresh(t)
	for set, want := range map[string]string{"off": "on", "local": "local"} {
		var said string
		err := postgres.Ask(plainly(t, dsn+"&synchronous_commit="+set), "SHOW synchronous_commit", &said)
		if err != nil || said != want {
			t.Errorf("where it is %s it is then %s, %v", set, said, err)
		}
	}
}

func TestADatabaseIsNamedWithoutWhatIsSecret(t *testing.T) {
	t.Setenv("PGPASSWORD", "secretly")
	t.Setenv("PGUSER", "someone")
	for dsn, want := range map[string]string{
		"postgres://ann:secretly@db.example:6432/shop?sslmode=disable&application_name=secret": "ann@db.example:6432/shop",
		"postgres://ann@db.example/shop":                           "ann@db.example:5432/shop",
		"host=db.example dbname=shop user=ann password=secretly":   "ann@db.example:5432/shop",
		"postgres://ann@[::1]:6432/shop":                           "ann@[::1]:6432/shop",
		"postgres://ann@/shop?host=/run/postgresql":                "ann@/run/postgresql:5432/shop",
		"postgres://ann:secretly@a:1,b:2/shop":                     "ann@a:1,b:2/shop",
		"postgres://ann@db.example":                                "ann@db.example:5432/ann",
		"postgres://db.example/shop":                               "someone@db.example:5432/shop",
		"postgres://ann:sec/retly@db.example/shop":                 "of a dsn that does not read",
		"postgres://ann:secretly@db.example/shop?sslmode=secretly": "of a dsn that does not read",
	} {
		if got := postgres.Where(dsn); got != want {
			t.Errorf("%s is named %s, and not %s", dsn, got, want)
		}
	}
}

func TestADSNThatDoesNotReadIsRefusedWithoutWhatIsSecret(t *testing.T) {
	for dsn, word := range map[string]string{
		"postgres://ann:sec/retly@db.example/shop":                    "port is no number",
		"postgres://ann:secretly@db.example/shop?sslmode=retly":       "sslmode is none of disable",
		"postgres://ann:secretly@db.example/shop?connect_timeout=x":   "connect_timeout",
		"postgres://ann:secretly@db.example/shop?pool_max_conns=many": "pool",
		"host=db.example password='secretly":                          "key=value pairs",
		"postgres://ann@db.example/shop\nhost=secretly":               "2 lines",
		"TORVE_DSN=postgres://ann:secretly@db.example/shop":           "name of a variable",
		"mysql://ann:secretly@db.example/shop":                        "begins with mysql://",
		"host=db.example prot=6432 password=secretly":                 "prot: port is meant",
		"postgres://ann:secretly@db.example/shop?hostaddr=1.2.3.4":    "no setting hostaddr",
	} {
		_, err := postgres.Open(t.Context(), dsn)
		if err == nil || !strings.Contains(err.Error(), word) || strings.Contains(err.Error(), "retly") {
			t.Errorf("%s does not read, and the error is %v", dsn, err)
		}
	}
}

func TestMigrationsAtOnceAreOneWhateverIsolationTheDSNAsksFor(t *testing.T) {
	dsn := changed(t, pgtest.Server(t).Database(t), func(_ *url.URL, q url.Values) {
		q.Set("default_transaction_isolation", "serializable")
	})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := postgres.Migrate(t.Context(), dsn, postgres.Roles{}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}
