package decide_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"torve/internal/decide"
	"torve/internal/lang"
	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/record/postgres/pgtest"
	"torve/internal/record/sqlite"
)

const bench record.Partition = "bench/decide"

// store opens an empty store of a kind.
func store(t *testing.T, kind string) decide.Store {
	t.Helper()
	if kind == "postgres" {
		st, _ := database(t)
		return st
	}
	log, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "bench.db"))
	return opened(t, log, err)
}

// database is an empty store in a server, and its dsn.
func database(t *testing.T) (decide.Store, string) {
	t.Helper()
	dsn := pgtest.Server(t).Database(t)
	if _, err := postgres.Migrate(t.Context(), dsn, postgres.Roles{}); err != nil {
		t.Fatal(err)
	}
	log, err := postgres.Open(t.Context(), dsn)
	return opened(t, log, err), dsn
}

func opened(t *testing.T, log record.Log, err error) decide.Store {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	return log.(decide.Store)
}

// living is a run of mode live.
func living(t *testing.T, s *server, st decide.Store, took time.Duration, who string, now int) decide.Options {
	o := at("live", who, now)
	o.Live, o.Store, o.At = s.live(t, took), st, bench
	o.Keep = func(record.Proposal) (string, error) { return "", errors.New("nothing was to be kept") }
	return o
}

func rowsOf(t *testing.T, s decide.Store) (rows []record.Proposal) {
	t.Helper()
	for row, err := range s.Proposals(t.Context(), bench, "") {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

func memoriesOf(t *testing.T, s decide.Store, who string) (rows []record.Memory) {
	t.Helper()
	for row, err := range s.Memories(t.Context(), bench, who) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// evening asks a model three times over one store, and once more what it was asked first.
func evening(t *testing.T, s *server, st decide.Store) string {
	t.Helper()
	var out strings.Builder
	for _, o := range []decide.Options{
		living(t, s, st, 4933*time.Millisecond, "Ander", 1400),
		with(living(t, s, st, 3500*time.Millisecond, "Mose", 1900), func(o *decide.Options) { o.Stale = 60 }),
		with(living(t, s, st, 6799600*time.Microsecond, "Halla", 2900), func(o *decide.Options) { o.NoSchema = true }),
		living(t, s, st, 4933*time.Millisecond, "Ander", 1400),
	} {
		said, err := run(t, o)
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		out.WriteString(strings.ReplaceAll(said, s.URL, "http://127.0.0.1:11434") + "\n")
	}
	return out.String()
}

func TestALiveRunKeepsTheSameRowsInBothStores(t *testing.T) {
	s := serve(t)
	type kept struct {
		said string
		rows []record.Proposal
		mem  []record.Memory
	}
	var all []kept
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) {
			st := store(t, kind)
			said := evening(t, s, st)
			golden(t, "live.txt", []byte(said))
			all = append(all, kept{said, rowsOf(t, st), memoriesOf(t, st, "")})
		})
	}
	if len(all) != 2 {
		t.Skipf("one store alone was asked")
	}
	if !reflect.DeepEqual(all[0], all[1]) {
		t.Errorf("the stores hold other rows:\n%+v\n%+v", all[0], all[1])
	}
}

func TestALiveRunSaysWhenItsAnswerLandsAndWhatTheLedgerHolds(t *testing.T) {
	st := store(t, "sqlite")
	said := evening(t, serve(t), st)
	for _, want := range []string{
		"  the call took 4.933s, 49 ticks at 10 a second (measured here; yours will differ), so the answer lands at tick 1449\n",
		"  the reading of the world at the boundary of tick 1449, handed to the last two checks\n    the actor    2 Ander on 8,5 carrying 155.5550 grams",
		"     4 go     to 9,5            1529  yes, yes ",
		"     2 wait   -                 1975  refused by freshness: asked at tick 1900,...      0     20  the habit; stood on ",
		"  40 intents posted at the boundary and 20 ticks ran the habit, over the plan's 60 ticks\n",
		"  the call took 6.8s, 67 ticks at 10 a second (measured here; yours will differ), so the answer lands at tick 2967\n" +
			"  the seam: refused by shape: lang: " + model + " answered with something that is not the shape asked for: invalid character 'T' looking for beginning of value\n\n" +
			"  the row appended as proposal 4, refused; memory rows before it ",
		"  Halla's current plan: none; no accepted plan in the ledger, so the habit runs\n",
		"  Mose's current plan, the newest accepted row of the plan kind: proposal 2, asked at tick 1900\n",
		"  " + model + " is the model resident now, answering on the processor, with no bytes on a graphics card\n  and not one number the models answered is on this page\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say\n%s", want)
		}
	}
	var kinds []string
	for _, r := range rowsOf(t, st) {
		kinds = append(kinds, r.Actor+" "+r.Kind+" "+r.Verdict+" "+r.Failed)
	}
	if got := strings.Join(kinds, ", "); got != "Ander plan accepted , Mose plan accepted , Mose step refused freshness, Halla plan refused shape, Ander plan accepted " {
		t.Errorf("the ledger holds %s", got)
	}
	if plan, step := rowsOf(t, st)[1], rowsOf(t, st)[2]; step.Tick != 1975 || step.Prompt != plan.Prompt || !bytes.Equal(step.Answer, plan.Answer) || *step.TokensIn != 374 || step.Digest != hash {
		t.Errorf("the step's row is %+v", step)
	}
}

// What somebody with SQL alone reads of the same evening.
func TestTheRowsAreReadWithSQL(t *testing.T) {
	st, dsn := database(t)
	evening(t, serve(t), st)
	c, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	for query, want := range map[string]string{
		"SELECT id, villager, tick, kind, verdict, coalesce(failed, ''), left(coalesce(reason, ''), 44) FROM proposal ORDER BY id": `[1 Ander 1400 plan accepted  ]
[2 Mose 1900 plan accepted  ]
[3 Mose 1975 step refused freshness asked at tick 1900, and it is tick 1975: 75 ]
[4 Halla 2900 plan refused shape lang: qwen2.5:0.5b-instruct-q4_K_M answered ]
[5 Ander 1400 plan accepted  ]
`,
		"SELECT id, tick, kind FROM proposal WHERE villager = 'Mose' AND kind = 'plan' AND verdict = 'accepted' ORDER BY id DESC LIMIT 1": "[2 1900 plan]\n",
		"SELECT partition, settings::text, tokens_in, grounding, length(answer) FROM proposal WHERE id = 1":                               "[bench/decide {\"limit\":256,\"context\":4096,\"temperature\":0,\"seed\":1402} 374 [1 2 3] 342]\n",
		"SELECT villager, count(*) FROM memory GROUP BY villager ORDER BY villager":                                                       "[Ander 5]\n[Halla 21]\n[Mose 8]\n",
	} {
		rows, err := c.Query(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for rows.Next() {
			values, err := rows.Values()
			if err != nil {
				t.Fatal(err)
			}
			got += fmt.Sprintln(values)
		}
		if rows.Err() != nil || got != want {
			t.Errorf("%s: %v\n%s", query, rows.Err(), got)
		}
	}
}

// A verdict is no memory: as many rows before each of them as after it.
func TestNoVerdictIsRemembered(t *testing.T) {
	said := evening(t, serve(t), store(t, "sqlite"))
	asked := 0
	for l := range strings.Lines(said) {
		if _, counts, is := strings.Cut(l, "; memory rows before it "); is {
			before, after, _ := strings.Cut(strings.TrimSpace(counts), ", after it ")
			if asked++; before != after || before == "0" {
				t.Errorf("%s", l)
			}
		}
	}
	if asked != 5 {
		t.Errorf("%d rows were appended, and not 5", asked)
	}
}

func TestWhatAVillagerRemembersIsGivenToTheTableOnce(t *testing.T) {
	s, st := serve(t), store(t, "sqlite")
	held := func(who string, now int) []record.Memory {
		t.Helper()
		if said, err := run(t, living(t, s, st, 0, who, now)); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		return memoriesOf(t, st, who)
	}
	first := held("Ander", 1400)
	later := held("Ander", 1900)
	earlier := held("Ander", 1400)
	if len(first) == 0 || len(later) <= len(first) || !reflect.DeepEqual(later[:len(first)], first) || !reflect.DeepEqual(earlier, later) {
		t.Errorf("%d rows, then %d, then %d", len(first), len(later), len(earlier))
	}
}

func TestAnotherLifeIsNotWrittenOver(t *testing.T) {
	s, st := serve(t), store(t, "sqlite")
	if err := st.Remember(t.Context(), bench, record.Memory{Villager: "Ander", Tick: 901, Register: record.Saw, Text: "a stranger came into sight"}); err != nil {
		t.Fatal(err)
	}
	_, err := run(t, living(t, s, st, 0, "Ander", 1400))
	if unfit, is := errors.AsType[*decide.Unfit](err); !is || !strings.Contains(err.Error(), `bench/decide holds another life of Ander: its row 1 is of tick 901, "a stranger came into sight"`) || unfit.Hint != "-partition bench/decide-2" {
		t.Errorf("it is %v", err)
	}
	if s.calls.Load() > 0 || len(rowsOf(t, st)) > 0 || len(memoriesOf(t, st, "")) != 1 {
		t.Error("and yet something was asked or written")
	}
}

func TestAnAnswerThatIsCutOffIsARefusedRowWithItsBytes(t *testing.T) {
	s, st := serve(t), store(t, "sqlite")
	s.hang.Store(true)
	said, err := run(t, living(t, s, st, 0, "Ander", 1400))
	if !errors.Is(err, lang.ErrCut) || !strings.HasSuffix(err.Error(), "; they are kept as a refused row") {
		t.Errorf("it is %v", err)
	}
	rows := rowsOf(t, st)
	if len(rows) != 1 {
		t.Fatalf("%d rows\n%s", len(rows), said)
	}
	r := rows[0]
	if string(r.Answer) != `{ "steps": [ { "reason": ` || r.Verdict != "refused" || r.Failed != "shape" || r.TokensIn != nil || r.TokensOut != nil || r.Model != model || r.Digest != hash {
		t.Errorf("the row is %+v", r)
	}
	if !strings.Contains(said, "unknown tokens in, unknown out, stopped because: cut off\n") || !strings.Contains(said, "  Ander's current plan: none; ") {
		t.Errorf("it prints\n%s", said)
	}
}

func TestAModelThatIsNotThereLeavesNoRow(t *testing.T) {
	s, st := serve(t), store(t, "sqlite")
	o := living(t, s, st, 0, "Ander", 1400)
	s.Close()
	if got, err := run(t, o); !errors.Is(err, lang.ErrNoServer) || got != "" {
		t.Errorf("it is %v, behind\n%s", err, got)
	}
	if len(rowsOf(t, st)) > 0 {
		t.Error("and yet a row is there")
	}
	for row, err := range st.Memories(t.Context(), bench, "") {
		t.Errorf("and yet a row of memory is there: %+v, %v", row, err)
	}
}

func TestTheDayIsRecordedFromAModelAndIsThenTheSameDay(t *testing.T) {
	s := serve(t)
	var written []byte
	o := decide.Options{Mode: "record", Recorded: recorded(t), Live: s.live(t, 5*time.Second)}
	o.Write = func(text []byte) error { written = text; return nil }
	said, err := run(t, o)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "record.txt", []byte(strings.ReplaceAll(said, s.URL, "http://127.0.0.1:11434")))
	day, err := lang.NewRecorded(written)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range day.Rows() {
		was := recorded(t).Rows()[i]
		if r.Villager != was.Villager || r.Tick != was.Tick || r.Schema != was.Schema || r.Prompt != was.Prompt || r.Answer != was.Answer || r.Model != model || r.Digest != hash || r.TokensOut != 133 {
			t.Errorf("row %d is %+v", i+1, r)
		}
	}
	again, err := run(t, with(ander("day"), func(o *decide.Options) { o.Recorded = day }))
	if err != nil || !strings.Contains(again, "  9 accepted, 6 refused: 6 by shape") || !strings.Contains(again, "; the words in the answers are the model's\n") {
		t.Errorf("%v\n%s", err, again)
	}
	o.Recorded = day
	if said, err = run(t, o); err != nil || !strings.HasSuffix(said, "  15 answers recorded, 0 of them other than before\n") {
		t.Errorf("%v\n%s", err, said)
	}
}

func TestADayThatIsCutOffIsNotRecorded(t *testing.T) {
	s := serve(t)
	s.hang.Store(true)
	o := decide.Options{Mode: "record", Recorded: recorded(t), Live: s.live(t, 0)}
	o.Write = func([]byte) error { t.Error("it was written"); return nil }
	if _, err := run(t, o); !errors.Is(err, lang.ErrCut) || !strings.Contains(err.Error(), "asking for Halla at tick 1400: ") {
		t.Errorf("it is %v", err)
	}
}

func TestHashesAreRewrittenOfAuthoredAnswersAlone(t *testing.T) {
	stale := changed(t, func(r *lang.Row) { r.Prompt = strings.Repeat("ab", 32) })
	rows, err := decide.Rehash(t.Context(), decide.Options{Recorded: stale})
	if err != nil || !bytes.Equal(lang.Write(rows), lang.Write(recorded(t).Rows())) {
		t.Errorf("%v", err)
	}
	models := changed(t, func(r *lang.Row) { r.Model = "qwen" })
	if _, err := decide.Rehash(t.Context(), decide.Options{Recorded: models}); err == nil || !strings.Contains(err.Error(), "the answer of Ander at tick 1900 is a model's") {
		t.Errorf("it is %v", err)
	}
}
