package postgres

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// scheme is how a URL begins.
var scheme = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]{0,20}://`)

// Reads says what is wrong with a dsn, in words that hold nothing of it but the name of a
// file, of a setting or of a scheme: what the parser quotes may be a piece of a password.
func Reads(dsn string) error {
	if err := shaped(dsn); err != nil {
		return err
	}
	c, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return unread(err)
	}
	if strings.LastIndexByte(c.Host, '@') > 0 {
		return errors.New("there are two @ before its host")
	}
	pool, err := pgxpool.ParseConfig(dsn)
	if err != nil { // which says more of it than may be told
		return errors.New("a setting of the pool (pool_...) is wrong")
	}
	return known(pool.ConnConfig.RuntimeParams)
}

// shaped asks what a dsn looks like before it is parsed.
func shaped(dsn string) error {
	lines := strings.Split(dsn, "\n")
	begins := scheme.FindString(dsn)
	name, _, pair := strings.Cut(dsn, "=")
	switch {
	case slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "#") }):
		return errors.New("it holds a line that begins with #, and one dsn is wanted and no comment")
	case len(lines) > 1:
		return fmt.Errorf("it holds %d lines, and one dsn is wanted", len(lines))
	case begins != "" && begins != "postgres://" && begins != "postgresql://":
		return fmt.Errorf("it begins with %s, and a dsn with postgres://", begins)
	case begins == "" && !pair:
		return errors.New("it is neither a URL (postgres://...) nor key=value pairs (host=... dbname=...)")
	case begins == "" && (strings.HasSuffix(name, "_DSN") || strings.HasPrefix(name, "export ")):
		return errors.New("it begins with the name of a variable, and a dsn alone is wanted")
	}
	return nil
}

// unread is what the parser says, without what it quotes.
func unread(err error) error {
	var file *fs.PathError
	if errors.As(err, &file) {
		return fmt.Errorf("it names a file that does not open: %w", file)
	}
	_, what, _ := strings.Cut(err.Error(), "`: ")
	switch {
	case strings.Contains(what, "sslmode is invalid"):
		return errors.New("its sslmode is none of disable, allow, prefer, require, verify-ca, verify-full")
	case strings.HasPrefix(what, "failed to parse as URL"):
		return errors.New("its URL does not read: a password in it is percent-encoded")
	case strings.HasPrefix(what, "failed to parse as keyword/value"):
		return errors.New("its key=value pairs do not read: a value with spaces stands in single quotes")
	case what == "invalid port", strings.HasPrefix(what, "invalid port"):
		return errors.New("its port is no number: a password in a URL is percent-encoded")
	}
	what, _, _ = strings.Cut(what, " (")
	if what == "" {
		what = "it does not read"
	}
	return errors.New(what)
}

// words are the settings of a server whose names are one word; all others have a _ or a dot in
// them, and the server knows which there are.
var words = []string{"datestyle", "geqo", "intervalstyle", "jit", "options", "role", "timezone"}

// meant are settings of a connection, by what they are misspelt as.
var meant = map[string]string{
	"ssl": "sslmode", "ssl_mode": "sslmode", "ssl_root_cert": "sslrootcert", "ssl_cert": "sslcert", "ssl_key": "sslkey", "db_name": "dbname", "db": "dbname",
	"username": "user", "user_name": "user", "hostname": "host", "host_name": "host", "prot": "port", "pass": "password", "pwd": "password",
}

// plain is a setting's name that is surely no piece of a password.
var plain = regexp.MustCompile(`^[a-z]{2,16}$`)

// known refuses a setting that neither a connection nor a server has, as far as that can be
// told here: the parser would send all that it does not know to the server.
func known(settings map[string]string) error {
	for name := range settings {
		key := strings.ToLower(name)
		switch {
		case meant[key] != "":
			return fmt.Errorf("there is no setting %s: %s is meant", name, meant[key])
		case !strings.ContainsAny(key, "_.") && !slices.Contains(words, key):
			if !plain.MatchString(name) {
				name = "that stands there"
			}
			return fmt.Errorf("there is no setting %s", name)
		}
	}
	return nil
}
