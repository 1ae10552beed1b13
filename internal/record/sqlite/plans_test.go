package sqlite

import (
	"database/sql"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"torve/internal/record"
)

const (
	memoryCols = "SELECT id, villager, tick, register, text FROM "
	partsOf    = "SELECT part, sum, body FROM snapshot_part WHERE partition = ? AND name = ?"
)

// plans are the statements of the driver that are asked of a record, and the index by which
// each finds its rows. None walks a table, and none sorts.
var plans = map[string]string{
	`SELECT seq, hash FROM event WHERE partition = ? ORDER BY seq DESC LIMIT 1`:                                                                                                                                "event_seq (partition=?)",
	`SELECT seq, body FROM event WHERE partition = ? AND id = ?`:                                                                                                                                               "event_id (partition=? AND id=?)",
	"SELECT seq FROM event INDEXED BY event_task\n\t\t\tWHERE partition = ? AND task = ? AND task <> '' ORDER BY seq DESC LIMIT 1":                                                                             "event_task (partition=? AND task=?)",
	"SELECT kind, claim FROM event INDEXED BY event_claim\n\t\t\tWHERE partition = ? AND task = ? AND kind IN ('task.claimed', 'task.released') ORDER BY seq DESC":                                             "event_claim (partition=? AND task=?)",
	"SELECT seq FROM event INDEXED BY event_moves WHERE partition = ?\n\t\t\tAND kind IN ('task.claimed', 'task.released', 'task.minted', 'task.reminted', 'task.withdrawn')\n\t\t\tORDER BY seq DESC LIMIT 1": "event_moves (partition=?)",
	"SELECT seq, prev, hash, body, id, task, kind, claim\n\t\tFROM event WHERE partition = ? AND seq >= ? ORDER BY seq LIMIT ?":                                                                                "event_seq (partition=? AND seq>?)",
	rowsOf + "proposal WHERE partition = ?1 AND id > ?2 ORDER BY id LIMIT ?3":                                                                                                                                  "(partition=? AND id>?)",
	rowsOf + "proposal INDEXED BY proposal_villager WHERE partition = ?1 AND villager = ?4 AND id > ?2 ORDER BY id LIMIT ?3":                                                                                   "proposal_villager (partition=? AND villager=? AND id>?)",
	"SELECT coalesce(max(id), 0) FROM proposal WHERE partition = ?":                                                                                                                                            "(partition=?)",
	"SELECT coalesce(max(id), 0) + 1 FROM proposal WHERE partition = ?":                                                                                                                                        "(partition=?)",
	current:  "proposal_villager (partition=? AND villager=?)",
	propose:  "(partition=?)",
	remember: "(partition=?)",
	memoryCols + "memory WHERE partition = ?1 AND id > ?2 ORDER BY id LIMIT ?3":                                              "(partition=? AND id>?)",
	memoryCols + "memory INDEXED BY memory_villager WHERE partition = ?1 AND villager = ?4 AND id > ?2 ORDER BY id LIMIT ?3": "memory_villager (partition=? AND villager=? AND id>?)",
	"SELECT EXISTS (SELECT 1 FROM proposal WHERE partition = ?1)\n\t\tOR EXISTS (SELECT 1 FROM memory WHERE partition = ?1)": "(partition=?)",
	`INSERT INTO event (partition, seq, id, kind, task, claim, body, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`:         "",
	"SELECT form, seq, hash FROM snapshot WHERE partition = ? AND name = ?":                                                  "(partition=? AND name=?)",
	"SELECT part, sum FROM snapshot_part WHERE partition = ? AND name = ?":                                                   "(partition=? AND name=?)",
	partsOf:                                "(partition=? AND name=?)",
	partsOf + " AND part > ? AND part < ?": "(partition=? AND name=? AND part>? AND part<?)",
	partsOf + " AND part IN (SELECT value FROM json_each(?))":                              "(partition=? AND name=? AND part=?)",
	"DELETE FROM snapshot_part WHERE partition = ? AND name = ? AND part = ?":              "(partition=? AND name=? AND part=?)",
	"REPLACE INTO snapshot_part (partition, name, part, sum, body) VALUES (?, ?, ?, ?, ?)": "",
	"REPLACE INTO snapshot (partition, name, form, seq, hash) VALUES (?, ?, ?, ?, ?)":      "",
}

// once are those that walk a table: they are asked when an older file is brought up to date.
var once = []string{"SELECT partition, seq, body FROM event\n\t\tWHERE kind = ?"}

func TestEveryStatementFindsItsRowsByAnIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.db")
	log, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := log.(record.Snapshots).Keep(t.Context(), "p", record.Snapshot{Name: "board"}); err != nil { // makes its tables
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for text, index := range plans {
		plan := planOf(t, db, text)
		for _, step := range plan {
			if strings.HasPrefix(step, "SCAN ") && !strings.HasPrefix(step, "SCAN json_each VIRTUAL TABLE") && step != "SCAN CONSTANT ROW" || strings.Contains(step, "TEMP B-TREE") {
				t.Errorf("%s\nwalks or sorts: %s", text, step)
			}
		}
		if !strings.Contains(strings.Join(plan, "\n"), index) {
			t.Errorf("%s\nfinds by %v and not by %s", text, plan, index)
		}
	}
}

func planOf(t *testing.T, db *sql.DB, text string) (steps []string) {
	t.Helper()
	rows, err := db.Query("EXPLAIN QUERY PLAN "+text, make([]any, strings.Count(text, "?"))...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	return steps
}

// TestEveryStatementIsAskedHowItFindsItsRows reads the driver's own text: one that is not
// among the plans would not be asked.
func TestEveryStatementIsAskedHowItFindsItsRows(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	known := once
	for text := range plans {
		known = append(known, text)
	}
	seen := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			lit, is := n.(*ast.BasicLit)
			if !is || lit.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(lit.Value)
			if !asks(text) {
				return true
			}
			seen++
			if !slices.ContainsFunc(known, func(k string) bool { return strings.Contains(k, text) || strings.HasPrefix(text, k) }) {
				t.Errorf("%s: %s", file, text)
			}
			return true
		})
	}
	if seen < len(plans)-3 {
		t.Errorf("%d statements were found", seen)
	}
}

// asks reports whether a text is a statement, or the end of one, about the record's tables.
func asks(text string) bool {
	for _, word := range []string{"sqlite_schema", "sqlite_version", "CREATE "} {
		if strings.Contains(text, word) {
			return false
		}
	}
	for _, verb := range []string{"SELECT ", "INSERT ", "REPLACE ", "DELETE ", "UPDATE ", " AND "} {
		if strings.HasPrefix(text, verb) {
			return true
		}
	}
	return false
}
