package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/record/postgres"
	"torve/internal/record/postgres/pgtest"
	"torve/internal/record/recordtest"
	"torve/internal/record/sqlite"
)

// story is a run of a verb that may die anywhere: what was before it, and what a person
// does after. The stories together come to every boundary.
type story struct {
	name     string
	settings string
	files    map[string]string // below the ground: contracts, plays
	prelude  func(*ground)     // what was before
	verb     []string          // what dies
	target   string            // what it lands on; "" is main
	also     []string          // boundaries that die here although an earlier story comes to them
	bare     bool              // it makes no record: what it left is in git and in the work tree
	records  bool              // its deaths at the record's boundaries are told over PostgreSQL, too
	server   *pgtest.Cluster   // where its record is; nil: embedded
}

// dispatching is the one verb that mends all else.
var dispatching = []string{"dispatch", "--workers", "1"}

// two are two tasks.
func two(more string) map[string]string {
	return map[string]string{
		"shop/.torve/tasks/T-0001/contract.yaml": contractOf("T-0001", "a/**", more),
		"shop/.torve/tasks/T-0002/contract.yaml": contractOf("T-0002", "b/**", more),
		"home/plays/T-0001":                      makes,
		"home/plays/T-0002":                      "mkdir -p b; echo b > b/x\n",
	}
}

// decided is an agent that says what it decided.
const decided = `echo '{"task":"'$TORVE_TASK'","summary":"Made a","leans_on":[],"divergences":[{"decision":"unlisted","claim":"a is for apple","evidence":"a/x:1","action":"decided","why":"it is short","proposal":"a"}]}' > "$TORVE_REPORT"
`

// one is one task with its play.
func one(allow, play, more string) map[string]string {
	return map[string]string{
		"shop/.torve/tasks/T-0001/contract.yaml": contractOf("T-0001", allow, more),
		"home/plays/T-0001":                      play,
	}
}

// repaired is work that is refused once, and that a repair makes good.
const repaired = "if [ -f a/x ]; then echo good > a/x; else mkdir a; echo bad > a/x; fi\n"

const makes = "mkdir -p a; echo good > a/x\n"

// outside is work that its scope does not let in.
const outside = "mkdir -p a; echo good > a/x; mkdir -p b; echo more > b/x\n"

// dispatched is a prelude: a dispatch that leaves the task to a person.
func dispatched(g *ground) {
	g.t.Helper()
	if r := g.verb(dispatching...); r.code != 2 {
		g.t.Fatal(r)
	}
}

// died is a prelude: a dispatch that dies at a boundary.
func died(at string) func(*ground) {
	return func(g *ground) {
		g.t.Helper()
		if r := g.run([]string{"TORVE_FAILPOINT=" + at}, append([]string{g.torve}, dispatching...)...); r.code != -1 {
			g.t.Fatalf("it does not die at %s: %v", at, r)
		}
	}
}

// unlike is a prelude: a dispatch that leaves the task to a person, and then carriers that
// lost what it left.
func unlike(g *ground) {
	g.t.Helper()
	dispatched(g)
	g.git("update-ref", "-d", "refs/torve/attempts/T-0001/1")
	g.check(os.Remove(filepath.Join(g.dir, ".torve/telemetry.jsonl")))
	open, store := sqlite.Open, filepath.Join(g.dir, ".git/torve/record.db")
	if g.dsn != "" {
		open, store = postgres.Open, g.dsn
	}
	log, err := open(g.t.Context(), store)
	g.check(err)
	defer log.Close()
	g.check(recordtest.KeepWrong(g.t.Context(), log, "acme/shop", "board", g.form()))
}

// form is the form of a board that is kept beside the record.
func (g *ground) form() string {
	g.t.Helper()
	text, err := os.ReadFile("../../internal/board/testdata/form.txt")
	g.check(err)
	form, _, _ := strings.Cut(string(text), "\n")
	return form
}

// hub is a prelude: a remote that landings are pushed to.
func hub(g *ground) {
	g.t.Helper()
	remote := filepath.Join(filepath.Dir(g.dir), "hub.git")
	g.git("clone", "-q", "--bare", ".", remote)
	g.git("remote", "add", "hub", remote)
	g.git("fetch", "-q", "hub")
}

// protected makes the hub refuse what is pushed to main.
func protected(g *ground) {
	g.t.Helper()
	g.write("hub.git/hooks/pre-receive", "#!/bin/sh\nwhile read old new ref; do [ $ref != refs/heads/main ] || exit 1; done\n", 0o755)
}

func stories() []story { return append(append(dispatches(), answers()...), upkeeps()...) }

const (
	pushing = "landing: {push: hub}\n"
	onHub   = "refs/remotes/hub/main"
)

// dispatches are runs that die, and that go on from what a death before left.
func dispatches() []story {
	return []story{
		{name: "one task", files: one("a/**", makes+decided, ""), verb: dispatching, records: true},
		{name: "a task that is refused once", files: one("a/**", repaired, ""), verb: dispatching},
		{name: "two tasks", files: two(""), verb: dispatching},
		{
			name: "a target that is checked out nowhere", files: one("a/**", repaired, ""), verb: dispatching,
			prelude: func(g *ground) { g.git("checkout", "-q", "--detach") },
		},
		{
			name: "a target that is checked out elsewhere", files: one("a/**", makes, ""), verb: dispatching,
			prelude: func(g *ground) {
				g.git("switch", "-q", "-c", "mine")
				g.git("worktree", "add", "-q", filepath.Join(filepath.Dir(g.dir), "other"), "main")
			},
			also: []string{"landing.forwarded"},
		},
		{
			name: "landings that are pushed", settings: pushing, files: one("a/**", makes, ""), verb: dispatching,
			prelude: hub, target: onHub,
		},
		{
			name: "landings by hand", settings: "landing: {mode: manual}\n", files: one("a/**", makes, ""), verb: []string{"land"},
			prelude: func(g *ground) { g.must(append([]string{g.torve}, dispatching...)...) },
			also:    []string{"dispatch.claimed", "attempt.judged", "landing.forwarded", "landing.recorded"},
		},
		{
			name: "setup, copies and ignored files", settings: "worktree: {setup: [\"mkdir -p deps; echo d > deps/d\"], copy: [.env]}\n",
			files: merged(one("a/**", "grep -q d deps/d; "+makes+"echo junk > a/junk.log\n", ""), map[string]string{
				"shop/.gitignore": "deps/\n.env\n*.log\n",
			}),
			prelude: func(g *ground) { g.write("shop/.env", "KEY=1\n", 0o644) },
			verb:    dispatching, also: []string{"attempt.furnished", "attempt.set-aside", "attempt.judged"},
		},
		{
			name: "a run that died while its agent ran", files: one("a/**", makes, ""), verb: dispatching, prelude: died("attempt.agent-begun"),
			also: []string{"attempt.commit-written", "attempt.tree-kept"},
		},
		{
			name: "a run that died before its agent was started", files: one("a/**", makes, ""), verb: dispatching, prelude: died("attempt.opened"),
			also: []string{"attempt.room-going", "git.worktree-emptied", "attempt.worktree-removed", "attempt.folder-removed"},
		},
		{
			name: "a registration whose folder is gone", files: one("a/**", makes, ""), verb: dispatching,
			prelude: func(g *ground) {
				died("git.worktree-registered")(g)
				g.check(os.RemoveAll(filepath.Join(g.rooms(), "T-0001-1")))
			},
		},
		{
			name: "a run that died when its landing was on the target", files: one("a/**", makes, ""), verb: dispatching, prelude: died("landing.forwarded"),
			also: []string{"dispatch.buried"},
		},
		{
			name: "a run that died when its work was judged", files: one("a/**", makes, ""), verb: dispatching, prelude: died("attempt.judged"),
			also: []string{"dispatch.buried", "dispatch.crash-taken"},
		},
		{
			name: "a worktree that its agent tore from the repository", verb: dispatching,
			files: one("a/**", makes+"rm -rf $(git rev-parse --absolute-git-dir)\n", ""),
		},
		{
			name: "a target that a person moves beside the last landing", verb: dispatching,
			settings: "worktree: {teardown: [\"sh $HOME/down\"]}\n",
			files:    merged(one("a/**", makes, ""), map[string]string{"home/down": meanwhile}),
		},
	}
}

// meanwhile is a person's commit beside a landing, once.
const meanwhile = `[ ! -f "$HOME/moved" ] || exit 0
touch "$HOME/moved"; cd "$(dirname "$(git rev-parse --path-format=absolute --git-common-dir)")"
git commit -q --allow-empty -m "By hand"
`

// answers are a person's verbs that die.
func answers() []story {
	return []story{
		{
			name: "a scope that is widened", files: one("a/**", outside, ""), verb: []string{"widen", "T-0001", "b/**", "--yes"},
			prelude: dispatched, also: []string{"mint.part-written", "record.committed"}, records: true,
		},
		{
			name: "a scope that is widened on a remote", settings: pushing, files: one("a/**", outside, ""),
			verb: []string{"widen", "T-0001", "b/**", "--yes"}, target: onHub,
			prelude: func(g *ground) { hub(g); dispatched(g) },
		},
		{
			name: "a scope that the remote does not let be widened", settings: pushing, files: one("a/**", outside, ""),
			verb: []string{"widen", "T-0001", "b/**", "--yes"}, target: onHub,
			prelude: func(g *ground) { hub(g); dispatched(g); protected(g) },
		},
		{
			name: "a task that is requeued", files: one("a/**", repaired, "budget: {attempts: 1}\n"),
			verb: []string{"requeue", "T-0001"}, prelude: dispatched,
		},
		{
			name: "a task that ran here and that the record does not know", files: one("a/**", repaired, "budget: {attempts: 1}\n"),
			verb: []string{"requeue", "T-0001"},
			prelude: func(g *ground) {
				dispatched(g)
				g.check(os.RemoveAll(filepath.Join(g.dir, ".git/torve")))
				g.check(os.Remove(filepath.Join(g.dir, ".torve/telemetry.jsonl")))
			},
		},
		{
			name: "a task that is abandoned", files: one("a/**", outside, ""), verb: []string{"abandon", "T-0001"}, prelude: dispatched,
		},
		{
			name: "work that was done by hand", files: one("a/**", outside, ""), verb: []string{"land", "T-0001", "--as", "main", "--yes"},
			prelude: func(g *ground) {
				dispatched(g)
				g.write("shop/a/x", "good\n", 0o644)
				g.git("add", "a")
				g.git("commit", "-q", "-m", "By hand")
			},
			also: []string{"landing.forwarded", "attempt.room-going", "attempt.rooms-removed"},
		},
		{
			name: "a run that is told to stop", files: one("a/**", makes+"sleep 600\n", ""), verb: []string{"stop", "T-0001"},
			prelude: func(g *ground) { g.begin(append([]string{g.torve}, dispatching...)...) },
		},
		{name: "carriers that are mended", files: one("a/**", outside, ""), verb: []string{"verify", "--repair"}, prelude: unlike, records: true},
		{
			name: "settings that are written", verb: []string{"init"}, bare: true,
			prelude: func(g *ground) { g.git("rm", "-rq", ".torve"); g.git("commit", "-q", "-m", "No settings") },
		},
		{name: "a contract that is written", verb: []string{"new", "A thing", "--allow", "a/**", "--commit"}, bare: true, also: []string{"init.file-made"}},
	}
}

// upkeeps are verbs that put away, bring back and note.
func upkeeps() []story {
	return []story{
		{
			name: "what may go", verb: []string{"gc", "--ignored", "--caches", "--refs", "--keep", "0h", "--yes"},
			files: merged(two(""), map[string]string{
				"home/plays/T-0001": outside, "home/plays/T-0002": "mkdir -p a b; echo more > a/x; echo junk > a/junk.log\n", "shop/.gitignore": "*.log\n",
			}),
			prelude: func(g *ground) {
				dispatched(g)
				g.must(g.torve, "abandon", "T-0001")
				g.write("home/cache/torve/"+filepath.Base(g.rooms())+"/built", "much", 0o644)
			},
		},
		{
			name: "work that is adopted", files: one("a/**", makes, ""), prelude: died("attempt.agent-ended"),
			verb: []string{"recover", "adopt", "T-0001", "1"}, also: []string{"attempt.tree-kept"},
		},
		{
			name: "a record that is exported", files: one("a/**", outside, ""), prelude: dispatched,
			verb: []string{"record", "export", "../history.jsonl"},
		},
		{
			name: "a record that is imported", files: one("a/**", outside, ""), records: true, also: []string{"record.inserted", "record.committed"},
			verb: []string{"record", "import", "--partition", "acme/other", "../history.jsonl"},
			prelude: func(g *ground) {
				dispatched(g)
				g.must(g.torve, "record", "export", "../history.jsonl")
			},
		},
		{
			name: "a finding that is noted", files: one("a/**", outside, ""), prelude: dispatched, also: []string{"carrier.row-appended"},
			verb: []string{"findings", "add", "--task", "T-0001", "--severity", "major", "the check is lost"},
		},
	}
}

func merged(a, b map[string]string) map[string]string {
	for name, text := range b {
		a[name] = text
	}
	return a
}

// ground makes the ground of a story.
func (s story) ground(t *testing.T, torve string) *ground {
	t.Helper()
	g := newGround(t, torve, s.settings, s.files)
	if s.server != nil {
		var err error
		g.dsn, err = inSchema(t.Context(), s.server)
		g.check(err)
	}
	return g
}

// tell tells what was before a story.
func (s story) tell(g *ground) {
	g.t.Helper()
	if s.prelude != nil {
		s.prelude(g)
	}
}

// goOn is what a person does after: the verb once more where it was a person's own, the
// command that status names for what is written and not committed (an empty contract goes), and then a plain dispatch.
func (s story) goOn(g *ground, again bool) []ran {
	g.t.Helper()
	var did []ran
	if again && s.verb[0] != dispatching[0] {
		if s.verb[0] == "new" {
			g.run(nil, "sh", "-c", `test -s .torve/tasks/T-0001/contract.yaml || rm -rf .torve/tasks/T-0001; test -d .torve/tasks/T-0001 && git add .torve && git commit -q -m 'Ask for T-0001'`)
			if g.git("ls-files", ".torve/tasks") != "" {
				return nil
			}
		}
		did = append(did, g.verb(s.verb...))
	}
	if g.begun != nil {
		g.check(g.begun())
	}
	if s.bare {
		return did
	}
	if again || s.verb[0] != dispatching[0] {
		did = append(did, g.verb(dispatching...))
	}
	return did
}

// end is what the story came to, and what is not in order there.
func (s story) end(g *ground) (outcome, []string) {
	g.t.Helper()
	if s.bare {
		ask := "git log --format=%s; git ls-files; cat .torve/config.yaml .torve/.gitignore; git status --porcelain"
		if s.verb[0] == "init" {
			ask += "; ls .torve/schemas"
		}
		out := g.must("sh", "-c", ask)
		return outcome{Tree: strings.ReplaceAll(out, filepath.Dir(g.dir), "")}, nil
	}
	target := s.target
	if target == "" {
		target = "main"
	}
	attempts := g.attempts()
	o := g.outcome(target, attempts)
	return o, g.house(o, attempts)
}
