package record

import (
	"bytes"
	"fmt"
	"iter"
	"math"
	"slices"
)

// Table is rows of a partition as its store holds them, by their ids.
type Table[Row numbered] struct {
	// After gives some of the rows whose ids are greater, in their order; none at the end.
	After func(id int64) ([]Row, error)
	// Newest is the last row's id, 0 where there is none, asked before the first event is
	// read: a later row may come with an event that is not read any more. It is for Check.
	Newest int64
}

type numbered interface{ number() int64 }

func (p Proposal) number() int64 { return p.ID }
func (m Memory) number() int64   { return m.ID }

// Rows yields them all, a page at a time.
func (t Table[Row]) Rows() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		var none Row
		for last := int64(math.MinInt64); ; {
			page, err := t.After(last)
			if err != nil {
				yield(none, err)
			}
			if err != nil || len(page) == 0 {
				return
			}
			for _, row := range page {
				if last = row.number(); !yield(row, nil) {
					return
				}
			}
		}
	}
}

// Beside is what a partition has beside its events, for Check.
type Beside struct {
	Ledger Table[Proposal]
	Memory Table[Memory]
}

// bench asks R7 of a partition without events: rows that no event carries are numbered from
// 1 without a gap, and each of them is whole.
func (b Beside) bench() error {
	if err := dense("proposal", b.Ledger, Proposal.validate); err != nil {
		return err
	}
	return dense("memory", b.Memory, Memory.validate)
}

func dense[Row numbered](table string, rows Table[Row], whole func(Row) error) error {
	last := int64(0)
	for row, err := range rows.Rows() {
		if err != nil {
			return err
		}
		if row.number() != last+1 {
			return &Broken{"R7", 0, fmt.Sprintf("row %d of the table %s follows row %d", row.number(), table, last)}
		}
		if err := whole(row); err != nil {
			return &Broken{"R7", 0, fmt.Sprintf("row %d of the table %s is not whole: %v", row.number(), table, err)}
		}
		last++
	}
	return nil
}

// forgets asks of a partition with events that it has no memory: no event tells of one.
func (b Beside) forgets() error {
	for row, err := range b.Memory.Rows() {
		if err != nil {
			return err
		}
		return &Broken{"R7", 0, fmt.Sprintf("row %d of the table memory stands in a partition that has events", row.ID)}
	}
	return nil
}

// audited walks the ledger beside the events, and asks R7: the table is exactly what the
// partition's events carry.
type audited struct {
	table   *Table[Proposal]
	page    []Proposal
	read    int64 // the last id that was taken from the table
	carried int64 // how many rows the events have carried
}

func auditing(t *Table[Proposal]) audited { return audited{table: t, read: math.MinInt64} }

// next is the ledger's next row; nil at its end.
func (l *audited) next() (*Proposal, error) {
	if len(l.page) == 0 {
		page, err := l.table.After(l.read)
		if err != nil || len(page) == 0 {
			return nil, err
		}
		l.page = page
	}
	row := &l.page[0]
	l.page, l.read = l.page[1:], row.ID
	return row, nil
}

// ask finds the row that an event carries in the ledger, at its place.
func (l *audited) ask(seq Seq, p Payload) error {
	j, is := p.(Judged)
	if l.table == nil || !is || j.Row == nil {
		return nil
	}
	l.carried++
	row, err := l.next()
	broken := func(format string, args ...any) error {
		return &Broken{"R7", seq, fmt.Sprintf(format, args...)}
	}
	switch {
	case err != nil:
		return err
	case row != nil && row.ID < l.carried:
		return &Broken{"R7", 0, extra(row.ID)}
	case row == nil || row.ID > l.carried:
		return broken("it carries row %d of the table proposal, which is not there", l.carried)
	}
	if column := differs(*row, *j.Row); column != "" {
		return broken("row %d of the table proposal has another %s than it carries", row.ID, column)
	}
	return nil
}

// end asks that nothing is left, once all events of a partition that has some were read.
func (l *audited) end() error {
	if l.table == nil {
		return nil
	}
	row, err := l.next()
	if err == nil && row != nil && row.ID <= l.table.Newest {
		return &Broken{"R7", 0, extra(row.ID)}
	}
	return err
}

func extra(id int64) string {
	return fmt.Sprintf("row %d of the table proposal is carried by no event", id)
}

// differs names the first column in which two rows differ, "" when they say the same.
func differs(a, b Proposal) string {
	for _, column := range []struct {
		name string
		same bool
	}{
		{"villager", a.Actor == b.Actor},
		{"tick", a.Tick == b.Tick},
		{"kind", a.Kind == b.Kind},
		{"model", a.Model == b.Model},
		{"digest", a.Digest == b.Digest},
		{"settings", bytes.Equal(a.Settings, b.Settings)},
		{"prompt_sha256", a.Prompt == b.Prompt},
		{"tokens_in", sameFigure(a.TokensIn, b.TokensIn)},
		{"tokens_out", sameFigure(a.TokensOut, b.TokensOut)},
		{"grounding", slices.Equal(a.Grounding, b.Grounding)},
		{"answer", bytes.Equal(a.Answer, b.Answer)},
		{"verdict", a.Verdict == b.Verdict},
		{"failed", a.Failed == b.Failed},
		{"reason", a.Reason == b.Reason},
	} {
		if !column.same {
			return column.name
		}
	}
	return ""
}

func sameFigure(a, b *int64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
