package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/record"
	"torve/internal/truth"
)

// askTelemetry asks, for each attempt that the record holds and this checkout ran, that
// the file has the very row that truth renders of it. Rows that the record does not hold
// are counted and stay.
func (i *inquiry) askTelemetry(context.Context) (int, error) {
	if i.Telemetry == "" {
		return 0, nil
	}
	ledger, err := readLedger(i.Telemetry)
	if err != nil {
		return 0, err
	}
	of := 0
	i.attempts(func(t *board.Task, a *board.Attempt) {
		want, ended := truth.RowOf(t.ID, *a)
		rows := ledger.rows[attemptID{t.ID, a.N}]
		i.report.Counts.Held += len(rows)
		if !ended || t.Claim != nil {
			return // it is still being written
		}
		ours := a.Started.Worktree != "" && filepath.Dir(a.Started.Worktree) == filepath.Clean(i.Root)
		if record.Shared(i.Log) {
			ours = i.ours(a)
		}
		if !ours && len(rows) == 0 {
			return
		}
		of++
		i.rowsOf(t, a, want, rows, ledger)
	})
	i.report.Counts.Rows = ledger.count
	i.lines(ledger)
	if n := ledger.count - i.report.Counts.Held; n > 0 {
		i.note("%d rows of telemetry, %d of them in this record", ledger.count, i.report.Counts.Held)
	}
	return of, nil
}

// rowsOf compares the rows of one attempt. A row that was written before the gate was
// asked is an earlier word of the same, as long as the last word is there too.
func (i *inquiry) rowsOf(t *board.Task, a *board.Attempt, want carrier.Row, rows []line, l *ledger) {
	last := encoded(want)
	early := *a
	early.Judged = nil
	before, _ := truth.RowOf(t.ID, early)
	there, wrong := false, false
	for _, r := range rows {
		switch text := encoded(r.row); {
		case bytes.Equal(text, last):
			there = true
		case bytes.Equal(text, encoded(before)):
		default:
			wrong = true
			i.differ("edited", t.ID, "%s: the row of attempt %d is not the one that the record renders", r.place(i.Telemetry), a.N).
				by("take that line out by hand; the row of the record is then appended by " + repairs)
		}
	}
	if there || wrong || a.Finished.End == "done" && len(a.Judged) == 0 {
		return
	}
	l.explained = append(l.explained, last)
	i.differ("missing", t.ID, "attempt %d has no row in %s", a.N, filepath.Base(i.Telemetry)).
		mends(func(context.Context, Hands) (string, error) {
			return fmt.Sprintf("appended the row of attempt %d of %s", a.N, t.ID), carrier.AppendRow(i.Telemetry, want)
		})
}

// lines names the lines that do not read. What is the beginning of a row that stands
// whole elsewhere was torn off by a crash, and nothing is lost.
func (i *inquiry) lines(l *ledger) {
	for _, bad := range l.bad {
		switch torn := l.whole(bad.text); {
		case torn && bad.ended:
			i.note("%s was torn by a crash; its row stands whole elsewhere", bad.place(i.Telemetry))
		case torn || l.beginsMissing(bad.text):
			i.differ("torn", bad.subject(), "%s ends in the middle of a row", bad.place(i.Telemetry)).
				mends(func(context.Context, Hands) (string, error) {
					return "closed the torn line " + bad.place(i.Telemetry), closeLine(i.Telemetry)
				})
		default:
			i.differ("line", bad.subject(), "%v", bad.err).by("mend or take out that line by hand")
		}
	}
}

// ledger is the file of telemetry, line by line.
type ledger struct {
	rows      map[attemptID][]line
	bad       []line
	texts     [][]byte // the lines that read
	explained [][]byte // rows that are missing and will be appended
	count     int
}

type line struct {
	n     int
	row   carrier.Row
	text  []byte
	ended bool // it has a line end
	err   error
}

func (l line) subject() string { return fmt.Sprintf("line %d", l.n) }

func (l line) place(file string) string {
	return fmt.Sprintf(".torve/%s:%d", filepath.Base(file), l.n)
}

func readLedger(file string) (*ledger, error) {
	l := &ledger{rows: map[attemptID][]line{}}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading telemetry: %w", err)
	}
	for n := 1; len(data) > 0; n++ {
		text, rest, ended := bytes.Cut(data, []byte("\n"))
		data = rest
		if err := l.add(file, line{n: n, text: text, ended: ended}); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l *ledger) add(file string, at line) error {
	rows, faults, err := carrier.DecodeRows(file, bytes.NewReader(at.text))
	switch {
	case err != nil:
		return err
	case len(faults) > 0:
		faults[0].Line, faults[0].File = at.n, ".torve/"+filepath.Base(file)
		at.err = faults[0]
		l.bad = append(l.bad, at)
	case len(rows) > 0:
		at.row = rows[0]
		id := attemptID{at.row.Task, at.row.Attempt}
		l.rows[id] = append(l.rows[id], at)
		l.texts = append(l.texts, at.text)
		l.count++
	}
	return nil
}

// whole reports whether a line begins one that stands whole in the file.
func (l *ledger) whole(text []byte) bool { return begins(text, l.texts) }

// beginsMissing reports whether a line begins a row that will be appended.
func (l *ledger) beginsMissing(text []byte) bool { return begins(text, l.explained) }

func begins(text []byte, of [][]byte) bool {
	for _, whole := range of {
		if len(text) < len(whole) && bytes.HasPrefix(whole, text) {
			return true
		}
	}
	return false
}

// encoded is a row in its one form.
func encoded(r carrier.Row) []byte {
	data, err := carrier.EncodeRow(r)
	if err != nil {
		return nil
	}
	return bytes.TrimSuffix(data, []byte("\n"))
}

// closeLine ends the last line of the file where it has no end.
func closeLine(file string) (err error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], info.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = f.WriteString("\n")
	return err
}
