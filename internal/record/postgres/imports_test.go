package postgres_test

import (
	"errors"
	"fmt"
	"testing"

	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/record/postgres/pgtest"
	"torve/internal/record/recordtest"
)

// A connection is cut after every so many bytes of an import, on the way there and on the way
// back: the events are there where it says so, and where it does not there is none, also when
// it was committed and the answer was lost.
func TestAnImportThatIsCutAnywhereIsThereOrNot(t *testing.T) {
	dsn := fresh(t)
	by, p := through(t, dsn)
	l := plainly(t, by).(*postgres.Log)
	const many = 12
	done, not := 0, 0
	for step, down := range map[int]bool{611: false, 41: true} {
		for bytes, whole := 0, false; !whole; bytes += step {
			as := record.Partition(fmt.Sprint(bytes, down))
			p.cutAfter(bytes, down)
			last, err := l.Import(t.Context(), as, recordtest.Stream(t, many))
			if whole = !p.isCut(); whole {
				p.cutAfter(-1, down)
			}
			there := 0
			for _, err := range l.Read(t.Context(), as, 1) {
				if err != nil {
					t.Fatal(err)
				}
				there++
			}
			switch {
			case err == nil && last == many && there == many:
				done++
			case errors.Is(err, record.ErrUnreachable) && there == 0:
				not++
				if _, err := l.Import(t.Context(), as, recordtest.Stream(t, many)); err != nil {
					t.Errorf("once more, cut after %d bytes: %v", bytes, err)
				}
			default:
				t.Errorf("cut after %d bytes (down: %v): %d events are there, and it says %d, %v", bytes, down, there, last, err)
			}
			if err := l.Check(t.Context(), as); err != nil {
				t.Error(err)
			}
		}
	}
	if done < 3 || not < 10 { // the two that were not cut, and one whose answer was lost
		t.Errorf("%d were done and %d were not", done, not)
	}
}

func TestAnImportWhoseServerIsKilledLeavesNothing(t *testing.T) {
	c := pgtest.Own(t)
	dsn := c.Database(t)
	if _, err := postgres.Migrate(t.Context(), dsn, postgres.Roles{}); err != nil {
		t.Fatal(err)
	}
	l := plainly(t, dsn).(*postgres.Log)
	_, err := l.Import(t.Context(), part, func(yield func(record.Event, error) bool) {
		for e, err := range recordtest.Stream(t, 3000) {
			if e.Seq == 2500 {
				c.Kill(t)
			}
			if !yield(e, err) {
				return
			}
		}
	})
	if !errors.Is(err, record.ErrUnreachable) {
		t.Errorf("it says %v", err)
	}
	c.Restart(t)
	if n := len(events(t, l)); n != 0 {
		t.Fatalf("%d events are there", n)
	}
	if last, err := l.Import(t.Context(), part, recordtest.Stream(t, 3000)); err != nil || last != 3000 {
		t.Errorf("once more: %d, %v", last, err)
	}
	if err := l.Check(t.Context(), part); err != nil {
		t.Error(err)
	}
}

// BenchmarkImport fills a partition; its figure is one event.
func BenchmarkImport(b *testing.B) {
	l := plainly(b, fresh(b)).(*postgres.Log)
	if last, err := l.Import(b.Context(), part, recordtest.Stream(b, b.N)); err != nil || int(last) != b.N {
		b.Fatal(last, err)
	}
}

func TestAWriterMayImportAndAReaderMayNot(t *testing.T) {
	writer, reader := roles(t, fresh(t))
	if last, err := plainly(t, writer).(*postgres.Log).Import(t.Context(), part, recordtest.Stream(t, 3)); err != nil || last != 3 {
		t.Errorf("the writer: %d, %v", last, err)
	}
	_, err := plainly(t, reader).(*postgres.Log).Import(t.Context(), "other", recordtest.Stream(t, 3))
	if !errors.Is(err, record.ErrRefused) {
		t.Errorf("the reader: %v", err)
	}
}
