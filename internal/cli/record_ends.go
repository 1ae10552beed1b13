package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"torve/internal/board"
	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/record/sqlite"
)

// endpoint is one end of a copy: a PostgreSQL database, or a file of the embedded store's kind.
type endpoint struct {
	store
	path string // of the file
	own  bool   // the file is this repository's own record
}

// forms are what names an end.
const forms = "DSN, @FILE, embedded or PATH.db"

// source is where a verb takes the record from: what --from names, else what every verb reads.
func (s *session) source(from string) (endpoint, error) {
	if from != "" && s.a.dsnTyped {
		return endpoint{}, usage("reading the command", "leave --from or --dsn out", "--from and --dsn both say where the record is")
	}
	if from != "" {
		return s.endpoint("--from", from)
	}
	st, err := s.a.store()
	if err != nil || st.dsn == "" {
		return s.embedded(), err
	}
	return endpoint{store: st}, nil
}

func (s *session) embedded() endpoint {
	return endpoint{store: store{given: embedded}, path: s.recordFile(), own: true}
}

// endpoint reads what a flag names.
func (s *session) endpoint(flag, given string) (endpoint, error) {
	if given == embedded {
		return s.embedded(), nil
	}
	e, is, err := s.a.endpoint(flag, given)
	switch {
	case err != nil:
		return endpoint{}, err
	case is:
		e.own = e.path != "" && sameFile(e.path, s.recordFile())
		return e, nil
	case given == "":
		return endpoint{}, usage("reading the command", "torve record copy "+flag+" @FILE", "%s names no store; it takes %s", flag, forms)
	}
	return endpoint{}, usage("reading the command", flag+" "+board.Quoted(given)+".db, for a file", "%s names no store; %s takes %s", given, flag, forms)
}

// endpoint reads what names a store that is no repository's own; false where it names none.
func (a *app) endpoint(flag, given string) (endpoint, bool, error) {
	name, _, pair := strings.Cut(given, "=")
	switch {
	case strings.HasPrefix(given, "@"), strings.Contains(given, "://"), pair && !strings.Contains(name, "/"):
		dsn, err := a.readDSN(flag, given)
		return endpoint{store: store{dsn, flag, given}}, true, err
	case filepath.Ext(given) == ".db":
		return endpoint{store: store{given: given}, path: a.inDir(given)}, true, nil
	}
	return endpoint{}, false, nil
}

// inDir is a path that was typed, from the folder of the command.
func (a *app) inDir(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(a.dir, path)
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, fails := os.Stat(b)
	if err != nil || fails != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	return os.SameFile(x, y)
}

// same reports whether two ends are one store, as far as their names tell.
func (e endpoint) same(o endpoint) bool {
	switch {
	case e.dsn != "" && o.dsn != "":
		return e.dsn == o.dsn
	case e.dsn == "" && o.dsn == "":
		return sameFile(e.path, o.path)
	}
	return false
}

// where names the end for people.
func (e endpoint) where() string {
	switch {
	case e.dsn != "":
		return postgres.Where(e.dsn)
	case e.own:
		return "the embedded record"
	}
	return e.path
}

func (e endpoint) open(ctx context.Context, a *app, verb string, write bool) (log record.Log, err error) {
	if dir := filepath.Dir(e.path); write && e.path != "" && !e.own && !isFolder(dir) { // a mistyped one is not made
		return nil, usage(verb, "mkdir -p "+board.Quoted(dir), "there is no folder %s", dir)
	}
	switch {
	case e.dsn != "" && write:
		log, err = postgres.Open(ctx, e.dsn)
	case e.dsn != "":
		log, err = postgres.OpenRead(ctx, e.dsn)
	case write:
		log, err = sqlite.Open(ctx, e.path)
	default:
		log, err = sqlite.OpenRead(ctx, e.path)
	}
	switch {
	case errors.Is(err, record.ErrNone):
		return nil, usage(verb, "torve status", "there is no record in %s", e.where())
	case errors.Is(err, record.ErrBehind):
		return nil, broken(verb, e.migrate(), err)
	case err != nil && e.dsn != "":
		return nil, failed(verb, e.mends(a, err, write), err)
	case errors.Is(err, record.ErrUnwritable) && e.dsn == "":
		return nil, broken(verb, "ls -ld "+board.Quoted(filepath.Dir(e.path)), err)
	}
	return log, broken(verb, "", err)
}

// migrate is the command that brings the end's tables up to date.
func (e endpoint) migrate() string {
	if e.by == "TORVE_DSN" {
		return "torve migrate"
	}
	return "torve migrate --dsn " + e.shown()
}

// shown is how the end was named where that may be seen.
func (e endpoint) shown() string {
	if _, secret := postgres.Secrets(e.dsn); secret && !strings.HasPrefix(e.given, "@") {
		return "@FILE"
	}
	return board.Quoted(e.given)
}
