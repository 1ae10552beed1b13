package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
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

// fault says what was being done with which record, and gives an error of the server or of
// the network the one of package record that it is.
func fault(doing, where string, err error) error {
	if err == nil {
		return nil
	}
	var said *pgconn.PgError
	why := err
	if errors.As(err, &said) {
		why = &answer{fmt.Sprintf("%s (%s)", said.Message, said.Code), err}
	} else if c := new(pgconn.ConnectError); errors.As(err, &c) {
		lines := strings.Split(c.Unwrap().Error(), "\n") // one for each address, or way of TLS
		why = &answer{strings.Join(slices.Compact(lines), "; "), err}
	}
	if is := kind(err, said); is != nil && !errors.Is(err, is) {
		return fmt.Errorf("%s the record %s: %w: %w", doing, where, is, why)
	}
	return fmt.Errorf("%s the record %s: %w", doing, where, why)
}

// answer is an error in fewer words than it came in.
type answer struct {
	text string
	err  error
}

func (a *answer) Error() string { return a.text }
func (a *answer) Unwrap() error { return a.err }

// kind is the error of package record that an error is, or nil.
func kind(err error, said *pgconn.PgError) error {
	var untrusted *tls.CertificateVerificationError
	switch {
	case said != nil && sentinels[said.Code] != nil:
		return sentinels[said.Code]
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
