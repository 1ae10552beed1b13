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
	in       *outlines // nil: there is none, or it was read
	at, size int
	ended    time.Time // when the last attempt of it ended
}

// outlines are those of a section of the index, with a list of texts of their own.
type outlines struct {
	once sync.Once
	data string
	all  *decoder
}

// open reads the list of texts.
func (o *outlines) open() *decoder {
	o.once.Do(func() { o.all, o.data = newDecoder(o.data), "" })
	return o.all
}

// The marks of a task in the index.
const (
	markWhole  = iota
	markUnread // an outline, of which state and place stand here
)

// section writes tasks of the index, and behind them the outlines of those that have one.
func (e *encoder) section(tasks []*Task) {
	var behind encoder
	e.uint(uint64(len(tasks)))
	for _, t := range tasks {
		if !t.outline {
			e.uint(markWhole)
			e.value(reflect.ValueOf(*t))
			continue
		}
		at := len(behind.buf)
		behind.value(reflect.ValueOf(*t))
		e.uint(markUnread)
		e.text(t.ID)
		e.text(string(t.State))
		e.uint(uint64(t.MintSeq))
		e.uint(uint64(t.Last))
		e.time(t.Ended())
		e.uint(uint64(len(behind.buf) - at))
	}
	e.buf = append(e.buf, behind.bytes()...)
}

// section reads tasks of the index, and leaves their outlines unread.
func (d *decoder) section() []Task {
	tasks := make([]Task, d.length(d.uint()))
	behind, at := &outlines{}, 0
	for i := range tasks {
		t := &tasks[i]
		switch d.uint() {
		case markWhole:
			d.value(reflect.ValueOf(t).Elem())
		case markUnread:
			t.ID, t.State, t.outline = d.text(), State(d.text()), true
			t.MintSeq, t.Last = record.Seq(d.uint()), record.Seq(d.uint())
			t.unread = unread{in: behind, at: at, ended: d.time(), size: d.length(d.uint())}
			at += t.unread.size
		default:
			d.fail()
		}
	}
	behind.data, d.from = d.from, ""
	return tasks
}

// Ended is when the last attempt of a task ended; zero where none did.
func (t *Task) Ended() (last time.Time) {
	if t.unread.in != nil {
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
	u := t.unread
	if u.in == nil {
		return nil
	}
	d := *u.in.open()
	if u.at+u.size > len(d.from) {
		d.fail()
	} else {
		d.from = d.from[u.at : u.at+u.size]
	}
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
