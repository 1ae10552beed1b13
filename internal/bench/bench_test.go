package bench

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"torve/internal/git/gittest"
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
	size(b, 80, "memory of a verb that does nothing", memory(b, dir, "torve", "version"), memory(b, dir, "hello"), "the program that says hello")
}

// BenchmarkClone is what a clone without a record answers over ten thousand landings.
func BenchmarkClone(b *testing.B) {
	h := history{tasks: 10_000, landed: 9_900}
	p := h.write(b)
	clone := filepath.Join(b.TempDir(), "clone")
	p.Git("clone", "-q", "--no-local", ".", clone)
	b.Run("landings", func(b *testing.B) {
		got := best(5, torve(b, clone, "landings"), reading(b, clone, ".torve/execution"), torve(b, clone, "version"))
		above(b, 60, fmt.Sprintf("`landings` of %d files in a fresh clone", h.landed), got[0], got[2], noop, "300 ms")
		times(b, 61, "the same", got[0], got[1], read, "")
		size(b, 84, "memory of `landings` in the clone", memory(b, clone, "torve", "landings"), memory(b, clone, "torve", "version"), noop)
	})
	b.Run("status", func(b *testing.B) {
		got := best(3, torve(b, clone, "status"), reading(b, clone, ".torve"))
		times(b, 62, "`status` in the clone, without a record", got[0], got[1], read, "")
	})
}

func BenchmarkMint(b *testing.B) {
	h := history{tasks: 1000}
	p := h.write(b)
	got := best(3, func() time.Duration {
		must(b, os.RemoveAll(filepath.Join(p.Dir, ".git", "torve")))
		return torve(b, p.Dir, "mint")()
	}, reading(b, p.Dir, ".torve/tasks"))
	times(b, 63, "`mint` of 1000 contracts", got[0], got[1], read, "")
	got = best(5, torve(b, p.Dir, "mint"), torve(b, p.Dir, "version"))
	above(b, 64, "`mint` again, with nothing new", got[0], got[1], noop, "")
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
	above(b, 65, "a task from claim to landing, its agent writing one file", one, got[0], "`git worktree add --no-checkout`", "50 ms above")
}

func BenchmarkLand(b *testing.B) {
	const n = 10
	r := work(b, n, "manual")
	start(b, r.Dir, "torve", "dispatch", "--workers", "2")
	took := torve(b, r.Dir, "land")()
	got := best(5, shell(b, r.Dir, fmt.Sprintf("for i in $(seq %d); do git commit -q --allow-empty -m x; done", n)))
	rate(b, 66, "landings by `torve land`, a room made and acceptance run for each", n, took, got[0], "`git commit` of nothing", "")
}
