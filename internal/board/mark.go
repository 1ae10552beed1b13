package board

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"time"

	"torve/internal/record"
)

// mark is what a glance has of a task beyond its id, its state and its place: enough to
// count it, and to say whether more of it must be read.
type mark struct {
	ended  time.Time // when the last attempt of it ended
	minted uint64    // the contract's file that it was minted from, as mintedAs has it
	costs  bool      // money was spent on it beside its attempts
}

// Unread reports whether of a task there is a mark alone: its id, state, MintSeq, Last,
// and what Ended, Costs and MintedAs say. Glance alone gives such tasks, of what has
// landed, and Board.Read makes them whole.
func (t *Task) Unread() bool { return t.mark != nil }

// Ended is when the last attempt of a task ended; zero where none did.
func (t *Task) Ended() (last time.Time) {
	if t.mark != nil {
		return t.mark.ended
	}
	for i := range t.Attempts {
		if a := &t.Attempts[i]; a.Finished != nil && a.FinishedAt.After(last) {
			last = a.FinishedAt
		}
	}
	return last
}

// Costs reports whether money was spent on a task beside its attempts.
func (t *Task) Costs() bool {
	if t.mark != nil {
		return t.mark.costs
	}
	return len(t.Spends) > 0
}

// MintedAs reports whether the contract in force was minted from that very file.
func (t *Task) MintedAs(path, blob string) bool {
	if t.mark != nil {
		return t.mark.minted != 0 && t.mark.minted == mintedAs(path, blob)
	}
	return t.Digest != "" && t.Path == path && t.Blob == blob
}

// mintedAs names a contract's file in few bytes.
func mintedAs(path, blob string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(path + "\x00" + blob))
	return max(1, h.Sum64())
}

// here asks that the tasks that an event changes are here whole.
func (b *Board) here(e record.Event) error {
	if b.kept == nil {
		return nil
	}
	for _, id := range touched(e) {
		if t := b.Tasks[id]; t != nil && t.mark != nil {
			return fmt.Errorf("event %d is about %s, of which there is a mark alone", e.Seq, id)
		}
	}
	return nil
}

func markOf(t *Task) mark {
	if t.mark != nil {
		return *t.mark
	}
	m := mark{ended: t.Ended(), costs: t.Costs()}
	if t.Digest != "" {
		m.minted = mintedAs(t.Path, t.Blob)
	}
	return m
}

// packMarks writes of tasks what a glance shows.
func packMarks(tasks []*Task) []byte {
	var e encoder
	e.uint(uint64(len(tasks)))
	for _, t := range tasks {
		m := markOf(t)
		e.text(t.ID)
		e.text(string(t.State))
		e.uint(uint64(t.MintSeq))
		e.uint(uint64(t.Last))
		e.time(m.ended)
		e.uint(uint64(truth(m.costs)))
		e.buf = binary.LittleEndian.AppendUint64(e.buf, m.minted)
	}
	return e.bytes()
}

func unpackMarks(part []byte) ([]Task, error) {
	d := newDecoder(string(part))
	n := d.length(d.uint())
	tasks, marks := make([]Task, n), make([]mark, n)
	for i := range tasks {
		t, m := &tasks[i], &marks[i]
		t.mark = m
		t.ID, t.State = d.text(), State(d.text())
		t.MintSeq, t.Last = record.Seq(d.uint()), record.Seq(d.uint())
		m.ended, m.costs = d.time(), d.uint() == 1
		m.minted = d.eight()
	}
	return tasks, d.done()
}

// eight is a number that takes eight bytes.
func (d *decoder) eight() uint64 {
	if len(d.from) < 8 {
		d.fail()
		return 0
	}
	n := binary.LittleEndian.Uint64([]byte(d.from[:8]))
	d.from = d.from[8:]
	return n
}
