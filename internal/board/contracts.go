package board

import (
	"fmt"
	"time"

	"torve/internal/contract"
	"torve/internal/record"
)

// source keeps the root commit that names the partition's repository.
func (b *Board) source(p record.Source) {
	if b.Root == "" {
		b.Root = p.Root
	}
}

// decision keeps the corpus as it was last imported; what a task inherited
// stands in its own rows and does not move with it.
func (b *Board) decision(p record.Decision) {
	if b.Decisions == nil {
		b.Decisions = map[string]record.Decision{}
	}
	b.Decisions[p.ID] = p
}

// mint decodes a mint together with the contract inside it.
func (b *Board) mint(e record.Event, p record.Minted) (func(), error) {
	c, err := inForce(e, p.Contract)
	if err != nil {
		return nil, err
	}
	return func() {
		b.minted(e, force{Minted: p, Contract: c})
	}, nil
}

// remint is mint for a contract that takes the place of another.
func (b *Board) remint(e record.Event, p record.Reminted) (func(), error) {
	c, err := inForce(e, p.Contract)
	if err != nil {
		return nil, err
	}
	m := record.Minted{Digest: p.Digest, Owner: p.Owner, Path: p.Path, Blob: p.Blob, Commit: p.Commit, Decisions: p.Decisions}
	return func() {
		b.reminted(e, force{Minted: m, Contract: c})
	}, nil
}

// force is a contract that comes into force, and how it was minted.
type force struct {
	record.Minted
	Contract contract.Contract
}

func inForce(e record.Event, canonical []byte) (contract.Contract, error) {
	c, err := contract.Decode(canonical)
	if err != nil {
		return c, fmt.Errorf("event %d, %s: the contract in it: %w", e.Seq, e.Kind, err)
	}
	return c, nil
}

// minted queues a task, a withdrawn one again. What has gone further stays where it is.
func (b *Board) minted(e record.Event, f force) {
	b.ClaimSeq = e.Seq
	t := b.task(e.Task)
	if t.MintSeq == 0 {
		t.MintSeq = e.Seq
	}
	t.hold(e, f)
	if t.State == Withdrawn {
		t.queue(e.At)
	}
}

// reminted changes the contract. Accepted work is queued and keeps its attempt,
// so that its kept tree is asked again; an escalated or abandoned task stays so.
func (b *Board) reminted(e record.Event, f force) {
	t := b.task(e.Task)
	if t.Digest == "" {
		b.minted(e, f)
		return
	}
	b.ClaimSeq = e.Seq
	t.hold(e, f)
	if t.State == Ready || t.State == InReview {
		t.queue(e.At)
	}
}

// hold brings a contract into force.
func (t *Task) hold(e record.Event, f force) {
	t.Contract, t.Digest, t.Rows = f.Contract, f.Digest, f.Decisions
	t.Owner, t.Path, t.Blob, t.Commit, t.MintedAt = f.Owner, f.Path, f.Blob, f.Commit, e.At
}

// withdrawn takes a task off: its contract is gone. What landed has landed, and
// what a person gave up stays given up when the contract comes back.
func (b *Board) withdrawn(e record.Event) {
	b.ClaimSeq = e.Seq
	t := b.task(e.Task)
	switch t.State {
	case Landed, Reverted, Abandoned:
		return
	}
	t.Escalation, t.NotBefore = nil, time.Time{}
	t.move(Withdrawn, e.At)
}
