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
const Form = "torve/board/7"

const (
	snapshotName = "board"
	indexPart    = "index"  // all but the tasks, and the tasks that are whole there
	marksBelow   = "marks/" // what is said at a glance of the others
	tasksBelow   = "tasks/" // and those whole
	marksSpan    = 1 << 15  // how many seqs of first mints share a part of marks
	tasksSpan    = 1 << 10  // and of whole tasks
)

// apart reports whether a task lies apart from the index, in a part with others of its age:
// it has landed and nobody holds it. Nearly all of a long record is so, and stays as it is.
func (t *Task) apart() bool {
	return (t.State == Landed || t.State == Reverted) && t.Claim == nil
}

func marksOf(t *Task) string { return fmt.Sprintf("%s%08d", marksBelow, t.MintSeq/marksSpan) }

func partOf(t *Task) string { return fmt.Sprintf("%s%08d", tasksBelow, t.MintSeq/tasksSpan) }

// changes are the parts of a snapshot that events have changed.
type changes map[string]bool

// of says that tasks are changed. It is told before, for the part that a task is in, and
// after, for the part that it comes into.
func (c changes) of(b *Board, ids []string) {
	if c == nil {
		return // there is no snapshot that they would be changes of
	}
	for _, id := range ids {
		if t := b.Tasks[id]; t != nil {
			c[marksOf(t)], c[partOf(t)] = true, true
		}
	}
}

// pack writes the board as a snapshot. Of the parts that changed does not name it says that
// they are as they were; nil writes all. The tasks of what is written must be here whole.
func (b *Board) pack(changed changes) record.Snapshot {
	s := record.Snapshot{Name: snapshotName, Form: Form, Seq: b.Seq, Hash: b.Hash, Parts: map[string][]byte{}}
	groups, rest := map[string][]*Task{}, 0
	var index []*Task
	for _, id := range slices.Sorted(maps.Keys(b.Tasks)) {
		t := b.Tasks[id]
		if !t.apart() {
			index = append(index, t)
			continue
		}
		rest++
		for _, part := range []string{marksOf(t), partOf(t)} {
			if changed == nil || changed[part] {
				groups[part] = append(groups[part], t)
			}
			s.Parts[part] = nil
		}
	}
	s.Parts[indexPart] = b.packIndex(index, rest)
	names := slices.Collect(maps.Keys(groups))
	bodies := make([][]byte, len(names))
	side(len(names), func(i int) {
		if tasks := groups[names[i]]; tasks[0].in(names[i]) == marksBelow {
			bodies[i] = packMarks(tasks)
		} else {
			bodies[i] = packTasks(tasks)
		}
	})
	for i, name := range names {
		s.Parts[name] = bodies[i]
	}
	return s
}

// in says what a part of a task holds.
func (t *Task) in(part string) string {
	if part == marksOf(t) {
		return marksBelow
	}
	return tasksBelow
}

func (b *Board) packIndex(tasks []*Task, apart int) []byte {
	var e encoder
	rest := *b
	rest.Tasks = nil
	e.value(reflect.ValueOf(rest))
	e.uint(uint64(apart))
	e.tasks(tasks)
	return e.bytes()
}

func packTasks(tasks []*Task) []byte {
	var e encoder
	e.tasks(tasks)
	return e.bytes()
}

func (e *encoder) tasks(tasks []*Task) {
	e.uint(uint64(len(tasks)))
	for _, t := range tasks {
		e.value(reflect.ValueOf(*t))
	}
}

// unpack reads index and marks: every task, of those that lie apart a mark alone.
func unpack(s record.Snapshot) (*Board, error) {
	d := newDecoder(string(s.Parts[indexPart]))
	b := &Board{}
	d.value(reflect.ValueOf(b).Elem())
	apart := int(d.uint())
	sections := [][]Task{d.tasks()}
	if err := d.done(); err != nil {
		return nil, err
	}
	if b.Seq != s.Seq || b.Hash != s.Hash {
		return nil, fmt.Errorf("it is of event %d, and is kept as of %d: %w", b.Seq, s.Seq, errForm)
	}
	names := below(s.Parts, marksBelow)
	marks := make([][]Task, len(names))
	faults := make([]error, len(names))
	side(len(names), func(i int) { marks[i], faults[i] = unpackMarks(s.Parts[names[i]]) })
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	for _, tasks := range marks {
		apart -= len(tasks)
	}
	if apart != 0 {
		return nil, fmt.Errorf("%d of its marks are missing: %w", apart, errForm)
	}
	b.take(append(sections, marks...))
	return b, nil
}

// take puts tasks on the board.
func (b *Board) take(sections [][]Task) {
	n := 0
	for _, tasks := range sections {
		n += len(tasks)
	}
	if n == 0 {
		return // as a board is that no task came to
	}
	b.Tasks = make(map[string]*Task, n)
	for _, tasks := range sections {
		for i := range tasks {
			b.Tasks[tasks[i].ID] = &tasks[i]
		}
	}
}

func unpackTasks(part []byte) ([]Task, error) {
	d := newDecoder(string(part))
	tasks := d.tasks()
	return tasks, d.done()
}

func (d *decoder) tasks() []Task {
	tasks := make([]Task, d.length(d.uint()))
	for i := range tasks {
		d.value(reflect.ValueOf(&tasks[i]).Elem())
	}
	return tasks
}

// below are the parts whose names begin so, in their order.
func below(parts map[string][]byte, prefix string) []string {
	var names []string
	for name := range parts {
		if len(name) > len(prefix) && name[:len(prefix)] == prefix {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// side does n things by all processors.
func side(n int, do func(i int)) {
	var group sync.WaitGroup
	next := make(chan int)
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
}
