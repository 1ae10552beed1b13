package board

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"time"

	"torve/internal/record"
)

// unread is an outline that lies in a snapshot as it was written. Of ten thousand tasks a
// board shows the outlines of ten, and counts the states of the others.
type unread struct {
	from  string
	texts []string
	ended time.Time // when the last attempt of it ended
}

// The marks of a task in the index.
const (
	markWhole  = iota
	markUnread // an outline, of which state and place are read at once
)

// task writes a task of the index. An outline stands behind its length.
func (e *encoder) task(t *Task) {
	if !t.outline {
		e.uint(markWhole)
		e.value(reflect.ValueOf(*t))
		return
	}
	e.uint(markUnread)
	e.text(t.ID)
	e.text(string(t.State))
	e.uint(uint64(t.MintSeq))
	e.uint(uint64(t.Last))
	e.time(t.Ended())
	part := encoder{place: e.place, texts: e.texts}
	part.value(reflect.ValueOf(*t))
	e.place, e.texts = part.place, part.texts
	e.uint(uint64(len(part.buf)))
	e.buf = append(e.buf, part.buf...)
}

// task reads what task wrote, and leaves an outline unread.
func (d *decoder) task(t *Task) {
	switch d.uint() {
	case markWhole:
		d.value(reflect.ValueOf(t).Elem())
	case markUnread:
		t.outline = true
		t.ID, t.State = d.text(), State(d.text())
		t.MintSeq, t.Last = record.Seq(d.uint()), record.Seq(d.uint())
		t.unread.ended = d.time()
		size := d.length(d.uint())
		t.unread.from, t.unread.texts = d.from[:size], d.texts
		d.from = d.from[size:]
	default:
		d.fail()
	}
}

// Ended is when the last attempt of a task ended; zero where none did.
func (t *Task) Ended() (last time.Time) {
	if t.unread.from != "" {
		return t.unread.ended
	}
	for i := range t.Attempts {
		if a := &t.Attempts[i]; a.Finished != nil && a.FinishedAt.After(last) {
			last = a.FinishedAt
		}
	}
	return last
}

// ReadOutlines reads the outlines of tasks that a glance has left unread. The board is
// changed, so that nobody else may hold it.
func (b *Board) ReadOutlines(tasks ...string) error {
	for _, id := range tasks {
		if t := b.Tasks[id]; t != nil {
			if err := t.read(); err != nil {
				return err
			}
		}
	}
	return nil
}

// ReadAllOutlines is ReadOutlines of every task, by all processors.
func (b *Board) ReadAllOutlines() error {
	var all []*Task
	for _, t := range b.Tasks {
		all = append(all, t)
	}
	var group sync.WaitGroup
	parts := slices.Collect(slices.Chunk(all, len(all)/runtime.GOMAXPROCS(0)+1))
	faults := make([]error, len(parts))
	for i, part := range parts {
		group.Go(func() {
			for _, t := range part {
				faults[i] = errors.Join(faults[i], t.read())
			}
		})
	}
	group.Wait()
	return errors.Join(faults...)
}

// read reads the outline of a task, where it is unread. It must be of the task that the
// index names.
func (t *Task) read() error {
	if t.unread.from == "" {
		return nil
	}
	d := decoder{from: t.unread.from, texts: t.unread.texts}
	full := Task{outline: true}
	d.value(reflect.ValueOf(&full).Elem())
	err := d.done()
	if err == nil && (full.ID != t.ID || full.State != t.State || full.Last != t.Last) {
		err = errForm
	}
	if err != nil {
		return fmt.Errorf("reading %s in the snapshot of the board: %w", t.ID, err)
	}
	*t = full
	return nil
}
