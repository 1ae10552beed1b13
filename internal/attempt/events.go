package attempt

import (
	"context"
	"errors"
	"fmt"
	"os"

	"torve/internal/agent"
	"torve/internal/board"
	"torve/internal/process"
	"torve/internal/record"
)

// fold reads the record as it is now.
func (s *Station) fold(ctx context.Context) (*board.Board, error) {
	read := s.Board
	if read == nil {
		read = func(ctx context.Context) (*board.Board, error) { return s.memory.Board(ctx, s.Log, s.Partition) }
	}
	b, err := read(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the record: %w", err)
	}
	return b, nil
}

// task is one task as the record has it now.
func (s *Station) task(ctx context.Context, id string) (*board.Task, error) {
	b, err := s.fold(ctx)
	if err != nil {
		return nil, err
	}
	t := b.Tasks[id]
	if t == nil {
		return nil, fmt.Errorf("the record does not know %s", id)
	}
	return t, nil
}

// about is the envelope of a fact of one attempt, under one claim.
type about struct {
	task, claim string
	n           int
}

func (j Job) about() (about, error) {
	if j.Task.Claim == nil {
		return about{}, fmt.Errorf("%s is not claimed, and an attempt is made under a claim", j.Task.ID)
	}
	return about{task: j.Task.ID, claim: j.Task.Claim.ID, n: j.N}, nil
}

// holds asks that the claim is still open; record.ErrMoved when it is not.
func (s *Station) holds(ctx context.Context, a about) error {
	t, err := s.task(ctx, a.task)
	if err != nil {
		return err
	}
	if t.Claim == nil || t.Claim.ID != a.claim {
		return fmt.Errorf("the claim %s on %s is no longer held: %w", a.claim, a.task, record.ErrMoved)
	}
	return nil
}

// append writes facts of an attempt while its claim is still held: a holder that
// lost it writes nothing.
func (s *Station) append(ctx context.Context, a about, actor record.Actor, facts ...record.Payload) error {
	events := make([]record.Event, 0, len(facts))
	for _, f := range facts {
		e, err := record.New(f, s.Now(), record.Envelope{
			Task: a.task, Attempt: a.n, Claim: a.claim, Actor: actor, Host: s.Host,
		})
		if err != nil {
			return fmt.Errorf("making the event: %w", err)
		}
		events = append(events, e)
	}
	if len(events) == 0 {
		return nil
	}
	_, err := s.Log.Append(ctx, s.Partition, record.Holding(a.task, a.claim), events...)
	switch {
	case errors.Is(err, record.ErrMoved):
		return fmt.Errorf("recording %s of %s, attempt %d: the claim %s is no longer held: %w", facts[0].Kind(), a.task, a.n, a.claim, err)
	case err != nil:
		return fmt.Errorf("recording %s of %s, attempt %d: %w", facts[0].Kind(), a.task, a.n, err)
	}
	return nil
}

// station is this station as an actor; its id is the worker's process.
func station() record.Actor { return record.Actor{Kind: record.ByAttempt} }

// executor is the identity that the host fixes for what an agent says.
func executor(adapter string, n int, task string) record.Actor {
	return record.Actor{Kind: record.ByAgent, ID: fmt.Sprintf("%s/%s/%d", adapter, task, n)}
}

// masked is a text fit for the record: the values of secrets in the environment are gone.
func masked(s string) string { return string(process.Masked([]byte(s), os.Environ())) }

// usageOf is what an attempt cost in the record's words.
func usageOf(u agent.Usage) record.Usage {
	source := u.Source
	if source == "" || u.USD == nil {
		source = "unknown"
	}
	out := record.Usage{TokensIn: u.TokensIn, TokensOut: u.TokensOut, Source: source}
	if source != "unknown" {
		out.USD = u.USD
	}
	return out
}
