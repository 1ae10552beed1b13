package decide_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"torve/internal/decide"
	"torve/internal/lang"
	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/record/postgres/pgtest"
	"torve/internal/record/sqlite"
)

// away is a store that is not there any more when a row is to be appended.
type away struct{ decide.Store }

func (away) Propose(context.Context, record.Partition, ...record.Proposal) (int64, error) {
	return 0, record.ErrUnreachable
}

func TestARowThatTheStoreDoesNotTakeIsKept(t *testing.T) {
	s, st := serve(t), store(t, "sqlite")
	o := living(t, s, away{st}, 0, "Ander", 1400)
	var kept []record.Proposal
	o.Keep = func(r record.Proposal) (string, error) { kept = append(kept, r); return "here.json", nil }
	said, err := run(t, o)
	if !errors.Is(err, record.ErrUnreachable) || !strings.Contains(err.Error(), "appending the row of Ander at tick 1400: ") {
		t.Errorf("it is %v", err)
	}
	if len(kept) != 1 || len(kept[0].Answer) != 342 || kept[0].Verdict != "accepted" {
		t.Errorf("kept is %+v", kept)
	}
	if !strings.HasSuffix(said, "  the ledger is not known to hold the row; it is kept, with the answer's 342 bytes, in here.json\n") {
		t.Errorf("it prints\n%s", said)
	}
	o.Keep = func(record.Proposal) (string, error) { return "", errors.New("no space left") }
	if _, err := run(t, o); !errors.Is(err, record.ErrUnreachable) || !strings.HasSuffix(err.Error(), "; and the row, with the answer's 342 bytes, is not kept: no space left") {
		t.Errorf("with no place to keep it, it is %v", err)
	}
}

// after is a model that something happens behind once it has answered.
type after struct {
	slow
	then func()
}

func (m after) Answer(ctx context.Context, q lang.Question) (lang.Answer, error) {
	a, err := m.slow.Answer(ctx, q)
	m.then()
	return a, err
}

// The server is killed between the question and the row, and does not come back while
// somebody waits. There is one row, and it is the file's.
func TestADatabaseThatIsKilledUnderTheQuestionLeavesNothingHalfWritten(t *testing.T) {
	cluster := pgtest.Own(t)
	dsn := cluster.Database(t)
	if _, err := postgres.Migrate(t.Context(), dsn, postgres.Roles{}); err != nil {
		t.Fatal(err)
	}
	log, err := postgres.Open(t.Context(), dsn)
	st := opened(t, log, err)
	ctx, enough := context.WithCancel(t.Context())
	defer enough()
	s := serve(t)
	o := living(t, s, st, 0, "Ander", 1400)
	o.Recorded = recorded(t)
	o.Live = after{s.live(t, 0), func() { cluster.Kill(t); time.AfterFunc(200*time.Millisecond, enough) }}
	var kept []record.Proposal
	o.Keep = func(r record.Proposal) (string, error) { kept = append(kept, r); return "here.json", nil }
	var out bytes.Buffer
	err = decide.Run(ctx, &out, o)
	if !errors.Is(err, record.ErrUnreachable) || !strings.HasPrefix(err.Error(), "counting the memory before the row of Ander at tick 1400: ") {
		t.Errorf("it is %v", err)
	}
	if len(kept) != 1 || kept[0].Verdict != "accepted" || string(kept[0].Answer) != answerOf(t, "Ander", 1400) {
		t.Errorf("kept is %+v", kept)
	}
	if !strings.HasSuffix(out.String(), "; it is kept, with the answer's 342 bytes, in here.json\n") {
		t.Errorf("it prints\n%s", out.String())
	}
	cluster.Restart(t)
	if rows, mem := rowsOf(t, st), memoriesOf(t, st, ""); len(rows) > 0 || len(mem) != 5 {
		t.Errorf("the store holds %+v, and remembers %+v", rows, mem)
	}
}

// answerOf is what the day that ships has a villager answer.
func answerOf(t *testing.T, who string, tick int) string {
	t.Helper()
	for _, r := range recorded(t).Rows() {
		if r.Villager == who && r.Tick == tick && r.Schema {
			return r.Answer
		}
	}
	t.Fatalf("no answer of %s at tick %d is recorded", who, tick)
	return ""
}

// leaving is a store that goes away as soon as it has a row.
type leaving struct {
	decide.Store
	gone *bool
}

func (s leaving) Propose(ctx context.Context, p record.Partition, rows ...record.Proposal) (int64, error) {
	id, err := s.Store.Propose(ctx, p, rows...)
	*s.gone = true
	return id, err
}

func (s leaving) Memories(ctx context.Context, p record.Partition, who string) iter.Seq2[record.Memory, error] {
	if *s.gone {
		return func(yield func(record.Memory, error) bool) { yield(record.Memory{}, record.ErrUnreachable) }
	}
	return s.Store.Memories(ctx, p, who)
}

func TestAStoreThatGoesAwayBehindARowIsSaidToHoldIt(t *testing.T) {
	st := store(t, "sqlite")
	said, err := run(t, living(t, serve(t), leaving{st, new(bool)}, 0, "Ander", 1400))
	if !errors.Is(err, record.ErrUnreachable) || !strings.HasPrefix(err.Error(), "the row is appended as proposal 1; counting the memory after it: ") {
		t.Errorf("it is %v\n%s", err, said)
	}
	if len(rowsOf(t, st)) != 1 {
		t.Error("and yet it does not")
	}
}

func TestAStoreThatCannotBeWrittenIsKnownBeforeTheModelIsAsked(t *testing.T) {
	file, s := filepath.Join(t.TempDir(), "bench.db"), serve(t)
	log, err := sqlite.Open(t.Context(), file)
	opened(t, log, err)
	read, err := sqlite.OpenRead(t.Context(), file)
	if _, err := run(t, living(t, s, opened(t, read, err), 0, "Ander", 1400)); !errors.Is(err, record.ErrReadOnly) {
		t.Errorf("it is %v", err)
	}
	if s.calls.Load() > 0 {
		t.Error("and yet the model was asked")
	}
}
