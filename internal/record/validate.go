package record

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Validate asks that an event is whole: its envelope has what its kind owes, and its
// payload decodes strictly and is valid. The error says what is wrong and where.
func (e Event) Validate() error {
	p, err := Decode(e)
	if err != nil {
		return err
	}
	for _, ask := range []func() error{e.envelope, p.Validate, func() error { return e.about(p) }} {
		if err := ask(); err != nil {
			return fmt.Errorf("%s: %w", e.Kind, err)
		}
	}
	return nil
}

// about asks that the envelope and the payload speak of one task.
func (e Event) about(p Payload) error {
	switch p := p.(type) {
	case Landed:
		return p.names(e.Task, e.Attempt)
	case Minted:
		return contractOf(p.Contract, e.Task)
	case Reminted:
		return contractOf(p.Contract, e.Task)
	}
	return nil
}

func (e Event) envelope() error {
	s, _ := e.Kind.spec()
	return first(
		need("id", e.ID),
		say(e.Schema < 1, "schema %d is no version", e.Schema),
		say(e.At.IsZero(), "at is empty"),
		whenUTC("at", e.At),
		need("actor.kind", e.Actor.Kind),
		say(s.task && e.Task == "", "the envelope names no task"),
		say(s.claim && e.Claim == "", "the envelope names no claim"),
		say(s.attempt && e.Attempt < 1, "the envelope names no attempt"),
		say(e.Attempt < 0, "attempt %d is below zero", e.Attempt),
	)
}

// first is the first error there is.
func first(errs ...error) error {
	i := slices.IndexFunc(errs, func(err error) bool { return err != nil })
	if i < 0 {
		return nil
	}
	return errs[i]
}

// say is an error when the fault is there.
func say(fault bool, format string, args ...any) error {
	if !fault {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func need(name, value string) error {
	return say(strings.TrimSpace(value) == "", "%s is empty", name)
}

func oneOf(name, value string, list []string) error {
	return say(!slices.Contains(list, value), "%s %q is none of %s", name, value, strings.Join(list, ", "))
}

var (
	hex64      = regexp.MustCompile(`^[0-9a-f]{64}$`)
	hexObject  = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
	decisionID = regexp.MustCompile(`^S-[0-9]{4,}/[A-Z]+-[0-9]+$`)
	landingDir = regexp.MustCompile(`^\.torve/(specs/S-[0-9]{4,}/)?execution$`)
	landingAt  = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}Z\.yaml$`)
)

func digest(name, value string) error {
	return say(!hex64.MatchString(value), "%s %q is no SHA-256 in lower-case hex", name, value)
}

func object(name, value string) error {
	return say(!hexObject.MatchString(value), "%s %q is no object id", name, value)
}

// maybe asks a check of a value that may lack.
func maybe(check func(name, value string) error, name, value string) error {
	if value == "" {
		return nil
	}
	return check(name, value)
}

func whenUTC(name string, t time.Time) error {
	return say(t.Location() != time.UTC || t.Nanosecond() != 0, "%s is not whole seconds of UTC", name)
}

// each asks a check of every item and says which one is at fault.
func each[T any](name string, items []T, check func(T) error) error {
	for i, item := range items {
		if err := check(item); err != nil {
			return fmt.Errorf("%s[%d]: %w", name, i, err)
		}
	}
	return nil
}

func filledIn(s string) error { return say(strings.TrimSpace(s) == "", "is empty") }

// names asks R5: the landing file's place and name agree with the task and the attempt.
func (p Landed) names(task string, attempt int) error {
	if !landingDir.MatchString(path.Dir(p.Path)) {
		return fmt.Errorf("%s is no place for a landing file", p.Path)
	}
	at, found := strings.CutPrefix(path.Base(p.Path), fmt.Sprintf("%s-%d-", task, attempt))
	if !found || !landingAt.MatchString(at) {
		return fmt.Errorf("%s is not the landing file of %s, attempt %d", p.Path, task, attempt)
	}
	return nil
}
