package cli

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"

	"torve/internal/board"
)

// damage is one thing that may have become of a repository, and what verify names.
type damage struct {
	name  string
	do    func(*stage)
	kinds []string // named, sorted
	left  []string // named still after a repair
	note  string   // said beside
}

const (
	telemetryFile = ".torve/telemetry.jsonl"
	keptRef       = "refs/torve/attempts/"
)

var damages = slicesOf(recordDamages, boardDamages, keptDamages, telemetryDamages, logDamages, stateDamages, landingDamages, historyDamages, hostDamages)

func slicesOf(all ...[]damage) []damage {
	var out []damage
	for _, d := range all {
		out = append(out, d...)
	}
	return out
}

// stays is a damage that no repair mends; repaired is one that it does.
func stays(name string, do func(*stage), kinds ...string) damage {
	return damage{name: name, do: do, kinds: kinds, left: kinds}
}

func repaired(name string, do func(*stage), kinds ...string) damage {
	return damage{name: name, do: do, kinds: kinds}
}

// sound is no damage at all, and is said.
func sound(name, note string, do func(*stage)) damage { return damage{name: name, do: do, note: note} }

func query(text string) func(*stage) {
	return func(s *stage) { s.unguarded(func(db *sql.DB) { s.exec(db, text) }) }
}

// ledger changes the rows of the ledger, with their guards away for the while.
func ledger(text string) func(*stage) {
	return func(s *stage) {
		s.store(func(db *sql.DB) {
			s.without(db, words("proposal_no_update proposal_no_delete"), func() { s.exec(db, text) })
		})
	}
}

func rewrite(as func([]event) []event) func(*stage) { return func(s *stage) { s.rewrites(as) } }

var recordDamages = []damage{
	stays("a byte of an event was flipped", query("UPDATE event SET body = CAST(replace(CAST(body AS TEXT), 'Log the id', 'Log the ib') AS BLOB)"), "record.R3"),
	stays("a hash was changed", query("UPDATE event SET hash = replace(hash, substr(hash, 1, 4), 'ffff') WHERE seq = 5"), "record.R3"),
	stays("an event was removed", query("DELETE FROM event WHERE seq = 7"), "record.R2"),
	stays("the guards are gone", func(s *stage) { s.store(func(db *sql.DB) { s.exec(db, "DROP TRIGGER event_no_update") }) }, "record.R1"),
	stays("the guards are gone, and an event was changed", func(s *stage) {
		s.store(func(db *sql.DB) {
			s.exec(db, "DROP TRIGGER event_no_update")
			s.exec(db, "UPDATE event SET body = CAST(replace(CAST(body AS TEXT), 'Log the id', 'Log the ib') AS BLOB)")
		})
	}, "record.R1", "record.R3"),
	stays("an event is found by another's task", query("UPDATE event SET task = 'T-0099' WHERE seq = 9"), "record.R6"),
	stays("a task was claimed twice", rewrite(func(all []event) []event {
		i := find(all, "task.claimed", "T-0001", 1)
		again := all[i]
		again.id, again.claim = "again", "again"
		again.body = []byte(strings.Replace(strings.Replace(string(again.body), all[i].id, "again", 1), all[i].claim, "again", 1))
		return append(all[:i+1:i+1], append([]event{again}, all[i+1:]...)...)
	}), "record.R4"),
	stays("a landing is recorded of another's file", func(s *stage) {
		s.eventSays("landing.recorded", "T-0001", `T-0001-1-`, "T-0002-1-")
	}, "record.R5"),
	stays("a row of the ledger says otherwise", ledger("UPDATE proposal SET verdict = 'accepted', failed = NULL, reason = NULL WHERE verdict = 'refused'"), "record.R7"),
	stays("a row of the ledger is gone", ledger("DELETE FROM proposal WHERE id = 2"), "record.R7"),
	stays("a row of the ledger is of no event", ledger(`INSERT INTO proposal SELECT partition, (SELECT max(id) + 1 FROM proposal), villager, tick, kind, model,
		digest, settings, prompt_sha256, tokens_in, tokens_out, grounding, answer, verdict, failed, reason FROM proposal WHERE id = 1`), "record.R7"),
	stays("the guards of the ledger are gone", func(s *stage) { s.store(func(db *sql.DB) { s.exec(db, "DROP TRIGGER proposal_next") }) }, "record.R1"),
	stays("a payload has an unknown key", func(s *stage) { s.eventSays("task.released", "T-0001", `"payload":\{`, `"payload":{"x":1,`) }, "record.R6"),
}

var boardDamages = []damage{
	stays("the record names no first commit", rewrite(func(all []event) []event { return all[1:] }), "root.unnamed"),
	stays("an attempt was started twice", rewrite(func(all []event) []event {
		i := find(all, "attempt.started", "T-0001", 1)
		again := all[i]
		again.id = "again"
		again.body = []byte(strings.Replace(string(again.body), all[i].id, "again", 1))
		return append(all[:i+1:i+1], append([]event{again}, all[i+1:]...)...)
	}), "board.number"),
	stays("an attempt ended and never started", rewrite(func(all []event) []event {
		i := find(all, "attempt.started", "T-0002", 1)
		return append(all[:i:i], all[i+1:]...)
	}), "board.order"),
	stays("a fact of a run was written by another", rewrite(func(all []event) []event {
		e := &all[find(all, "attempt.finished", "T-0002", 1)]
		e.body = []byte(strings.Replace(string(e.body), e.claim, "another", 1))
		e.claim = "another"
		return all
	}), "board.fence"),
	repaired("what is kept beside the record is not of its events", func(s *stage) {
		s.store(func(db *sql.DB) {
			s.exec(db, "CREATE TABLE IF NOT EXISTS snapshot (partition TEXT, name TEXT, form TEXT, seq INTEGER, hash TEXT, PRIMARY KEY (partition, name))")
			s.exec(db, "CREATE TABLE IF NOT EXISTS snapshot_part (partition TEXT, name TEXT, part TEXT, sum TEXT, body BLOB, PRIMARY KEY (partition, name, part))")
			s.exec(db, "REPLACE INTO snapshot SELECT partition, 'board', ?, seq, hash FROM event WHERE seq = 20", board.Form)
			s.exec(db, "REPLACE INTO snapshot_part VALUES ('acme/shop', 'board', 'index', 'nothing', x'00')")
		})
	}, "snapshot.otherwise"),
	stays("a contract's file is gone from git", func(s *stage) { s.dropsObject(s.Git("rev-parse", "HEAD:.torve/tasks/T-0002/contract.yaml")) }, "contract.gone"),
}

// dropsObject takes a loose object away.
func (s *stage) dropsObject(id string) { s.removes(".git/objects/" + id[:2] + "/" + id[2:]) }

var keptDamages = []damage{
	repaired("a kept ref was deleted", func(s *stage) { s.Git("update-ref", "-d", keptRef+"T-0002/1") }, "kept.missing"),
	repaired("all kept refs were deleted", func(s *stage) {
		for ref := range strings.FieldsSeq(s.Git("for-each-ref", "--format=%(refname)", keptRef)) {
			s.Git("update-ref", "-d", ref)
		}
	}, "kept.missing"),
	sound("the kept ref of what has landed was put away", "kept no longer, as the work has landed: T-0001/1", func(s *stage) {
		s.Git("update-ref", "-d", keptRef+"T-0001/1")
	}),
	stays("a kept ref was moved", func(s *stage) { s.Git("update-ref", keptRef+"T-0002/1", "HEAD") }, "kept.moved"),
	stays("a kept commit was collected", func(s *stage) {
		s.Git("worktree", "list")
		s.Git("update-ref", "-d", keptRef+"T-0002/1")
		s.Git("reflog", "expire", "--expire=now", "--all")
		s.Git("gc", "-q", "--prune=now")
	}, "kept.gone"),
	stays("a kept commit gives another account", func(s *stage) {
		was := s.Git("rev-parse", keptRef+"T-0002/1")
		now := s.Git("commit-tree", "-m", "T-0002: a story\n\nTorve-Task: T-0002\nTorve-Attempt: 7", "-p", was+"^", was+"^{tree}")
		s.Git("update-ref", keptRef+"T-0002/1", now)
		s.eventSays("attempt.finished", "T-0002", was, now)
		s.changes(telemetryFile, was, now)
	}, "kept.trailers"),
	stays("a kept tree is another", func(s *stage) {
		s.eventSays("attempt.finished", "T-0002", s.Git("rev-parse", keptRef+"T-0002/1^{tree}"), s.Git("rev-parse", "HEAD^{tree}"))
	}, "kept.tree"),
	sound("git collected what no ref holds", "", func(s *stage) {
		s.Git("reflog", "expire", "--expire=now", "--all")
		s.Git("gc", "-q", "--prune=now")
	}),
	sound("a ref is kept that the record does not know", "kept and not in this record: T-0042/1", func(s *stage) { s.Git("update-ref", keptRef+"T-0042/1", "HEAD") }),
}

var telemetryDamages = []damage{
	stays("a row was edited", func(s *stage) { s.changes(telemetryFile, `("task":"T-0002","attempt":1,.*"seconds":)[0-9.]+`, "${1}9") }, "telemetry.edited"),
	repaired("a row was dropped", func(s *stage) {
		l := s.lines(telemetryFile)
		s.Write(telemetryFile, strings.Join(append(l[:1:1], l[2:]...), ""))
	}, "telemetry.missing"),
	repaired("all rows were dropped", func(s *stage) { s.removes(telemetryFile) }, "telemetry.missing"),
	repaired("the last row was torn", func(s *stage) {
		text := s.Read(telemetryFile)
		s.Write(telemetryFile, text[:len(text)-40])
	}, "telemetry.missing", "telemetry.torn"),
	repaired("a row that stands is begun again", func(s *stage) {
		text := s.Read(telemetryFile)
		s.Write(telemetryFile, text+text[:50])
	}, "telemetry.torn"),
	stays("a line is no row", func(s *stage) { s.Write(telemetryFile, "who wrote this?\n"+s.Read(telemetryFile)) }, "telemetry.line"),
	sound("rows are there that the record does not hold", "10 of them in this record", func(s *stage) {
		s.Write(telemetryFile, strings.ReplaceAll(s.lines(telemetryFile)[0], `"T-0001"`, `"T-0777"`)+s.Read(telemetryFile))
	}),
}

const notes = ".torve/tasks/T-0003/log.yaml"

var logDamages = []damage{
	stays("a log was edited", func(s *stage) { s.changes(notes, "it is two", "it is three"); s.Commit("Edit") }, "log.edited"),
	stays("a log was taken away", func(s *stage) { s.removes(notes); s.Commit("Tidy") }, "log.missing"),
	sound("the folder of a task that landed was put away", "", func(s *stage) { s.removes(".torve/tasks/T-0003"); s.Commit("Tidy") }),
	stays("a log does not read", func(s *stage) { s.Write(notes, "entries: ["); s.Commit("Break") }, "log.broken"),
	stays("a log is there of what never landed", func(s *stage) {
		s.Write(".torve/tasks/T-0002/log.yaml", strings.ReplaceAll(s.Read(notes), "T-0003", "T-0002"))
		s.Commit("Forge")
	}, "log.alone"),
}

// stateOf writes a state file over that of T-0002, which waits for a person.
func stateOf(task, old, now string) func(*stage) {
	return func(s *stage) {
		text := strings.ReplaceAll(s.Read(".wt/T-0002.state.json"), "T-0002", task)
		if !strings.Contains(text, old) {
			s.t.Fatalf("no %s in %s", old, text)
		}
		s.Write(".wt/"+task+".state.json", strings.ReplaceAll(text, old, now))
	}
}

var stateDamages = []damage{
	repaired("a state file says running, and the task needs a person", stateOf("T-0002", `"state": "claimed"`, `"state": "running"`), "state.overruled"),
	repaired("a state file says ready, and the work was refused", stateOf("T-0002", `"state": "claimed"`, `"state": "ready"`), "state.overruled"),
	repaired("a state file names a process, and nobody runs", stateOf("T-0002", `"state": "claimed",`, `"state": "claimed", "pid": 1,`), "state.overruled"),
	repaired("a state file is of an attempt that never was", stateOf("T-0002", `"attempt": 1`, `"attempt": 7`), "state.overruled"),
	repaired("a state file says running, and the task has landed", stateOf("T-0001", `"state": "claimed"`, `"state": "running"`), "state.left"),
	repaired("a state file is left of what was abandoned", stateOf("T-0006", `"state": "claimed"`, `"state": "claimed"`), "state.left"),
	repaired("a state file does not read", func(s *stage) { s.Write(".wt/T-0002.state.json", "{") }, "state.broken"),
	stays("a state file does not read, and the record knows no such task", func(s *stage) { s.Write(".wt/T-0042.state.json", "{") }, "state.broken"),
}

var landingDamages = []damage{
	stays("a landing was edited", func(s *stage) {
		s.changes(s.landingOf("T-0001"), "(?m)^title: .*$", "title: Another")
		s.Commit("Edit")
	}, "landing.edited"),
	sound("a landing was edited and put back", "", func(s *stage) {
		path := s.landingOf("T-0001")
		was := s.Read(path)
		s.changes(path, "(?m)^title: .*$", "title: Another")
		s.Commit("Edit")
		s.Write(path, was)
		s.Commit("Put back")
	}),
	stays("a landing does not read", func(s *stage) {
		s.Write(".torve/execution/T-0002-1-20260101T000000Z.yaml", "schema: torve/landing/v1\n")
		s.Commit("Forge")
	}, "landing.broken"),
	stays("a file is among the landings that is none", func(s *stage) { s.Write(".torve/execution/notes.yaml", "x: 1\n"); s.Commit("Jot") }, "landing.broken"),
	{name: "a landing is of a task that the record never minted", do: func(s *stage) { s.forges("T-0001", "T-0042", 1) },
		kinds: []string{"landed.unrecorded", "landing.work"}, left: []string{"landing.work"}},
	{name: "a task has two landings", do: func(s *stage) { s.forges("T-0001", "T-0001", 2) },
		kinds: []string{"landed.unrecorded", "landing.twice", "landing.work"}, left: []string{"landing.twice", "landing.work"}},
	{name: "a landing was forged for a task that was refused", do: func(s *stage) { s.forges("T-0001", "T-0002", 1); s.removes(".wt/T-0002.state.json") },
		kinds: []string{"landed.contract", "landed.unrecorded", "landing.work"}, left: []string{"landed.contract", "landing.work"}},
	sound("a landing was removed by a person", "landed, and its landing was removed since: T-0001 by", func(s *stage) { s.removes(s.landingOf("T-0001")); s.Commit("Remove") }),
	repaired("a landing is not in the record", rewrite(func(all []event) []event {
		i := find(all, "landing.recorded", "T-0008", 1)
		return append(all[:i:i], all[i+1:]...)
	}), "landed.unrecorded"),
	stays("the record has another commit landed", func(s *stage) {
		s.eventSays("landing.recorded", "T-0001", `"commit":"[0-9a-f]+"`, `"commit":"`+s.Git("rev-parse", "HEAD")+`"`)
	}, "landed.otherwise"),
	stays("the record minted other decisions", func(s *stage) { s.eventSays("task.minted", "T-0003", "An order is one line", "An order is a file") }, "landed.decisions"),
}

// forges commits a copy of a task's landing as another's.
func (s *stage) forges(of, as string, n int) {
	text := strings.ReplaceAll(s.Read(s.landingOf(of)), of, as)
	text = strings.Replace(text, "attempt: 1\n", "attempt: "+string(rune('0'+n))+"\n", 1)
	name := strings.Replace(filepath.Base(s.landingOf(of)), of+"-1-", as+"-"+string(rune('0'+n))+"-", 1)
	s.Write(".torve/execution/"+name, text)
	s.Commit("Forge")
}

var historyDamages = []damage{
	stays("a landing's merge was amended", func(s *stage) {
		s.Write("orders/last", "something else\n")
		s.Git("commit", "-q", "-a", "--amend", "--no-edit")
	}, "landing.unlike"),
	stays("the branch was reset to before a landing", func(s *stage) { s.Git("reset", "-q", "--hard", "HEAD^") }, "landed.lost"),
	sound("a landing was rebased", "brought to main by other commits", func(s *stage) {
		s.Git("branch", "theirs", "HEAD^")
		s.Git("checkout", "-q", "theirs")
		s.Write("theirs", "x\n")
		s.Commit("Meanwhile")
		s.Git("checkout", "-q", "main")
		s.Git("rebase", "-q", "theirs")
	}),
	stays("a landing was rebased and changed", func(s *stage) {
		s.Git("branch", "theirs", "HEAD^")
		s.Git("checkout", "-q", "theirs")
		s.Write("theirs", "x\n")
		s.Commit("Meanwhile")
		s.Git("checkout", "-q", "main")
		s.Git("rebase", "-q", "theirs", "--exec", "test ! -f orders/last -o -f .torve/execution/T-0008* || { echo more >> orders/last; git commit -qa --amend --no-edit; }")
	}, "landing.unlike"),
	sound("landings were squashed", "brought to main by other commits", func(s *stage) {
		s.Git("reset", "-q", "--soft", "HEAD^")
		s.Git("commit", "-q", "-m", "Squash")
	}),
}

var hostDamages = []damage{
	{name: "a run died when its landing was in git", do: func(s *stage) {
		s.rewrites(func(all []event) []event {
			i := find(all, "landing.recorded", "T-0001", 1)
			j := find(all, "task.released", "T-0001", 1)
			e := &all[find(all, "task.claimed", "T-0001", 1)]
			e.body = []byte(strings.Replace(string(e.body), `"start":"`, `"start":"9`, 1))
			return append(append(all[:i:i], all[i+1:j]...), all[j+1:]...)
		})
		stateOf("T-0001", `"state": "claimed"`, `"state": "ready"`)(s)
	}, kinds: []string{"claim.dead", "landed.unrecorded"}, left: []string{"claim.dead"}},
	stays("a run died", func(s *stage) {
		s.rewrites(func(all []event) []event {
			i := find(all, "task.released", "T-0002", 1)
			e := &all[find(all, "task.claimed", "T-0002", 1)]
			e.body = []byte(strings.Replace(string(e.body), `"start":"`, `"start":"9`, 1))
			return append(all[:i:i], all[i+1:]...)
		})
	}, "claim.dead"),
	repaired("the lock of a claim was left", func(s *stage) { s.Write(".git/torve/lock/claim-GONE.lock", "") }, "lock.stale"),
	repaired("a worktree's files are gone", func(s *stage) { s.removes(s.worktree("T-0002-1")) }, "worktree.gone"),
	stays("a worktree's files are gone, and a commit that was made there is on no ref", func(s *stage) {
		dir := s.worktree("T-0002-1")
		s.Git("-C", dir, "commit", "-q", "--allow-empty", "-m", "Made there")
		s.removes(dir)
	}, "worktree.gone"),
	stays("a worktree's files are gone, and its run died", func(s *stage) {
		s.removes(s.worktree("T-0002-1"))
		s.rewrites(func(all []event) []event {
			i := find(all, "task.released", "T-0002", 1)
			e := &all[find(all, "task.claimed", "T-0002", 1)]
			e.body = []byte(strings.Replace(string(e.body), `"start":"`, `"start":"9`, 1))
			return append(all[:i:i], all[i+1:]...)
		})
	}, "claim.dead", "worktree.gone"),
}

// worktree is where the one of that name stands.
func (s *stage) worktree(name string) string {
	s.t.Helper()
	found, err := filepath.Glob(filepath.Join(os.Getenv("XDG_STATE_HOME"), "torve", "*", name))
	if err != nil || len(found) != 1 {
		s.t.Fatalf("%v %v", found, err)
	}
	return found[0]
}
