package board

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"sync"

	"torve/internal/record"
)

// Form names the code that makes a board: a snapshot of another form is not read. It is
// raised whenever the types or what the fold does with an event change; a test asks.
const Form = "torve/board/5"

const (
	snapshotName = "board"
	indexPart    = "index"
	span         = 512  // how many seqs of first mints share a part of whole tasks
	sectionSize  = 1024 // how many tasks of the index are read at once
)

// pack writes the board: an index, which holds every task, those that landed in outline;
// and those whole, in parts by age, so that old parts stay as they are from snapshot to
// snapshot.
func (b *Board) pack() record.Snapshot {
	s := record.Snapshot{Name: snapshotName, Form: Form, Seq: b.Seq, Hash: b.Hash, Parts: map[string][]byte{}}
	var e encoder
	rest := *b
	rest.Tasks = nil
	e.value(reflect.ValueOf(rest))
	parts := map[string][]*Task{}
	ids := slices.Sorted(maps.Keys(b.Tasks))
	e.uint(uint64(len(ids)+sectionSize-1) / sectionSize)
	for section := range slices.Chunk(ids, sectionSize) {
		part := encoder{place: e.place, texts: e.texts}
		tasks := make([]*Task, 0, len(section))
		for _, id := range section {
			t := b.Tasks[id]
			if t.outlined() {
				parts[partOf(t)] = append(parts[partOf(t)], t)
				t = outlineOf(t)
			}
			tasks = append(tasks, t)
		}
		part.section(tasks)
		e.place, e.texts = part.place, part.texts
		e.uint(uint64(len(part.buf)))
		e.buf = append(e.buf, part.buf...)
	}
	s.Parts[indexPart] = e.bytes()
	for name, tasks := range parts {
		s.Parts[name] = packTasks(tasks)
	}
	return s
}

func partOf(t *Task) string { return fmt.Sprintf("tasks/%08d", t.MintSeq/span) }

func packTasks(tasks []*Task) []byte {
	var e encoder
	e.uint(uint64(len(tasks)))
	for _, t := range tasks {
		e.value(reflect.ValueOf(*t))
	}
	return e.bytes()
}

// unpack reads the index: every task, those that landed in outline.
func unpack(s record.Snapshot) (*Board, error) {
	d := newDecoder(string(s.Parts[indexPart]))
	b := &Board{}
	d.value(reflect.ValueOf(b).Elem())
	sections := make([][]Task, d.length(d.uint()))
	faults := make([]error, len(sections))
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range sections {
		size := d.length(d.uint())
		part := &decoder{from: d.from[:size], texts: d.texts, err: d.err}
		d.from = d.from[size:]
		slots <- struct{}{}
		group.Go(func() {
			sections[i] = part.section()
			faults[i] = part.done()
			<-slots
		})
	}
	group.Wait()
	if err := errors.Join(append(faults, d.done())...); err != nil {
		return nil, err
	}
	if b.Seq != s.Seq || b.Hash != s.Hash {
		return nil, fmt.Errorf("it is of event %d, and is kept as of %d: %w", b.Seq, s.Seq, errForm)
	}
	b.take(sections...)
	return b, nil
}

// take puts tasks on the board, over their outlines.
func (b *Board) take(sections ...[]Task) {
	if b.Tasks == nil {
		n := 0
		for _, tasks := range sections {
			n += len(tasks)
		}
		if n == 0 {
			return // as a board is that no task came to
		}
		b.Tasks = make(map[string]*Task, n)
	}
	for _, tasks := range sections {
		for i := range tasks {
			b.Tasks[tasks[i].ID] = &tasks[i]
		}
	}
}

// fill reads whole tasks over their outlines. Each must be one that the index names.
func (b *Board) fill(part []byte) error {
	tasks, err := wholeTasks(part)
	if err != nil {
		return err
	}
	for i := range tasks {
		t := b.Tasks[tasks[i].ID]
		if t == nil || t.Last != tasks[i].Last || t.State != tasks[i].State {
			return fmt.Errorf("its parts do not agree on %s: %w", tasks[i].ID, errForm)
		}
		if t.outline {
			*t = tasks[i]
		}
	}
	return nil
}

// fillOne reads one task of a part over its outline.
func (b *Board) fillOne(part []byte, id string) error {
	tasks, err := wholeTasks(part)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(tasks, func(t Task) bool { return t.ID == id })
	if at < 0 {
		return fmt.Errorf("%s is not in its part: %w", id, errForm)
	}
	*b.Tasks[id] = tasks[at]
	return nil
}

func wholeTasks(part []byte) ([]Task, error) {
	d := newDecoder(string(part))
	tasks := make([]Task, d.length(d.uint()))
	for i := range tasks {
		d.value(reflect.ValueOf(&tasks[i]).Elem())
	}
	return tasks, d.done()
}

// fillAll reads every whole task, and asks that none is missing.
func (b *Board) fillAll(s record.Snapshot) error {
	for name, part := range s.Parts {
		if name == indexPart {
			continue
		}
		if err := b.fill(part); err != nil {
			return err
		}
	}
	for id, t := range b.Tasks {
		if t.outline {
			return fmt.Errorf("%s is there in outline alone: %w", id, errForm)
		}
	}
	return nil
}
