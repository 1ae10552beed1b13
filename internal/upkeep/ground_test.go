package upkeep

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"torve/internal/git"
	"torve/internal/git/gittest"
	"torve/internal/process"
	"torve/internal/record"
	"torve/internal/record/recordtest"
	"torve/internal/record/sqlite"
	"torve/internal/truth"
)

const part record.Partition = "acme/shop"

// ground is a repository with a record of one task, and the rooms that a test makes.
type ground struct {
	*gittest.Repo
	t    *testing.T
	home Home
	log  record.Log
	away []string // rooms that were put away
	says string   // why rooms stay
}

func newGround(t *testing.T) *ground {
	t.Helper()
	g := &ground{Repo: gittest.New(t), t: t}
	g.Write("a", "a\n")
	g.Commit("One")
	repo, err := git.Open(t.Context(), g.Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	outside := t.TempDir()
	g.home = Home{
		Repo: repo, Host: "here", Now: time.Now(), Target: "main", Ref: "refs/heads/main", Own: true,
		States: filepath.Join(g.Dir, ".wt"), Record: filepath.Join(repo.Common, "torve", "record.db"),
		Root: filepath.Join(outside, "rooms"), Caches: filepath.Join(outside, "caches"), Temp: filepath.Join(outside, "tmp"),
		Hands: Hands{
			Rooms: func() ([]Room, error) { return g.rooms(), nil },
			Stays: func(context.Context, Room, bool) string { return g.says },
			PutAway: func(ctx context.Context, r Room, free func() bool) string {
				if !free() {
					return "somebody has it"
				}
				g.away = append(g.away, r.Name())
				if err := repo.RemoveWorktree(ctx, g.home.Root, r.Dir); err != nil {
					return err.Error()
				}
				return ""
			},
			Strip: func(_ Room, free func() bool) string {
				if !free() {
					return "somebody has it"
				}
				return ""
			},
			Ignored: func(ctx context.Context, r Room) (loose, made []string, err error) {
				loose, err = repo.Ignored(ctx, r.Dir)
				return loose, nil, err
			},
			Save: func(ctx context.Context, r Room) (string, error) {
				ref := "refs/torve/attempts/" + r.Task + "/1"
				g.Git("update-ref", ref, g.Git("rev-parse", "HEAD"))
				return ref, nil
			},
		},
	}
	return g
}

// rooms are those that stand, all of T-0001 and cut under the claim C-1.
func (g *ground) rooms() []Room {
	var out []Room
	for _, name := range matching(g.home.Root, "T-0001-?") {
		dir := filepath.Join(g.home.Root, name)
		out = append(out, Room{Task: "T-0001", N: int(name[7] - '0'), Dir: dir, Side: dir + ".d", Ledger: dir + ".json", Run: "C-1", Agent: true})
	}
	return out
}

// room makes one, registered with git.
func (g *ground) room(name string) string {
	g.t.Helper()
	dir := filepath.Join(g.home.Root, name)
	if err := g.home.Repo.AddWorktree(g.t.Context(), dir, "HEAD"); err != nil {
		g.t.Fatal(err)
	}
	return dir
}

// append adds facts of T-0001 to the record: of the samples, the kinds named, a claim as
// the claim given.
func (g *ground) append(claim record.Claimed, host string, kinds ...record.Kind) {
	g.t.Helper()
	if g.log == nil {
		log, err := sqlite.Open(g.t.Context(), g.home.Record)
		if err != nil {
			g.t.Fatal(err)
		}
		g.log = log
		g.t.Cleanup(func() { log.Close() })
	}
	for _, kind := range kinds {
		for _, e := range recordtest.Samples(g.t) {
			if e.Kind != kind {
				continue
			}
			p, err := record.Decode(e)
			if err != nil {
				g.t.Fatal(err)
			}
			about := record.Envelope{Task: e.Task, Attempt: e.Attempt, Claim: e.Claim, Host: host, Actor: e.Actor}
			if kind == record.KindClaimed {
				p, about.Claim = claim, "C-1"
			}
			made, err := record.New(p, recordtest.At, about)
			if err != nil {
				g.t.Fatal(err)
			}
			if _, err := g.log.Append(g.t.Context(), part, record.Always(), made); err != nil {
				g.t.Fatal(err)
			}
		}
	}
}

func (g *ground) gather(ctx context.Context) (*truth.Reading, error) {
	head, err := g.home.Repo.Resolve(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	return truth.Gather(ctx, truth.Sources{Repo: g.home.Repo, Target: "main", Head: head, Log: g.log, Partition: part, States: g.home.States})
}

func (g *ground) reading() *truth.Reading {
	g.t.Helper()
	rd, err := g.gather(g.t.Context())
	if err != nil {
		g.t.Fatal(err)
	}
	return rd
}

func (g *ground) plan(w Wish) Plan {
	g.t.Helper()
	p, err := g.home.Plan(g.t.Context(), g.gather, w)
	if err != nil {
		g.t.Fatal(err)
	}
	return p
}

func (g *ground) clear(p Plan) (went, left []Item) {
	g.t.Helper()
	went, left, err := g.home.Clear(g.t.Context(), g.gather, p)
	if err != nil {
		g.t.Fatal(err)
	}
	return went, left
}

func (g *ground) write(path, text string) {
	g.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		g.t.Fatal(err)
	}
}

// me and dead are claims of a process that lives and of one that does not.
func me() record.Claimed {
	id := process.Self()
	return record.Claimed{Boot: id.Boot, PID: id.PID, Start: id.Start, Worker: "1"}
}

func dead() record.Claimed {
	c := me()
	c.Start += "1"
	return c
}
