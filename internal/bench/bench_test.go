package bench

import (
	"crypto/sha1"
	"database/sql"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"torve/internal/git/gittest"
	"torve/internal/record"
	"torve/internal/record/sqlite"
)

// blobOf is the id that git gives a file.
func blobOf(text string) string {
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text))
	return hex.EncodeToString(sum[:])
}

// Names of the floors.
const (
	noop = "`torve version`"
	read = "git lists and reads the same files"
)

func torve(b *testing.B, dir string, args ...string) func() time.Duration {
	return func() time.Duration {
		took, _ := start(b, dir, append([]string{"torve"}, args...)...)
		return took
	}
}

func shell(b *testing.B, dir, line string) func() time.Duration {
	return func() time.Duration {
		took, _ := start(b, dir, "/bin/sh", "-c", line)
		return took
	}
}

// reading is what git takes to list the files below a folder and read them all.
func reading(b *testing.B, dir, folder string) func() time.Duration {
	return shell(b, dir, "git ls-tree -r HEAD "+folder+" | cut -c13-52 | git cat-file --batch --buffer > /dev/null")
}

func BenchmarkNoOp(b *testing.B) {
	gittest.Home(b)
	dir := b.TempDir()
	got := best(40, torve(b, dir, "version"), func() time.Duration {
		took, _ := start(b, dir, "hello")
		return took
	})
	above(b, 1, "a verb that does nothing", got[0], got[1], "a Go program that says hello", "10 ms above")
	size(b, 20, "memory of a verb that does nothing", memory(b, dir, "torve", "version"), memory(b, dir, "hello"), "the program that says hello")
}

// BenchmarkLongRecord is all that is measured over ten thousand tasks: writing that history takes the longest.
func BenchmarkLongRecord(b *testing.B) {
	h := history{tasks: 10_000, landed: 9_900, record: true}
	p := h.write(b)
	of := fmt.Sprintf("%d tasks and %d events", h.tasks, p.events)
	b.Run("status without a snapshot", func(b *testing.B) {
		got := best(3, torve(b, p.Dir, "status"), torve(b, p.Dir, "version"))
		above(b, 3, "`status`, "+of+", from the events alone", got[0], got[1], noop, "")
		size(b, 22, "memory of `status` from the events alone", memory(b, p.Dir, "torve", "status"), memory(b, p.Dir, "torve", "version"), noop)
	})
	start(b, p.Dir, "torve", "mint") // it has written, and leaves a snapshot
	b.Run("status", func(b *testing.B) {
		got := best(10, torve(b, p.Dir, "status"), torve(b, p.Dir, "version"))
		above(b, 2, "`status`, "+of, got[0], got[1], noop, "50 ms above")
		size(b, 21, "memory of `status`", memory(b, p.Dir, "torve", "status"), memory(b, p.Dir, "torve", "version"), noop)
	})
	b.Run("why", func(b *testing.B) {
		got := best(5, torve(b, p.Dir, "why", id(7)), torve(b, p.Dir, "version"))
		above(b, 4, "`why` of a task among them", got[0], got[1], noop, "")
	})
	b.Run("dispatch with nothing to do", func(b *testing.B) {
		got := best(3, torve(b, p.Dir, "dispatch", "--no-mint", "--dry-run"), torve(b, p.Dir, "version"))
		above(b, 5, "`dispatch --dry-run`, 100 of them open", got[0], got[1], noop, "")
		size(b, 23, "memory of `dispatch --dry-run`", memory(b, p.Dir, "torve", "dispatch", "--no-mint", "--dry-run"), memory(b, p.Dir, "torve", "version"), noop)
	})
	clone := filepath.Join(b.TempDir(), "clone")
	p.Git("clone", "-q", "--no-local", ".", clone)
	b.Run("landings in a clone", func(b *testing.B) {
		got := best(5, torve(b, clone, "landings"), reading(b, clone, ".torve/execution"), torve(b, clone, "version"))
		above(b, 6, fmt.Sprintf("`landings` of %d files in a fresh clone", h.landed), got[0], got[2], noop, "300 ms")
		times(b, 7, "the same", got[0], got[1], read, "")
		size(b, 24, "memory of `landings` in the clone", memory(b, clone, "torve", "landings"), memory(b, clone, "torve", "version"), noop)
	})
	b.Run("status in a clone", func(b *testing.B) {
		got := best(3, torve(b, clone, "status"), reading(b, clone, ".torve"))
		times(b, 8, "`status` in the clone, without a record", got[0], got[1], read, "")
	})
}

func BenchmarkMint(b *testing.B) {
	h := history{tasks: 1000}
	p := h.write(b)
	got := best(3, func() time.Duration {
		must(b, os.RemoveAll(filepath.Join(p.Dir, ".git", "torve")))
		return torve(b, p.Dir, "mint")()
	}, reading(b, p.Dir, ".torve/tasks"))
	times(b, 9, "`mint` of 1000 contracts", got[0], got[1], read, "")
	got = best(5, torve(b, p.Dir, "mint"), torve(b, p.Dir, "version"))
	above(b, 10, "`mint` again, with nothing new", got[0], got[1], noop, "")
}

// work is a repository with contracts that an agent answers with one new file each.
func work(b *testing.B, n int, mode string) *gittest.Repo {
	b.Helper()
	r := gittest.New(b)
	r.Write(".torve/config.yaml", "schema: torve/config/v1\ntarget: main\nrecord: {partition: "+string(partition)+"}\n"+
		"agent: {default: mine}\nagents: {mine: {adapter: command, run: [\"/bin/sh\", \"-c\", \"mkdir -p shop/$TORVE_TASK && echo $TORVE_TASK > shop/$TORVE_TASK/new\"]}}\n"+
		"landing: {mode: "+mode+"}\n")
	r.Write(".torve/.gitignore", "telemetry.jsonl\nschemas/\n")
	for i := range n {
		text := strings.Replace(contractText(i), fmt.Sprintf("shop/p%04d/**", i), "shop/"+id(i)+"/**", 1)
		r.Write(".torve/tasks/"+id(i)+"/contract.yaml", strings.Replace(text, fmt.Sprintf("go test ./shop/p%04d/...", i), "'true'", 1))
	}
	r.Commit("Ask")
	return r
}

func BenchmarkDispatch(b *testing.B) {
	const n = 10
	r := work(b, n, "auto")
	one := torve(b, r.Dir, "dispatch", "--workers", "1")() / n
	trees := b.TempDir()
	i := 0
	got := best(10, func() time.Duration {
		i++
		took, _ := start(b, r.Dir, "git", "worktree", "add", "-q", "--detach", "--no-checkout", filepath.Join(trees, fmt.Sprint(i)))
		return took
	})
	above(b, 11, "a task from claim to landing, its agent writing one file", one, got[0], "`git worktree add --no-checkout`", "50 ms above")
}

func BenchmarkLand(b *testing.B) {
	const n = 10
	r := work(b, n, "manual")
	start(b, r.Dir, "torve", "dispatch", "--workers", "2")
	took := torve(b, r.Dir, "land")()
	got := best(5, shell(b, r.Dir, fmt.Sprintf("for i in $(seq %d); do git commit -q --allow-empty -m x; done", n)))
	rate(b, 12, "landings by `torve land`, a room made and acceptance run for each", n, took, got[0], "`git commit` of nothing", "")
}

func BenchmarkRecord(b *testing.B) {
	const n = 300
	floor := func() time.Duration {
		db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "x.db")+"?_pragma=journal_mode(wal)&_pragma=synchronous(full)")
		must(b, err)
		defer db.Close()
		_, err = db.Exec("CREATE TABLE t (x BLOB)")
		must(b, err)
		insert, err := db.Prepare("INSERT INTO t VALUES (?)")
		must(b, err)
		began := time.Now()
		for body := make([]byte, 300); len(body) < 300+n; body = append(body, 0) {
			_, err := insert.Exec(body[:300])
			must(b, err)
		}
		return time.Since(began)
	}
	timeOf := func(events func(i int) (record.Cond, record.Event)) func() time.Duration {
		return func() time.Duration {
			log, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "record.db"))
			must(b, err)
			defer log.Close()
			began := time.Now()
			for i := range n {
				cond, e := events(i)
				_, err := log.Append(b.Context(), partition, cond, e)
				must(b, err)
			}
			return time.Since(began)
		}
	}
	notes := timeOf(func(i int) (record.Cond, record.Event) {
		return record.TaskAt(id(0), record.Seq(i)), event(b, i, id(0), 0, "", record.ByPerson, record.Message{Text: "a line of some length, as people write them"})
	})
	claims := timeOf(func(i int) (record.Cond, record.Event) {
		return record.ClaimsAt(record.Seq(i)).And(record.TaskAt(id(i), 0)),
			event(b, i, id(i), 0, "C-"+id(i), record.ByDispatch, record.Claimed{Boot: "b", PID: 1, Start: "s", Worker: "w"})
	})
	got := best(4, notes, claims, floor)
	rate(b, 13, "durable appends", n, got[0], got[2], "a bare insert into SQLite", "")
	rate(b, 14, "claims", n, got[1], got[2], "a bare insert into SQLite", "")
}
