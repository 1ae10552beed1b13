package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"torve/internal/record"
)

// The server's codes that have an error of their own.
var sentinels = map[string]error{
	"28000": record.ErrRefused, // no such role, or none that may connect from here
	"28P01": record.ErrRefused, // a wrong password
	"3D000": record.ErrRefused, // no such database
	"42501": record.ErrRefused, // the role may not do this
	"42P01": record.ErrBehind,  // no such table
	"3F000": record.ErrBehind,  // no such schema
	"25006": record.ErrUnwritable,
	"53100": record.ErrFull,
	"57014": record.ErrSlow, // the statement's time limit
	"55P03": record.ErrSlow, // the time limit of waiting for a lock
	"XX001": record.ErrDamaged,
	"XX002": record.ErrDamaged,
}

// passing are the server's codes after which the same may go well a moment later.
var passing = map[string]bool{
	"57P01": true, // it shuts down, or an operator ended this connection
	"57P02": true, // it crashed
	"57P03": true, // it starts up
	"57P05": true, // it ended an idle connection
	"25P03": true, // it ended one that was idle in its transaction
	"53300": true, // it has no connection left
	"40001": true, // two transactions were in each other's way
	"40P01": true,
}

// ErrSetting is returned where the server does not take what a dsn says beside where it is.
var ErrSetting = errors.New("the dsn has a wrong setting")

// unset are the server's codes for a setting that it does not have, or not with that value.
var unset = []string{"42704", "22023", "55P02"}

// Fault says what was being done with which record, and why it did not come about: all of it,
// whatever the error is wrapped in.
type Fault struct {
	doing, where string
	err          error
}

func (f *Fault) Error() string { return fmt.Sprintf("%s the record %s: %v", f.doing, f.where, f.err) }

// Unwrap gives why it did not come about.
func (f *Fault) Unwrap() error { return f.err }

// fault gives an error of the server or of the network the one of package record that it is.
func fault(doing, where string, err error) error {
	if err == nil {
		return nil
	}
	var said *pgconn.PgError
	why := err
	if errors.As(err, &said) {
		why = &answer{fmt.Sprintf("%s (%s)", said.Message, said.Code), err}
	} else if c := new(pgconn.ConnectError); errors.As(err, &c) {
		why = &answer{short(c.Unwrap().Error()), err}
	}
	if is := kind(err, said); is != nil && !errors.Is(err, is) {
		why = fmt.Errorf("%w: %w", is, why)
	}
	return &Fault{doing, where, why}
}

// tried is what stands before the reason in each line of who could not connect: the addresses.
var tried = []*regexp.Regexp{
	regexp.MustCompile(`^\S+ \([^)]*\): `), regexp.MustCompile(`^dial error: (?:dial (?:tcp|unix) \S+: )?(?:connect: )?`),
	regexp.MustCompile(`^hostname resolving error: `), regexp.MustCompile(` on [0-9a-f.:\[\]]+:53\b`),
}

// short is why nobody could connect, a line for each address or way of TLS, without the
// addresses where it is the same for all.
func short(text string) string {
	lines := slices.Compact(strings.Split(text, "\n"))
	var whys []string
	for _, line := range lines {
		for _, before := range tried {
			line = before.ReplaceAllString(line, "")
		}
		if !slices.Contains(whys, line) {
			whys = append(whys, line)
		}
	}
	if len(whys) == 1 {
		return whys[0]
	}
	return strings.Join(lines, "; ")
}

// answer is an error in other words than it came in.
type answer struct {
	text string
	err  error
}

func (a *answer) Error() string { return a.text }
func (a *answer) Unwrap() error { return a.err }

// mended is an error with what may help.
type mended struct {
	error
	mend string
}

func (m *mended) Unwrap() error { return m.error }

// Mend is what may help against an error, as far as it is the same whoever meets it: a short
// instruction; "" where nothing is known.
func Mend(err error) string {
	var m *mended
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &m):
		return m.mend
	case errors.Is(err, ErrSetting):
		return "write the setting in the dsn as the server has it, or leave it out"
	case errors.As(err, &untrusted):
		return "name its host as the certificate does, and who signed it by sslrootcert=FILE in the dsn"
	case err != nil && strings.Contains(err.Error(), "server refused TLS connection"):
		return "switch ssl on at the server, or say sslmode=disable in the dsn"
	case errors.Is(err, record.ErrNewer):
		return "install the newer torve"
	case errors.Is(err, record.ErrUnwritable):
		return "name the server that takes writes: this one is read-only"
	}
	return ""
}

// Code is the server's own code for an error; "" where it is not the server's.
func Code(err error) string {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return said.Code
	}
	return ""
}

// kind is the error of package record that an error is, or nil.
func kind(err error, said *pgconn.PgError) error {
	var untrusted *tls.CertificateVerificationError
	switch {
	case said != nil && sentinels[said.Code] != nil:
		return sentinels[said.Code]
	case said != nil && slices.Contains(unset, said.Code) && errors.As(err, new(*pgconn.ConnectError)):
		return ErrSetting
	case lost(err), errors.As(err, &untrusted), errors.As(err, new(*pgconn.ConnectError)):
		return record.ErrUnreachable
	}
	return nil
}

// lost reports whether a connection was lost or could not be had, so that it may be there
// again a moment later. What was being written is then written or not.
func lost(err error) bool {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return passing[said.Code] || strings.HasPrefix(said.Code, "08")
	}
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) {
		return false
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, pgconn.ErrConnClosed) ||
		errors.Is(err, context.DeadlineExceeded) || pgconn.Timeout(err)
}
