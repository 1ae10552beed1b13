package view

import (
	"context"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/truth"
)

// facts are what any carrier can say of a task, whichever holds it.
type facts struct {
	title, owner, intent string
	allow, deny          []string
	digest               string
	mintedAt             time.Time
	attempts             int
	usd                  *float64
	source               string
	spent                carrier.Spent
	known                bool // spent is known at all
	flaky                []flakyLine
	landed               *Landed
	landing              *carrier.Landing // nil without a landing file
}

// factsOf asks the record first for what was minted, then the landing, then the
// contract's file, then this host's state. A landing that the record holds is
// read from its file only when whole is asked for.
func factsOf(ctx context.Context, s truth.Settled, whole bool) (facts, error) {
	var f facts
	if file := s.Landing(); file != nil && !whole && recorded(s.Board(), file.Path) {
		f.landed = &Landed{Commit: s.Board().Landing.Commit, At: file.At, Path: file.Path}
	} else if file != nil {
		l, err := file.Load(ctx)
		if err != nil {
			return facts{}, err
		}
		f.fromLanding(file.Path, l)
	}
	switch t := s.Board(); {
	case t != nil && t.Digest != "":
		f.fromBoard(t)
	case f.landed == nil && s.File() != nil:
		c := s.File().Contract
		f.title, f.owner, f.intent, f.allow, f.deny = c.Title, c.Owner, c.Intent, c.Scope.Allow, c.Scope.Deny
		f.digest = s.File().Digest
	}
	if h := s.Host(); h != nil && f.attempts == 0 {
		f.attempts = h.Attempt
	}
	return f, nil
}

// recorded reports whether the record holds that very landing of a minted task.
func recorded(t *board.Task, path string) bool {
	return t != nil && t.Digest != "" && t.Landing != nil && t.Landing.Path == path
}

func (f *facts) fromLanding(path string, l carrier.Landing) {
	f.landing = &l
	f.landed = &Landed{Commit: l.Commit, At: l.At, Path: path}
	f.title, f.owner, f.intent, f.digest = l.Title, l.Owner, l.Intent, l.Contract
	f.allow, f.deny = l.Scope.Allow, l.Scope.Deny
	f.attempts, f.usd, f.source = l.Spent.Attempts, l.Spent.USD, l.Spent.Source
	f.spent, f.known = l.Spent, true
	if l.Gate != nil {
		f.flaky = flakyOf(nil, l.Gate.Acceptance, landedFlaky)
	}
}

func (f *facts) fromBoard(t *board.Task) {
	c := t.Contract
	f.title, f.owner, f.intent, f.allow, f.deny = c.Title, t.Owner, c.Intent, c.Scope.Allow, c.Scope.Deny
	f.digest, f.mintedAt = t.Digest, t.MintedAt
	if tried := flakyTask(t); len(tried) > 0 {
		f.flaky = tried
	}
	s := board.Spent(t)
	f.attempts = s.Attempts
	f.usd, f.source = s.Total()
	f.spent = carrier.Spent{Attempts: s.Attempts, Refused: s.Refused, Seconds: s.Time(), USD: f.usd, Source: f.source}
	if s.Tokenless == 0 {
		f.spent.TokensIn, f.spent.TokensOut = s.TokensIn, s.TokensOut
	}
	f.known = true
}
