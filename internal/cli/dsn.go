package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"torve/internal/board"
	"torve/internal/process"
	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/record/sqlite"
)

// store is which store of the record is named: a PostgreSQL database, or the embedded one.
type store struct {
	dsn   string // "" is the embedded store
	by    string // --dsn, TORVE_DSN, or a flag that names an end
	given string // as it was named
}

// The words by which a store is told.
const (
	embedded = "embedded"
	shared   = "postgres"
)

func (st store) word() string {
	if st.dsn != "" {
		return shared
	}
	return embedded
}

// typed reports whether the store was named on the command line.
func (st store) typed() bool { return st.by == "--dsn" }

// store is the store that is named: by --dsn, else by TORVE_DSN, else the embedded one. It
// is read once: a file may be a pipe.
func (a *app) store() (store, error) {
	if a.named != nil {
		return *a.named, nil
	}
	st := store{by: "--dsn", given: a.dsn}
	if !a.dsnTyped {
		st.by, st.given = "TORVE_DSN", a.env("TORVE_DSN")
		if st.given == "" {
			return store{}, nil
		}
	}
	var err error
	if st.dsn, err = a.readDSN(st.by, st.given); err != nil {
		return store{}, err
	}
	a.named = &st
	return st, nil
}

// readDSN gives the dsn that a flag or a variable names, DSN or @FILE. What is secret in it
// is hidden from then on in everything that is printed and recorded.
func (a *app) readDSN(by, given string) (string, error) {
	dsn, from, hint := given, by, by+" @FILE"
	if by == "TORVE_DSN" {
		hint = "export TORVE_DSN=@FILE"
	}
	if name, isFile := strings.CutPrefix(given, "@"); isFile {
		if name == "" {
			return "", usage("reading "+by, hint, "@ names no file")
		}
		text, err := readSecret(a.secretFile(name))
		if err != nil {
			return "", err
		}
		dsn, from, hint = text, name, "${EDITOR:-vi} "+board.Quoted(name)
	}
	a.hideDSN(dsn)
	if strings.TrimSpace(dsn) == "" {
		return "", usage("reading "+from, hint, "it names no store: it is empty")
	}
	if err := postgres.Reads(dsn); err != nil {
		if _, missing := os.Stat(a.secretFile(given)); missing == nil && from == by { // its @ was left out
			hint = strings.Replace(hint, "@FILE", "@"+board.Quoted(given), 1)
		} else if from == by {
			hint = "postgres://user@host:5432/database"
		}
		return "", usage("reading "+from, hint, "%w", err)
	}
	return dsn, nil
}

// combined refuses flags that contradict one another, before anything is opened.
func (a *app) combined(c *cobra.Command) error {
	flags := c.Flags()
	a.dsnTyped = flags.Changed("dsn")
	switch {
	case a.files && a.dsnTyped:
		return usage("reading the command", "leave --files or --dsn out", "--files asks for files alone, and --dsn for the record")
	case flags.Changed("partition") && a.partition == "":
		return usage("reading the command", "--partition NAME", "--partition names none: it is empty")
	case a.files && flags.Changed("partition"):
		return usage("reading the command", "leave --files or --partition out", "--files asks for files alone, and --partition for the record")
	}
	a.hide()
	return nil
}

// dsnFlags are the flags that take a dsn.
var dsnFlags = []string{"--dsn", "--from", "--to"}

// isFile reports whether what names a store is a file or a word, and surely no dsn.
func isFile(given string) bool {
	return strings.HasPrefix(given, "@") || given == embedded || filepath.Ext(given) == ".db" && !strings.ContainsAny(given, "=@:")
}

// hide keeps what was given in the open from whoever may look, before any program runs. A
// file that is named is read where it is needed.
func (a *app) hide() {
	for _, given := range []string{a.dsn, a.env("TORVE_DSN")} {
		if given != "" && !strings.HasPrefix(given, "@") {
			a.hideDSN(given)
		}
	}
	if a.dsnTyped || a.env("TORVE_DSN") != "" || a.env("PGPASSWORD") != "" {
		process.Hide()
	}
}

// hideDSN takes what is secret in a dsn out of all that is printed and recorded from now on,
// as it is and as JSON has it.
func (a *app) hideDSN(dsn string) {
	secrets, secret := postgres.Secrets(dsn)
	if !secret {
		return
	}
	a.secrets = append(a.secrets, secrets...)
	for _, s := range append(postgres.Forms(dsn), secrets...) {
		quoted, _ := encoded(s) // a text can be encoded
		process.Hide(s, strings.TrimSuffix(strings.TrimPrefix(string(quoted), `"`), "\"\n"))
	}
}

// holds reports whether a text holds a dsn that was named, or its password.
func (a *app) holds(text string) bool {
	return slices.ContainsFunc(a.secrets, func(s string) bool { return strings.Contains(text, s) })
}

// secretFile is where a file that was named with @ is: below the folder of the command, or
// below home, which no shell puts in behind an @.
func (a *app) secretFile(name string) string {
	if inside, home := strings.CutPrefix(name, "~/"); home {
		return filepath.Join(a.env("HOME"), inside)
	}
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.dir, name)
}

// mostSecret is more than a dsn comes to.
const mostSecret = 64 << 10

// soonOpen is how long a pipe is waited for that nobody writes into.
const soonOpen = 3 * time.Second

// openSoon opens a file, or a pipe that somebody writes into.
func openSoon(name string) (*os.File, error) {
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(name)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.file, o.err
	case <-time.After(soonOpen):
		return nil, fmt.Errorf("%s is no plain file: it is a pipe, and nobody writes into it", name)
	}
}

// readSecret reads a file that nobody but its owner may read. What was asked for its mode is
// what is read: it is open by then.
func readSecret(name string) (string, error) {
	const doing = "reading the dsn's file"
	f, err := openSoon(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", usage(doing, "(umask 077; ${EDITOR:-vi} "+board.Quoted(name)+")", "there is no file %s", name)
	case err != nil:
		return "", usage(doing, "ls -l "+board.Quoted(name), "%w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return "", broken(doing, "", err)
	case st.IsDir():
		return "", usage(doing, "ls -ld "+board.Quoted(name), "%s is a folder", name)
	case st.Mode().Perm()&0o077 != 0:
		return "", usage(doing, "chmod 600 "+board.Quoted(name), "%s has mode %04o, and others than its owner may read or change it", name, st.Mode().Perm())
	}
	data, err := io.ReadAll(io.LimitReader(f, mostSecret))
	if err != nil {
		return "", broken(doing, "", err)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r"), nil
}

// where says which store it is, for people: never a password.
func (s *session) where() string {
	if s.store.dsn == "" {
		return s.recordFile()
	}
	return postgres.Where(s.store.dsn)
}

// openStore opens the store that is named, to write or to read.
func (s *session) openStore(ctx context.Context, write bool) (record.Log, error) {
	switch {
	case s.store.dsn != "" && write:
		return postgres.Open(ctx, s.store.dsn)
	case s.store.dsn != "":
		return postgres.OpenRead(ctx, s.store.dsn)
	case write:
		return sqlite.Open(ctx, s.recordFile())
	}
	return sqlite.OpenRead(ctx, s.recordFile())
}
