package dispatch

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/git"
	"torve/internal/git/gittest"
	"torve/internal/record"
	"torve/internal/record/sqlite"
	"torve/internal/truth"
)

const (
	part record.Partition = "acme/shop"
	here                  = "build-7"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// turn is how one attempt, one further question or one landing goes; the zero turn is
// accepted, or landed.
type turn struct {
	end       string // "" is done
	check     string // that refuses, with reason
	reason    string
	paths     []string // that scope alone refuses
	conflicts []string
	usd       float64 // 0: unknown
	source    string  // of usd; "" is reported
	until     time.Time
	red, mend string // the base
	own       bool
	err       error
	boom      bool // the hand panics
	blocked   string
	escalate  string
	lost      bool // the claim is lost meanwhile
	unkept    bool
	broke     bool   // acceptance changed what is not the attempt's own
	escalates string // of halted
	do        func() // while it runs
	stopped   bool   // it runs until a person stops it
}

// field is a scratch repository and record, and hands that write into them what the
// stations would write, as the script says.
type field struct {
	*testing.T
	user *gittest.Repo
	repo *git.Repo
	log  record.Log
	ctx  context.Context

	mu     sync.Mutex
	script map[string][]turn // attempts by task, in order; past it the zero turn
	again  map[string][]turn
	due    map[string][]turn
	jobs   []Job
	did    []string // attempt T-0001 first, again T-0001, land T-0001
	notes  []Note
	clock  time.Time
	live   map[string]int // how many attempts of a task run now, which is never above one
	most   int            // attempts side by side, at most
	now    int
}

func newField(t *testing.T) *field {
	t.Helper()
	f := &field{T: t, user: gittest.New(t), ctx: context.Background(), clock: noon,
		script: map[string][]turn{}, again: map[string][]turn{}, due: map[string][]turn{}, live: map[string]int{}}
	f.user.Write("a.txt", "one\n")
	f.user.Commit("Begin")
	f.user.Git("checkout", "-q", "--detach")
	var err error
	f.repo, err = git.Open(f.ctx, f.user.Dir)
	f.must(err)
	t.Cleanup(func() { _ = f.repo.Close() })
	f.log = f.open()
	t.Cleanup(func() {
		if err := f.log.Check(context.Background(), part); err != nil {
			t.Errorf("the record is not sound: %v", err)
		}
	})
	return f
}

// open is one more handle on the record, as another process would have.
func (f *field) open() record.Log {
	f.Helper()
	return f.openAt("record.db")
}

func (f *field) openAt(name string) record.Log {
	f.Helper()
	log, err := sqlite.Open(f.ctx, filepath.Join(f.repo.Common, "torve", name))
	f.must(err)
	f.Cleanup(func() { _ = log.Close() })
	return log
}

// station is a dispatch with hands of its own over this repository.
func (f *field) station(o Options) *Station {
	f.Helper()
	return f.stationOver(f.log, o)
}

func (f *field) stationOver(log record.Log, o Options) *Station {
	h := &scripted{f, log}
	if o.Backoff == nil {
		o.Backoff = []time.Duration{}
	}
	o.Default, o.Poll = cmp.Or(o.Default, "command"), cmp.Or(o.Poll, 10*time.Millisecond)
	return &Station{
		Repo: f.repo, Log: log, Partition: part, Host: here, By: "test",
		Self: record.Claimed{Boot: "boot-1", PID: 4711, Start: "99"},
		Now:  f.tick,
		Gather: func(ctx context.Context) (*truth.Reading, error) {
			head, err := f.repo.Resolve(ctx, "refs/heads/main")
			if err != nil {
				return nil, err
			}
			return truth.Gather(ctx, truth.Sources{Repo: f.repo, Target: "main", Head: head, Log: log, Partition: part})
		},
		Hands:   Hands{Attempt: h.attempt, Again: h.asked, Land: h.land},
		Options: o,
		Note: func(n Note) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.notes = append(f.notes, n)
		},
	}
}

func (f *field) tick() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clock = f.clock.Add(time.Second)
	return f.clock
}

// at puts the clock on the wall to a time.
func (f *field) at(t time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clock = t
}

func (f *field) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// run dispatches and wants no error.
func (f *field) run(o Options) Report {
	f.Helper()
	r, err := f.station(o).Run(f.ctx)
	f.must(err)
	return r
}

func (f *field) append(task, claim string, attempt int, actor string, p record.Payload) {
	f.Helper()
	e, err := record.New(p, f.tick(), record.Envelope{Task: task, Claim: claim, Attempt: attempt, Host: here, Actor: record.Actor{Kind: actor, ID: "test"}})
	f.must(err)
	_, err = f.log.Append(f.ctx, part, record.Always(), e)
	f.must(err)
}

// mint puts a task on the board; edits change its contract. Its scope is its own folder.
func (f *field) mint(id string, edits ...func(*contract.Contract)) {
	f.Helper()
	c := f.asks(id, edits...)
	f.append(id, "", 0, record.ByMint, record.Minted{
		Digest: c.Digest(), Contract: c.Canonical(), Owner: "ada@example.com", Path: contract.PathOf(id), Commit: f.head(),
		Decisions: []record.Row{{ID: "S-0001/D-1", Grade: "LOCKED", Text: "stays", Paths: []string{"x/**"}}},
	})
}

// asks is a task's contract.
func (f *field) asks(id string, edits ...func(*contract.Contract)) contract.Contract {
	c := contract.Default()
	c.ID, c.Title, c.Scope.Allow = id, "Change "+id, []string{id + "/**"}
	for _, edit := range edits {
		edit(&c)
	}
	return c
}

func after1(ids ...string) func(*contract.Contract) {
	return func(c *contract.Contract) { c.DependsOn = ids }
}

func (f *field) head() string { f.Helper(); return f.user.Git("rev-parse", "refs/heads/main") }

func (f *field) board() *board.Board {
	f.Helper()
	b, err := board.Fold(f.log.Read(f.ctx, part, 1))
	f.must(err)
	return b
}

func (f *field) task(id string) *board.Task { f.Helper(); return f.board().Tasks[id] }

// wants compares what the hands were asked to do.
func (f *field) wants(did ...string) {
	f.Helper()
	if !slices.Equal(f.did, did) {
		f.Errorf("the hands did\n  %s\nand wanted is\n  %s", strings.Join(f.did, "\n  "), strings.Join(did, "\n  "))
	}
}

// outcome is one task's outcome in a report.
func (f *field) outcome(r Report, id string) Outcome {
	f.Helper()
	i := slices.IndexFunc(r.Outcomes, func(o Outcome) bool { return o.ID == id })
	if i < 0 {
		f.Fatalf("no outcome of %s in %+v", id, r.Outcomes)
	}
	return r.Outcomes[i]
}

func (f *field) noted(kind string) []Note {
	return slices.DeleteFunc(slices.Clone(f.notes), func(n Note) bool { return n.Kind != kind })
}
