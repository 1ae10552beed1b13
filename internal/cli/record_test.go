package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/record/sqlite"
)

// apart is a session in a folder that is no repository: enough for what is named.
func apart(t *testing.T, env map[string]string) *session {
	t.Helper()
	dir := t.TempDir()
	return &session{
		a:    &app{dir: dir, env: func(name string) string { return env[name] }},
		repo: &git.Repo{Common: filepath.Join(dir, ".git")}, named: naming{"acme/shop", "config.yaml"},
	}
}

func TestAStoreIsNamedAsDSNAsFileAsEmbeddedOrByItsPath(t *testing.T) {
	s := apart(t, nil)
	secret := filepath.Join(s.a.dir, "dsn")
	if err := os.WriteFile(secret, []byte("postgres://u:opensesame@db/one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]struct{ where, shown, migrate string }{
		"embedded":                         {"the embedded record", "embedded", ""},
		"copy.db":                          {filepath.Join(s.a.dir, "copy.db"), "copy.db", ""},
		"/backup/a=b.db":                   {"/backup/a=b.db", "/backup/a=b.db", ""},
		"./a=b.db":                         {filepath.Join(s.a.dir, "a=b.db"), "./a=b.db", ""},
		".git/torve/record.db":             {"the embedded record", ".git/torve/record.db", ""},
		"@dsn":                             {"u@db:5432/one", "@dsn", "torve migrate --dsn @dsn"},
		"postgres://u@db/one":              {"u@db:5432/one", "postgres://u@db/one", "torve migrate --dsn postgres://u@db/one"},
		"postgres://u:opensesame@db/x.db":  {"u@db:5432/x.db", "@FILE", "torve migrate --dsn @FILE"},
		"host=db user=u dbname=one":        {"u@db:5432/one", "'host=db user=u dbname=one'", "torve migrate --dsn 'host=db user=u dbname=one'"},
		"dbname=x.db host=db user=u":       {"u@db:5432/x.db", "'dbname=x.db host=db user=u'", ""},
		"host=db user=u password=opensesa": {"u@db:5432/u", "@FILE", ""},
	} {
		e, err := s.endpoint("--to", given)
		if err != nil || e.where() != want.where || e.shown() != want.shown || want.migrate != "" && e.migrate() != want.migrate {
			t.Errorf("%s: %q, %q, %q, %v", given, e.where(), e.shown(), e.migrate(), err)
		}
	}
	for _, given := range []string{"", "copy", "sqlite", "@none", "postgres://u:open@sesame@db/x"} {
		if e, err := s.endpoint("--to", given); err == nil || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%q names %q, %v", given, e.where(), err)
		}
	}
}

func TestTheNextCommandGoesOnWithTheCopy(t *testing.T) {
	for _, c := range []struct {
		to, dsn string
		as      record.Partition
		want    string
	}{
		{"embedded", "", "acme/shop", "torve status"},
		{"embedded", "", "acme/new", "export TORVE_PARTITION=acme/new; torve status"},
		{"embedded", "@dsn", "acme/shop", "unset TORVE_DSN; torve status"},
		{"copy.db", "", "acme/shop", "torve status"},
		{"postgres://u@db/one", "", "acme/shop", "export TORVE_DSN=postgres://u@db/one; torve status"},
		{"postgres://u:opensesame@db/one", "", "acme/new", "export TORVE_DSN=@FILE TORVE_PARTITION=acme/new; torve status"},
	} {
		s := apart(t, map[string]string{"TORVE_DSN": c.dsn})
		e, err := s.endpoint("--to", c.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.use(e, c.as); got != c.want {
			t.Errorf("to %s as %s: %q, want %q", c.to, c.as, got, c.want)
		}
	}
}

// A claim of another host is taken along where it is said, and into a file that is kept.
func TestWhatNobodyHereCouldAskStaysWhereItIs(t *testing.T) {
	s := apart(t, nil)
	e, err := record.New(record.Claimed{Boot: "b", PID: 4210, Start: "1", Worker: "w"}, time.Now(),
		record.Envelope{Task: "T-0007", Claim: "C-1", Host: "elsewhere", Actor: record.Actor{Kind: record.ByDispatch}})
	if err != nil {
		t.Fatal(err)
	}
	here := e
	here.Host = s.host() // its process, of another boot, is gone
	log, err := sqlite.Open(t.Context(), s.recordFile())
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for _, c := range []struct {
		to      string
		claimed bool
		open    record.Event
		no      bool
	}{
		{"embedded", false, e, true},
		{"embedded", true, e, false},
		{"embedded", false, here, false},
		{"copy.db", false, e, false},
	} {
		dst, err := s.endpoint("--to", c.to)
		if err != nil {
			t.Fatal(err)
		}
		err = s.free(dst, log, c.claimed)([]record.Event{c.open})
		if (err != nil) != c.no || err != nil && !strings.Contains(err.Error(), "T-0007 is claimed by process 4210 on elsewhere") {
			t.Errorf("to %s, claimed %v, on %s: %v", c.to, c.claimed, c.open.Host, err)
		}
	}
}
