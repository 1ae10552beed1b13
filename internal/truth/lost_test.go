package truth

import (
	"context"
	"errors"
	"testing"

	"torve/internal/record"
	"torve/internal/record/sqlite"
)

// away is a record of which what lies beside it cannot be asked for.
type away struct {
	*sqlite.Log
	err   error
	asked int
}

func (a *away) Kept(ctx context.Context, p record.Partition, name string, parts ...string) (record.Snapshot, error) {
	if a.err != nil && name == agreedName {
		a.asked++
		return record.Snapshot{}, a.err
	}
	return a.Log.Kept(ctx, p, name, parts...)
}

func TestAStoreThatIsLostWhileGatheringIsTold(t *testing.T) {
	for _, lost := range []error{record.ErrUnreachable, record.ErrRefused, record.ErrClosed, context.DeadlineExceeded} {
		p := newPlace(t).opened()
		p.ask("T-0001")
		p.mint("T-0001")
		log := &away{Log: p.log.(*sqlite.Log), err: lost}
		src := p.sources()
		src.Log, src.Memory = log, &p.memory
		if _, err := Gather(t.Context(), src); !errors.Is(err, lost) || log.asked != 1 {
			t.Errorf("%v: it was asked %d times, and the error is %v", lost, log.asked, err)
		}
		log.err = nil
		if _, err := Gather(t.Context(), src); err != nil {
			t.Errorf("once it is back: %v", err)
		}
	}
}

func TestWhatLiesBesideTheRecordAndDoesNotReadIsNotKnown(t *testing.T) {
	p := newPlace(t).opened()
	p.ask("T-0001")
	p.mint("T-0001")
	src := p.sources()
	src.Log = &away{Log: p.log.(*sqlite.Log), err: record.ErrDamaged}
	if r, err := Gather(t.Context(), src); err != nil || r.Board.Tasks["T-0001"] == nil {
		t.Error(err)
	}
}
