package cli

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"torve/internal/audit"
	"torve/internal/record"
)

const shopSpec = `---
id: S-0001
title: Orders
status: accepted
---

## Decisions

| Id | Grade | Decision | Paths | Check |
|---|---|---|---|---|
| D-1 | ASSUMED | An order is one line | orders/** | |
`

// audited is a small history in which everything has happened once: landed with and
// without notes, refused, repaired, requeued, abandoned, attested, reverted by a person.
func auditedShop(t *testing.T) *stage {
	t.Helper()
	s := shop(t)
	s.Write("specs/S-0001-orders.md", shopSpec)
	s.Commit("Decide what an order is")
	for _, title := range []string{"Log the id", "Too far", "With notes", "Undone", "Twice", "Unwanted", "By hand", "The last"} {
		args := []string{"new", title, "--allow", "orders/**", "--commit"}
		if title == "With notes" {
			args = append(args, "--spec", "S-0001")
		}
		s.ends(0, args...)
	}
	s.plays("T-0001", "echo id >> orders/list\n")
	s.plays("T-0002", "mkdir -p mail; echo far > mail/x\n")
	s.plays("T-0003", `echo notes >> orders/list
echo '{"task":"T-0003","summary":"done","leans_on":[],"divergences":[{"decision":"S-0001/D-1","claim":"one line","evidence":"orders/list:1","action":"departed","why":"it is two"}]}' > $TORVE_REPORT
`)
	s.plays("T-0004", "echo undone > orders/undone\n")
	s.plays("T-0005.1", "cp orders/list orders/away; rm orders/list\n")
	s.plays("T-0005", "cp orders/away orders/list; rm orders/away; echo twice > orders/twice\n")
	s.plays("T-0006", "mkdir -p mail; echo far > mail/y\n")
	s.plays("T-0007", "mkdir -p mail; echo far > mail/z\n")
	s.plays("T-0008.1", "mkdir -p mail; echo far > mail/l\n")
	s.plays("T-0008", "echo last > orders/last\n")
	for _, ids := range []string{"T-0001 T-0003", "T-0004"} {
		s.ends(0, append([]string{"dispatch"}, words(ids)...)...)
	}
	s.Git("revert", "--no-edit", "-m", "1", "HEAD")
	s.ends(2, words("dispatch T-0002 T-0005 T-0006 T-0007")...)
	s.ends(0, words("abandon T-0006")...)
	s.Write("orders/hand", "by hand\n")
	s.Commit("Do it by hand")
	s.ends(0, words("land T-0007 --as HEAD --yes")...)
	s.ends(2, words("dispatch T-0008")...)
	s.ends(0, words("requeue T-0008 --fresh")...)
	s.ends(0, words("dispatch T-0008")...)
	return s
}

// kept is a copy of a stage's repository and of what torve keeps outside, to go back to.
type kept struct {
	s    *stage
	from string
}

func (s *stage) keep() kept {
	s.t.Helper()
	k := kept{s, filepath.Join(s.t.TempDir(), "kept")}
	for name, dir := range k.places() {
		s.copies(dir, filepath.Join(k.from, name))
	}
	return k
}

func (k kept) places() map[string]string {
	return map[string]string{"repository": k.s.Dir, "state": os.Getenv("XDG_STATE_HOME")}
}

// back puts back what differs from the copy, and takes away what is not in it.
func (k kept) back() {
	k.s.t.Helper()
	for name, dir := range k.places() {
		from := filepath.Join(k.from, name)
		extra := func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // it went with its folder
			}
			there, no := os.Lstat(strings.Replace(path, dir, from, 1))
			if err != nil || no == nil && there.Mode().Type() == d.Type() {
				return err
			}
			return os.RemoveAll(path)
		}
		missing := func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return restore(path, strings.Replace(path, from, dir, 1), d)
		}
		if err := errors.Join(filepath.WalkDir(dir, extra), filepath.WalkDir(from, missing)); err != nil {
			k.s.t.Fatal(err)
		}
	}
}

// restore makes one entry as its copy is. A file whose size and time are the copy's is
// taken for it, but for the record's, which are written through a mapping, too.
func restore(from, to string, d fs.DirEntry) error {
	want, err := d.Info()
	if err != nil {
		return err
	}
	have, no := os.Lstat(to)
	switch {
	case d.IsDir() && no == nil:
		return nil
	case d.IsDir():
		return os.Mkdir(to, want.Mode().Perm())
	case no == nil && have.Size() == want.Size() && have.ModTime().Equal(want.ModTime()) && have.Mode() == want.Mode() &&
		!strings.HasPrefix(d.Name(), "record.db"):
		return nil
	}
	out, err := exec.Command("/bin/cp", "-a", "--remove-destination", from, to).CombinedOutput()
	if err != nil {
		return fmt.Errorf("cp: %w %s", err, out)
	}
	return nil
}

func (s *stage) copies(from, to string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if out, err := exec.Command("/bin/cp", "-a", from, to).CombinedOutput(); err != nil {
		s.t.Fatalf("cp: %v %s", err, out)
	}
}

// verifies types verify --json with more flags, and gives its document; 1 is an answer, too.
func (s *stage) verifies(more ...string) verifyDocument {
	s.t.Helper()
	r := s.torve(append([]string{"verify", "--json"}, more...)...)
	var doc verifyDocument
	if err := json.Unmarshal([]byte(r.out), &doc); err != nil || r.code > 1 {
		s.t.Fatalf("verify ended with %d: %v\n%s%s", r.code, err, r.out, r.err)
	}
	if (r.code == 1) != (len(doc.Differences) > 0) {
		s.t.Errorf("verify ended with %d, and names %d differences", r.code, len(doc.Differences))
	}
	return doc
}

// kinds are the kinds of difference that a document names, each once.
func kindsOf(differences []audit.Difference) []string {
	seen := map[string]bool{}
	for _, d := range differences {
		seen[d.Kind] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// event is a row of the record as it lies in the store.
type event struct {
	id, kind, task, claim string
	body                  []byte
}

func (s *stage) store(do func(*sql.DB)) {
	s.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(s.Dir, ".git/torve/record.db"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	do(db)
}

func (s *stage) exec(db *sql.DB, query string, args ...any) {
	s.t.Helper()
	if _, err := db.Exec(query, args...); err != nil {
		s.t.Fatalf("%s: %v", query, err)
	}
}

var guardNames = words("event_no_update event_no_delete event_first event_next")

// unguarded runs SQL over the record with its guards away for the while.
func (s *stage) unguarded(do func(*sql.DB)) {
	s.t.Helper()
	s.store(func(db *sql.DB) { s.without(db, guardNames, func() { do(db) }) })
}

// without takes triggers away for the while.
func (s *stage) without(db *sql.DB, names []string, do func()) {
	s.t.Helper()
	var again []string
	for _, name := range names {
		var text string
		if err := db.QueryRow("SELECT sql FROM sqlite_schema WHERE name = ?", name).Scan(&text); err != nil {
			s.t.Fatal(err)
		}
		again = append(again, text)
		s.exec(db, "DROP TRIGGER "+name)
	}
	do()
	for _, text := range again {
		s.exec(db, text)
	}
}

// rewrites makes another history of the record, its chain whole again: what only a
// comparison with other carriers, or of one event with another, can find.
func (s *stage) rewrites(as func([]event) []event) {
	s.t.Helper()
	s.unguarded(func(db *sql.DB) {
		rows, err := db.Query("SELECT id, kind, task, claim, body FROM event ORDER BY seq")
		if err != nil {
			s.t.Fatal(err)
		}
		var all []event
		for rows.Next() {
			var e event
			if err := rows.Scan(&e.id, &e.kind, &e.task, &e.claim, &e.body); err != nil {
				s.t.Fatal(err)
			}
			all = append(all, e)
		}
		if err := rows.Close(); err != nil {
			s.t.Fatal(err)
		}
		was := len(all)
		all = as(all)
		s.exec(db, "DELETE FROM event")
		prev := ""
		for n, e := range all {
			seq := record.Seq(n + 1)
			hash := record.HashOf(prev, seq, e.body)
			s.exec(db, "INSERT INTO event VALUES ('acme/shop', ?, ?, ?, ?, ?, ?, ?, ?)", int64(seq), e.id, e.kind, e.task, e.claim, e.body, prev, hash)
			prev = hash
		}
		if was == 0 {
			s.t.Fatal("the record is empty")
		}
	})
}

// find is the place of the nth event of a kind and task, from 1.
func find(all []event, kind, task string, n int) int {
	for i, e := range all {
		if e.kind == kind && e.task == task {
			if n--; n == 0 {
				return i
			}
		}
	}
	panic(fmt.Sprintf("no %s of %s", kind, task))
}

// says changes text in the nth event of a kind and task.
func (s *stage) eventSays(kind, task, old, now string) {
	s.t.Helper()
	s.rewrites(func(all []event) []event {
		e := &all[find(all, kind, task, 1)]
		changed := regexp.MustCompile(old).ReplaceAll(e.body, []byte(now))
		if bytes.Equal(changed, e.body) {
			s.t.Fatalf("%s does not hold %s: %s", kind, old, e.body)
		}
		e.body = changed
		return all
	})
}

// landingOf is the path of a task's landing file in the work tree.
func (s *stage) landingOf(task string) string {
	s.t.Helper()
	found, err := filepath.Glob(filepath.Join(s.Dir, ".torve/execution", task+"-*.yaml"))
	if err != nil || len(found) != 1 {
		s.t.Fatalf("landings of %s: %v %v", task, found, err)
	}
	return ".torve/execution/" + filepath.Base(found[0])
}

// changes edits a file by a regular expression.
func (s *stage) changes(path, old, now string) {
	s.t.Helper()
	was := s.Read(path)
	text := regexp.MustCompile(old).ReplaceAllString(was, now)
	if text == was {
		s.t.Fatalf("%s does not hold %s:\n%s", path, old, was)
	}
	s.Write(path, text)
}

// removes takes files away.
func (s *stage) removes(path ...string) {
	s.t.Helper()
	for _, p := range path {
		if !filepath.IsAbs(p) {
			p = filepath.Join(s.Dir, p)
		}
		if err := os.RemoveAll(p); err != nil {
			s.t.Fatal(err)
		}
	}
}

// line is the number of the line of a file that holds a text, from 0.
func (s *stage) lines(path string) []string { return strings.SplitAfter(s.Read(path), "\n") }
