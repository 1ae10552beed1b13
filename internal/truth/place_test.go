package truth

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/git"
	"torve/internal/git/gittest"
	"torve/internal/record"
	"torve/internal/record/recordtest"
	"torve/internal/record/sqlite"
)

const partition = record.Partition("acme/shop")

// place is a repository with a record and a state folder.
type place struct {
	t      *testing.T
	repo   *gittest.Repo
	git    *git.Repo
	log    record.Log
	states string
	at     time.Time
	memory Memory // of all readings of this place
}

func newPlace(t *testing.T) *place {
	t.Helper()
	r := gittest.New(t)
	r.Write("README.md", "shop\n")
	r.Commit("Begin")
	p := &place{t: t, repo: r, states: filepath.Join(r.Dir, ".wt"), at: noon}
	repo, err := git.Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	p.git = repo
	return p
}

// opened gives the place an empty record.
func (p *place) opened() *place {
	p.t.Helper()
	log, err := sqlite.Open(p.t.Context(), filepath.Join(p.git.Common, "torve", "record.db"))
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		if p.log == nil {
			return // the test has closed it
		}
		if err := log.Check(context.WithoutCancel(p.t.Context()), partition); err != nil {
			p.t.Error(err)
		}
		log.Close()
	})
	p.log = log
	return p
}

func (p *place) sources() Sources {
	return Sources{Repo: p.git, Target: "main", Head: p.repo.Git("rev-parse", "main"), Log: p.log, Partition: partition, States: p.states, WorkTree: p.repo.Dir}
}

func (p *place) gather() *Reading {
	p.t.Helper()
	src := p.sources()
	r, err := Gather(p.t.Context(), src)
	if err != nil {
		p.t.Fatal(err)
	}
	src.Memory = &p.memory
	p.alike(src, r)
	return r
}

// alike asks that a reading with a memory, and one for a board alone, say what the reading
// without says.
func (p *place) alike(src Sources, want *Reading) {
	p.t.Helper()
	for n := range 4 {
		src.Brief, src.Marked = n&1 > 0, n&2 > 0
		got, err := Gather(p.t.Context(), src)
		if err != nil {
			p.t.Fatal(err)
		}
		for _, task := range want.Tasks() {
			g, w := got.Settled(task), want.Settled(task)
			if g.State() != w.State() || g.Carrier() != w.Carrier() || g.Because() != w.Because() && !src.Brief {
				p.t.Errorf("with a memory (brief %v) %s is %s by the %s: %s; without %s by the %s: %s",
					src.Brief, task, g.State(), g.Carrier(), g.Because(), w.State(), w.Carrier(), w.Because())
			}
			if !src.Brief && !reflect.DeepEqual(g.Overruled(), w.Overruled()) {
				p.t.Errorf("with a memory %s overrules %v, without %v", task, g.Overruled(), w.Overruled())
			}
		}
		if g, w := paths(got.Landings), paths(want.Landings); !slices.Equal(g, w) {
			p.t.Errorf("with a memory (brief %v) the landings are %v, without %v", src.Brief, g, w)
		}
		if src.Brief {
			continue
		}
		if err := got.ReadAll(p.t.Context()); err != nil {
			p.t.Fatal(err)
		}
		if !slices.Equal(got.Tasks(), want.Tasks()) || !reflect.DeepEqual(got.Board, want.Board) || !reflect.DeepEqual(got.Faults, want.Faults) ||
			!reflect.DeepEqual(got.Contracts, want.Contracts) || !reflect.DeepEqual(got.Drafts, want.Drafts) {
			p.t.Errorf("with a memory the reading is another:\n%+v\n%+v", got, want)
		}
	}
}

func paths(files []LandingFile) []string {
	var out []string
	for _, f := range files {
		out = append(out, f.Path+" "+f.Blob+" "+strings.Join(f.reverts, " "))
	}
	return out
}

func (p *place) settled(task string) Settled {
	p.t.Helper()
	return p.gather().Settled(task)
}

// want asks where a task stands and who says so.
func (p *place) want(task string, state board.State, by Carrier) Settled {
	p.t.Helper()
	s := p.settled(task)
	if s.State() != state || s.Carrier() != by {
		p.t.Errorf("%s is %q by the %q: %s; want %q by the %q", task, s.State(), s.Carrier(), s.Because(), state, by)
	}
	return s
}

func text(id string, more ...string) string {
	return fmt.Sprintf("schema: torve/contract/v1\nid: %s\ntitle: Answer 404\nscope: {allow: [\"%s/**\"]}\nacceptance: [\"true\"]\n%s", id, strings.ToLower(id), strings.Join(more, ""))
}

// ask commits a contract.
func (p *place) ask(id string, more ...string) string {
	p.repo.Write(contract.PathOf(id), text(id, more...))
	return p.repo.Commit("Ask for " + id)
}

// event appends one fact.
func (p *place) event(task string, attempt int, claim, by string, payload record.Payload) {
	p.t.Helper()
	p.at = p.at.Add(time.Minute)
	e, err := record.New(payload, p.at, record.Envelope{Task: task, Attempt: attempt, Claim: claim, Actor: record.Actor{Kind: by, ID: "you"}, Host: "here"})
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.log.Append(p.t.Context(), partition, record.Always(), e); err != nil {
		p.t.Fatal(err)
	}
}

// mint records the contract as it is committed on main.
func (p *place) mint(id string, rows ...record.Row) {
	p.t.Helper()
	path := contract.PathOf(id)
	c, err := contract.Parse(path, []byte(p.repo.Git("show", "main:"+path)+"\n"))
	if err != nil {
		p.t.Fatal(err)
	}
	p.event(id, 0, "", record.ByMint, record.Minted{Digest: c.Digest(), Contract: c.Canonical(), Owner: "you", Path: path,
		Blob: p.repo.Git("rev-parse", "main:"+path), Commit: p.repo.Git("rev-parse", "main"), Decisions: rows})
}

// try records an attempt whose work the gate accepts on arrival.
func (p *place) try(id string) {
	p.t.Helper()
	p.event(id, 0, "c1", record.ByDispatch, record.Claimed{Boot: "b", PID: 1, Start: "1", Worker: "w"})
	p.event(id, 1, "c1", record.ByAttempt, record.Started{Mode: "first", Agent: record.Agent{Adapter: "replay", Model: "m"}, Base: recordtest.Object("b"),
		Worktree: "/w", Walls: "none", Contract: recordtest.Digest("1"), Prompt: recordtest.Digest("2")})
	p.event(id, 1, "c1", record.ByAgent, record.Divergence{Decision: "S-0001/D-1", Grade: "OPEN", Claim: "named it", Evidence: "a.go:1", Action: "decided", Why: "w", Proposal: "p"})
	in, out, usd := int64(10), int64(2), 0.5
	p.event(id, 1, "c1", record.ByAttempt, record.Finished{End: "done", Seconds: new(61.0), Base: recordtest.Object("b"), Head: recordtest.Object("c"), Tree: recordtest.Object("d"),
		Ref: "refs/torve/attempts/" + id + "/1", Changes: 1, Lines: 2, Usage: record.Usage{TokensIn: &in, TokensOut: &out, USD: &usd, Source: "reported"},
		Agent: record.Agent{Adapter: "replay", Model: "m", Version: "2"}, Regime: recordtest.Digest("3"), Output: recordtest.Digest("4")})
	p.event(id, 1, "c1", record.ByAttempt, recordtest.Accepted("arrival"))
}

func (p *place) release(id, why string) {
	p.event(id, 0, "c1", record.ByDispatch, record.Released{Why: why})
}

// landingOf is a landing file of a task as the tree holds it.
func landingOf(id string, change ...func(*carrier.Landing)) carrier.Landing {
	l := carrier.Landing{Task: id, Title: "Answer 404", Attempt: 1, At: noon.Add(time.Hour), Target: "main", Commit: recordtest.Object("e"),
		Contract: recordtest.Digest("1"), Gate: &carrier.Gate{Asked: 6}, Spent: carrier.Spent{Source: "unknown"}}
	for _, f := range change {
		f(&l)
	}
	return l
}

// land commits a landing file and gives its path.
func (p *place) land(id string, change ...func(*carrier.Landing)) string {
	p.t.Helper()
	l := landingOf(id, change...)
	data, err := carrier.WriteLanding(l)
	if err != nil {
		p.t.Fatal(err)
	}
	path := carrier.LandingPath(l.Task, l.Spec, l.Attempt, l.At)
	p.repo.Write(path, string(data))
	p.repo.Commit("Land " + id)
	return path
}

// heard records a landing.
func (p *place) heard(id, path string, reverts ...string) {
	p.t.Helper()
	p.event(id, 1, "", record.ByLanding, record.Landed{Path: path, Target: "main", Commit: recordtest.Object("e"), Contract: recordtest.Digest("1"), Reverts: reverts})
}

// ran leaves a state file of a run on this host.
func (p *place) ran(id, state string) {
	p.t.Helper()
	if err := carrier.WriteState(p.states, carrier.State{Task: id, State: state, Attempt: 1, Run: "old"}); err != nil {
		p.t.Fatal(err)
	}
}

// v1 leaves the state file of a run from before there was a record.
func (p *place) v1() {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "v1-run", "T-0001.state.json"))
	if err != nil {
		p.t.Fatal(err)
	}
	p.repo.Write(".wt/.gitignore", "*\n")
	p.repo.Write(".wt/T-0001.state.json", string(data))
}
