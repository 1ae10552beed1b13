package postgres_test

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/record/postgres/pgtest"
)

// changed is a dsn with something else in it.
func changed(t testing.TB, dsn string, change func(*url.URL, url.Values)) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	change(u, q)
	u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20") // as libpq reads it
	return u.String()
}

func as(t testing.TB, dsn, role string) string {
	return changed(t, dsn, func(u *url.URL, _ url.Values) {
		password, _ := u.User.Password()
		u.User = url.UserPassword(role, password)
	})
}

// is asks that an error is the one of package record, names the database and says the words,
// and holds no password.
func is(t testing.TB, dsn string, err, want error, words ...string) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("the error is %v, and not %v", err, want)
		return
	}
	for _, other := range []error{
		record.ErrUnreachable, record.ErrRefused, record.ErrBehind, record.ErrNewer, record.ErrFull, record.ErrSlow, record.ErrUnwritable, postgres.ErrSetting,
	} {
		if other != want && errors.Is(err, other) {
			t.Errorf("%v is %v too", err, other)
		}
	}
	for _, w := range append(words, " the record "+postgres.Where(dsn)+": ") {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
	u, parsed := url.Parse(dsn)
	if parsed != nil {
		t.Fatal(parsed)
	}
	if password, _ := u.User.Password(); password != "" && strings.Contains(err.Error(), password) {
		t.Errorf("the error says the password: %v", err)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has several lines: %q", err)
	}
}

// unopened asks that a dsn opens neither to write nor to read, and soon says why.
func unopened(t *testing.T, dsn string, want error, words ...string) {
	t.Helper()
	for _, open := range []func(context.Context, string) (record.Log, error){postgres.Open, postgres.OpenRead} {
		began := time.Now()
		l, err := open(t.Context(), dsn)
		if err == nil {
			l.Close()
		}
		is(t, dsn, err, want, append(words, "opening")...)
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("it took %v to say so", took)
		}
	}
}

func TestNobodyListensThere(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	free.Close()
	unopened(t, "postgres://ann:secretly@"+addr+"/shop", record.ErrUnreachable, "/shop: the store cannot be reached: connection refused")
	unopened(t, "postgres://ann:secretly@nowhere.invalid:5432/shop", record.ErrUnreachable, "nowhere.invalid")
}

func TestWhoListensSaysNothing(t *testing.T) {
	t.Parallel()
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	unopened(t, "postgres://ann:secretly@"+mute.Addr().String()+"/shop?sslmode=disable&connect_timeout=1", record.ErrUnreachable, "timeout")
}

func TestWhoListensIsNoDatabase(t *testing.T) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	go func() {
		for {
			c, err := other.Accept()
			if err != nil {
				return
			}
			c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			c.Close()
		}
	}()
	unopened(t, "postgres://ann:secretly@"+other.Addr().String()+"/shop?sslmode=disable", record.ErrUnreachable)
}

func TestAServerRefuses(t *testing.T) {
	t.Parallel()
	c := pgtest.Server(t)
	dsn := fresh(t)
	role, barred, busy := c.Role(t), c.Role(t), c.Role(t)
	c.Exec(t, "ALTER ROLE "+barred+" NOLOGIN")
	c.Exec(t, "ALTER ROLE "+busy+" CONNECTION LIMIT 0")
	closed := c.Database(t)
	if _, err := connect(t, closed).Exec(t.Context(), "REVOKE CONNECT ON DATABASE "+name(t, closed)+" FROM PUBLIC"); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		dsn   string
		is    error
		words []string
	}{
		"a wrong password": {changed(t, dsn, func(u *url.URL, _ url.Values) {
			u.User = url.UserPassword(u.User.Username(), "somethingElse")
		}), record.ErrRefused, []string{"password authentication failed", "28P01"}},
		"an unknown role": {as(t, dsn, "nobody_here"), record.ErrRefused, []string{"nobody_here"}},
		"a wrong database": {changed(t, dsn, func(u *url.URL, _ url.Values) { u.Path = "nowhere" }),
			record.ErrRefused, []string{`database "nowhere" does not exist`, "3D000"}},
		"a role that may not log in":              {as(t, dsn, barred), record.ErrRefused, []string{"not permitted to log in"}},
		"a role that may not connect":             {as(t, closed, role), record.ErrRefused, []string{"permission denied for database"}},
		"a role that may not use the schema":      {as(t, dsn, role), record.ErrRefused, []string{"may not use the schema"}},
		"a role that has no connection left":      {as(t, dsn, busy), record.ErrUnreachable, []string{"too many connections"}},
		"a schema that is not there":              {strings.Replace(dsn, "search_path", "search_path%3Dgone_with%20-csearch_path", 1) + "x", record.ErrBehind, nil},
		"a setting that the server does not know": {dsn + "&no_such_setting=1", postgres.ErrSetting, []string{`parameter "no_such_setting" (42704)`}},
		"a setting that may not be so":            {dsn + "&statement_timeout=soon", postgres.ErrSetting, []string{"statement_timeout"}},
	} {
		t.Run(what, func(t *testing.T) {
			unopened(t, c.dsn, c.is, c.words...)
		})
	}
}

func name(t testing.TB, dsn string) string {
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(u.Path, "/")
}

func TestADatabaseThatIsNotThisVersions(t *testing.T) {
	c := pgtest.Server(t)
	unopened(t, c.Database(t), record.ErrBehind, "no tables of torve")

	newer := fresh(t)
	exec(t, newer, "INSERT INTO torve_migration (version, name, sha256) SELECT max(version) + 1, 'later.sql', 'x' FROM torve_migration")
	unopened(t, newer, record.ErrNewer, "this program reads up to")

	another := c.Database(t)
	exec(t, another, "CREATE TABLE event (at date)")
	for _, open := range []func(context.Context, string) (record.Log, error){postgres.Open, postgres.OpenRead} {
		_, err := open(t.Context(), another)
		if err == nil || errors.Is(err, record.ErrBehind) || !strings.Contains(err.Error(), "a database of another program") {
			t.Errorf("another program's database: %v", err)
		}
	}
}

func exec(t testing.TB, dsn, text string) {
	t.Helper()
	if _, err := connect(t, dsn).Exec(context.Background(), text); err != nil {
		t.Fatal(err)
	}
}
