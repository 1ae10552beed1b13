package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
)

// Memory is one row of what a villager remembers: a row of the witness that was handed over
// with a prompt. It is never updated.
type Memory struct {
	ID       int64 // from 1 in its partition, given by the store
	Villager string
	Tick     int64
	Register string // saw or did
	Text     string
}

// The registers of a memory.
const (
	Saw = "saw"
	Did = "did"
)

// Registers lists them.
var Registers = []string{Saw, Did}

// Memories is what a store offers for them: rows of a bench's partition, beside its ledger.
type Memories interface {
	// Remember appends rows at the end of a partition's memory, all of them or none; whatever
	// ID says, their ids are dense from 1 in the partition. ErrCarried where the partition has
	// an event.
	Remember(ctx context.Context, p Partition, rows ...Memory) error
	// Memories yields a partition's rows in the order of their ids, paged inside; of one
	// villager where it is named.
	Memories(ctx context.Context, p Partition, villager string) iter.Seq2[Memory, error]
}

// ErrCarried is returned by Propose and Remember where the partition has events: a row that is
// added beside them would be carried by none of them.
var ErrCarried = errors.New("rows of this partition's ledger come with its events")

// ErrBench is returned where a partition is a bench's: by an append or an import to it, and by
// whatever moves a partition by its events.
var ErrBench = errors.New("the partition is a bench's, whose rows are carried by no event")

// Carried asks that a partition is none of a bench: that it has an event, or no row either.
func Carried(ctx context.Context, log Log, p Partition) error {
	for _, err := range log.Read(ctx, p, 1) {
		return err
	}
	bench := fmt.Errorf("%s has no event: %w", p, ErrBench)
	if l, is := log.(Ledger); is {
		for _, err := range l.Proposals(ctx, p, "") {
			return cmp.Or(err, bench)
		}
	}
	if m, is := log.(Memories); is {
		for _, err := range m.Memories(ctx, p, "") {
			return cmp.Or(err, bench)
		}
	}
	return nil
}

// AdmitMemories asks that each row is whole, and gives them in their one form.
func AdmitMemories(rows []Memory) ([]Memory, error) {
	all := make([]Memory, len(rows))
	for i, m := range rows {
		m.Villager, m.Text = legible(m.Villager), legible(m.Text)
		if err := m.validate(); err != nil {
			return nil, fmt.Errorf("row %d of %d: %w", i+1, len(rows), err)
		}
		all[i] = m
	}
	return all, nil
}

func (m Memory) validate() error {
	return first(
		need("memory.villager", m.Villager),
		oneOf("memory.register", m.Register, Registers),
		need("memory.text", m.Text),
		say(m.Tick < 0, "memory.tick is below zero"),
		say(strings.ContainsRune(m.Villager+m.Text, 0), "memory: a text holds the byte 0, which no column holds"),
	)
}
