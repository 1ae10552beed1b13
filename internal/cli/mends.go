package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"torve/internal/board"
	"torve/internal/record"
	"torve/internal/record/postgres"
)

// mends is what may help where the store in a database fails: a command to paste, or a short
// instruction.
func (st store) mends(a *app, err error, write bool) string {
	if hint := postgres.Mend(err); hint != "" {
		return hint
	}
	user := board.Quoted(postgres.User(st.dsn))
	switch code := postgres.Code(err); {
	case errors.Is(err, record.ErrBehind):
		return "torve migrate"
	case code == "28P01":
		return st.password(a)
	case code == "28000":
		return "createuser " + at(st.dsn) + " --pwprompt " + user
	case code == "3D000":
		return "createdb " + at(st.dsn) + " -E UTF8 -T template0 " + board.Quoted(postgres.Database(st.dsn))
	case errors.Is(err, record.ErrRefused) && write:
		return "use the dsn of a role that may write: " + user + " may not"
	case errors.Is(err, record.ErrRefused):
		return "torve migrate --dsn @OWNER --reader " + user
	case errors.Is(err, record.ErrUnreachable):
		return ready(st.dsn)
	}
	return ""
}

// password says where the password stands that was refused.
func (st store) password(a *app) string {
	in := "PGPASSWORD"
	switch {
	case len(postgres.Forms(st.dsn)) > 0 && strings.HasPrefix(st.given, "@"):
		return "${EDITOR:-vi} " + board.Quoted(a.secretFile(st.given[1:]))
	case len(postgres.Forms(st.dsn)) > 0:
		in = st.by
	case a.env("PGPASSWORD") == "":
		in = first(a.env("PGPASSFILE"), "~/.pgpass")
	}
	return fmt.Sprintf("put the password of %s into %s", postgres.User(st.dsn), in)
}

// failed is a store in a database that failed, with its hint; a wrong setting of the dsn is a
// fault of the command.
func failed(doing, hint string, err error) error {
	if errors.Is(err, postgres.ErrSetting) {
		return &fault{doing, err, hint, Usage}
	}
	return broken(doing, hint, err)
}

// unopened is a store that did not open, with what may help.
func (s *session) unopened(doing string, write bool, err error) error {
	if errors.Is(err, record.ErrElsewhere) {
		return err
	}
	if !write {
		doing = "" // the store says it itself
	}
	return failed(doing, s.mends(write, err), err)
}

// mends is what may help where the store fails; a reading verb can always ask the files.
func (s *session) mends(write bool, err error) string {
	hint := ""
	switch {
	case s.store.dsn != "":
		hint = s.store.mends(s.a, err, write)
	case errors.Is(err, record.ErrUnwritable):
		return "ls -ld " + board.Quoted(filepath.Dir(s.recordFile()))
	}
	switch {
	case write:
		return hint
	case hint == "":
		return s.a.fromFiles()
	case hint == ready(s.store.dsn):
		return hint + "; " + s.a.fromFiles()
	}
	return hint
}

// later is what may help where a shared store fails after it was opened: it went away, or
// lets this user read and not write.
func (s *session) later(err error) string {
	if s == nil || s.store.dsn == "" {
		return ""
	}
	for _, is := range []error{record.ErrBehind, record.ErrUnreachable, record.ErrRefused, record.ErrUnwritable} {
		if errors.Is(err, is) {
			return s.mends(s.writes, err)
		}
	}
	return ""
}

// fromFiles is the command that was typed, asked of the files.
func (a *app) fromFiles() string {
	words := []string{"torve", "--files"}
	for i := 0; i < len(a.args); i++ {
		switch flag, _, joined := strings.Cut(a.args[i], "="); {
		case flag != "--dsn" && flag != "--partition":
			words = append(words, board.Quoted(a.args[i]))
		case !joined:
			i++
		}
	}
	return strings.Join(words, " ")
}

// at are the flags of PostgreSQL's own programs for a dsn's server.
func at(dsn string) string {
	host, port := postgres.Server(dsn)
	return fmt.Sprintf("-h %s -p %d", board.Quoted(host), port)
}

// ready is the command that asks whether a database's server answers.
func ready(dsn string) string { return "pg_isready " + at(dsn) }
