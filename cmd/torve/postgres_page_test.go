package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"torve/internal/record/postgres/pgtest"
)

// docs/postgres.md is run as it stands, over a server of the test's own: what follows "$ " is
// typed, in one shell, and what it prints is compared with what the page shows. Only where
// the server is, and the passwords that are asked for, come from here. POSTGRES_PAGE_UPDATE=1
// writes what was printed back.

const postgresPage = "../../docs/postgres.md"

func TestThePageOfPostgresRunsToTheLetter(t *testing.T) {
	server := pgtest.Own(t)
	for _, program := range []string{"createdb", "createuser", "psql", "pg_dump", "pg_restore"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no PostgreSQL client: %v", err)
		}
	}
	page, err := os.ReadFile(postgresPage)
	if err != nil {
		t.Fatal(err)
	}
	sh := newOperator(t, server)
	lines := strings.Split(string(page), "\n")
	var out []string
	last, typed := 0, sessions(lines)
	for _, c := range typed {
		got, want := sh.run(t, c.command), strings.Join(c.shown, "\n")
		if os.Getenv("POSTGRES_PAGE_UPDATE") == "" && masked(got) != masked(want) {
			t.Errorf("docs/postgres.md:%d: $ %s\nprints\n%s\nand the page shows\n%s", c.at+1, c.command, got, want)
		}
		out = append(out, lines[last:c.at+1]...)
		for line := range strings.Lines(got) {
			out = append(out, strings.TrimRight("    "+line, " \n"))
		}
		last = c.at + 1 + len(c.shown)
	}
	if len(typed) < 15 {
		t.Errorf("the page has %d commands", len(typed))
	}
	if os.Getenv("POSTGRES_PAGE_UPDATE") != "" {
		if err := os.WriteFile(postgresPage, []byte(strings.Join(append(out, lines[last:]...), "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// operator is somebody who follows the page: whose libpq finds the server, and who has a
// repository with a remote, in which nothing of torve's stands yet.
type operator struct {
	*reader
	env, server string
	names       *strings.Replacer // what the page calls the server and the remote, by where they are
}

// remote is what the page calls the repository that everybody pushes to.
const remote = "git@example.com:acme/shop.git"

func newOperator(t *testing.T, server *pgtest.Cluster) *operator {
	t.Helper()
	o := &operator{reader: newReader(t), server: fmt.Sprintf("127.0.0.1:%d", server.Port())}
	o.env = filepath.Join(o.bin, "env")
	_, password, _ := strings.Cut(server.DSN("x", "torve"), "torve:")
	password, _, _ = strings.Cut(password, "@")
	write(t, filepath.Join(os.Getenv("HOME"), ".pgpass"), "*:*:*:torve:"+password+"\n", 0o600)
	for name, value := range map[string]string{
		"PGHOST": "127.0.0.1", "PGPORT": fmt.Sprint(server.Port()), "PGUSER": "torve", "PGSSLMODE": "disable", "TORVE_DSN": "",
	} {
		t.Setenv(name, value)
	}
	origin := filepath.Join(filepath.Dir(o.dir), "acme", "shop.git")
	o.names = strings.NewReplacer("db.example.com", o.server, remote, origin)
	o.reader.run(t, "export -p > "+o.env+"; git clone -q --bare . "+origin+" && git remote add origin "+origin+" && git fetch -q && git branch -q -u origin/main")
	return o
}

// run types one command in the shell of those before. It has no terminal: who is asked for a
// password answers from what is piped in.
func (o *operator) run(t *testing.T, command string) string {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", ". "+o.env+"\n{ "+o.names.Replace(command)+"\n} || echo \"exit $?\"\nexport -p > "+o.env+"; pwd > "+o.env+".pwd")
	cmd.Dir, cmd.Stdin, cmd.SysProcAttr = o.dir, strings.NewReader("PASSWORD\nPASSWORD\n"), &syscall.SysProcAttr{Setsid: true}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("$ %s: %v\n%s", command, err, out.String())
	}
	at, err := os.ReadFile(o.env + ".pwd")
	if err != nil {
		t.Fatal(err)
	}
	o.dir = strings.TrimSpace(string(at))
	text := strings.NewReplacer(o.server, "db.example.com:5432", "Enter password for new role: Enter it again: ", "Enter password for new role:\nEnter it again:\n").Replace(out.String())
	return strings.TrimRight(text, "\n")
}
