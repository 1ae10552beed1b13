package carrier

import (
	"fmt"
	"io"
	"slices"

	"torve/internal/strictyaml"
)

// AppendFinding adds one row in one write. A row that would not read back is refused.
func AppendFinding(file string, f Finding) error {
	f.Schema, f.At = FindingsSchema, second(f.At)
	if err := f.whole(); err != nil {
		return err
	}
	return appendLine(file, "the findings", f)
}

// Findings are the rows of a ledger, put together by id.
type Findings struct {
	Found []Found // in the order in which they were opened
	Rows  int     // that read
}

// Find gives a finding by its id.
func (l Findings) Find(id string) (Found, bool) {
	i := slices.IndexFunc(l.Found, func(f Found) bool { return f.ID == id })
	if i < 0 {
		return Found{}, false
	}
	return l.Found[i], true
}

// ReadFindings reads every row, and names each line that does not read or that closes
// what no line above it opens. A file that is not there holds none.
func ReadFindings(file string) (Findings, []*strictyaml.Error, error) {
	var l Findings
	faults, err := readLines(file, "the findings", l.take(file))
	return l, faults, err
}

// DecodeFindings is ReadFindings over a stream; file is its name in faults.
func DecodeFindings(file string, in io.Reader) (Findings, []*strictyaml.Error, error) {
	var l Findings
	faults, err := eachLine(in, l.take(file))
	return l, faults, err
}

func (l *Findings) take(file string) func([]byte) *strictyaml.Error {
	at := map[string]int{} // by id
	return func(line []byte) *strictyaml.Error {
		var f Finding
		if err := decodeLine(file, line, FindingsSchema, &f); err != nil {
			return wrong(file, err)
		}
		if err := l.add(at, f); err != nil {
			return wrong(file, err)
		}
		l.Rows++
		return nil
	}
}

// add takes one row: the first of an id opens it, each later one says how it stands.
func (l *Findings) add(at map[string]int, f Finding) error {
	i, known := at[f.ID]
	switch {
	case !known && f.State != FindingOpen:
		return fmt.Errorf("it says that %s is %s, and no line above opens it", f.ID, f.State)
	case !known:
		at[f.ID] = len(l.Found)
		l.Found = append(l.Found, Found{Finding: f})
		return nil
	case f.Task != l.Found[i].Task:
		return fmt.Errorf("it says that %s is of %s, and it was opened for %s", f.ID, f.Task, l.Found[i].Task)
	case f.State == FindingOpen && !f.same(l.Found[i].Finding):
		return fmt.Errorf("%s is the id of another finding above", f.ID)
	}
	was := &l.Found[i]
	was.State, was.Why, was.ClosedAt, was.ClosedBy = f.State, f.Why, f.At, f.By
	if f.State == FindingOpen {
		*was = Found{Finding: f}
	}
	return nil
}
