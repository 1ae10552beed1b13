package postgres

import (
	"net/url"
	"regexp"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
)

// shortest is the length from which a password is hidden wherever it stands: a shorter one
// would be found in innocent text.
const shortest = 8

// written finds a password in a dsn as it is written there, in a URL and in key=value pairs.
var written = []*regexp.Regexp{
	regexp.MustCompile(`^[a-z]+://[^:@/]*:([^@/]*)@`),
	regexp.MustCompile(`(?:^|[?&\s])(?:ssl)?password\s*=\s*('(?:[^'\\]|\\.)*'|[^\s&']+)`),
}

// Secrets are the texts that nobody may see of a dsn: the dsn itself where a password stands
// in it, and the password, as it is written and as it is meant, also one that comes from the
// environment or from a file of passwords. One that is no more than the user's or the
// database's name, or too short to be told from other words, is not among them: Forms has it
// where it stands as a password. secret reports whether there is a password at all.
func Secrets(dsn string) (hide []string, secret bool) {
	var bare, open []string
	for _, form := range written {
		for _, m := range form.FindAllStringSubmatch(dsn, -1) {
			hide, bare = append(hide, dsn), append(bare, m[1])
			if meant, err := url.PathUnescape(m[1]); err == nil {
				bare = append(bare, meant)
			}
		}
	}
	if c, err := pgconn.ParseConfig(dsn); err == nil {
		bare, open = append(bare, c.Password), []string{"postgres", c.User, c.Database, c.Host}
	}
	for _, password := range bare {
		secret = secret || password != ""
		if len(password) >= shortest && !slices.Contains(open, password) {
			hide = append(hide, password)
		}
	}
	return hide, secret
}

// Forms are the pieces of a dsn in which a password stands as one: password=..., and what
// comes before the @ of a URL. They tell it from the same word elsewhere.
func Forms(dsn string) (pieces []string) {
	for _, form := range written {
		pieces = append(pieces, form.FindAllString(dsn, -1)...)
	}
	return pieces
}

// Server is where a dsn's first server listens: a host, or the folder of a socket; "" where
// the dsn does not read.
func Server(dsn string) (host string, port uint16) {
	c, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return "", 0
	}
	return c.Host, c.Port
}

// User is who a dsn connects as; "" where the dsn does not read.
func User(dsn string) string {
	c, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return ""
	}
	return c.User
}

// Database is the name of a dsn's database; "" where the dsn does not read.
func Database(dsn string) string {
	c, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return ""
	}
	if c.Database == "" {
		return c.User // as the server takes it
	}
	return c.Database
}
