package git

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestACommitWrittenIsReadBackAndIsGits(t *testing.T) {
	g, r, parent := seeded(t)
	tree := must(r.TreeID(ctx, parent))(t)
	zone := time.FixedZone("", 5*3600+1800)
	id := must(r.WriteCommit(ctx, Commit{
		Tree: tree, Parents: []string{parent}, Author: Person{" Zoë <the> Great.\n", "zoe@example.com"},
		At: noon.In(zone), Message: "Título\n\nBody — 漢字\n\nTorve-Task: T-0001",
	}, false))(t)
	same(t, "git's reading", g.Git("log", "-1", "--format=%an|%ae|%ai|%cn|%ci|%s", id),
		"Zoë the Great|zoe@example.com|2026-03-01 17:30:00 +0530|Zoë the Great|2026-03-01 17:30:00 +0530|Título")
	c := must(r.ReadCommit(ctx, id))(t)
	same(t, "at", c.At, noon)
	same(t, "title", c.Title(), "Título")
	same(t, "message", c.Message, "Título\n\nBody — 漢字\n\nTorve-Task: T-0001\n")
	same(t, "trailer", c.Trailers()["Torve-Task"], "T-0001")
	same(t, "parents", strings.Join(c.Parents, " "), parent)
	g.Git("fsck", "--strict", "--no-dangling")
	for _, bad := range []Commit{{Tree: tree, Message: "x"}, {Tree: tree, Author: Person{"<>", "x"}}, {Tree: tree, Author: Person{"a", "b"}, Message: "x\x00"}} {
		if _, err := r.WriteCommit(ctx, bad, false); err == nil {
			t.Errorf("%+v was written", bad)
		}
	}
}

func TestTrailersAreTheLastBlockOnly(t *testing.T) {
	for _, c := range []struct {
		name, message string
		want          map[string]string
	}{
		{"the title alone", "A: b\n", nil},
		{"a block", "t\n\nA: b\nC-D:e\n", map[string]string{"A": "b", "C-D": "e"}},
		{"an earlier block", "t\n\nA: b\n\nprose\n", nil},
		{"prose with a colon", "t\n\nSee: this\nand that\n", nil},
		{"the last of a key wins", "t\n\nA: 1\nA: 2\n", map[string]string{"A": "2"}},
		{"a line goes on", "t\n\nA: one\n  two\n", map[string]string{"A": "one two"}},
		{"cherry-pick's line", "t\n\nA: b\n(cherry picked from commit 123)\n", map[string]string{"A": "b"}},
		{"CRLF", "t\r\n\r\nA: b\r\n", map[string]string{"A": "b"}},
		{"a value with a colon", "t\n\nA: b: c\n", map[string]string{"A": "b: c"}},
		{"nothing", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := (Commit{Message: c.message}).Trailers(); !reflect.DeepEqual(got, c.want) {
				t.Fatalf("got %v, want %v", got, c.want)
			}
		})
	}
}

// A signing program as git calls it: the signature goes to stdout, the status to fd 2.
func TestACommitIsSignedAsThePersonSigns(t *testing.T) {
	g, r, parent := seeded(t)
	program := filepath.Join(t.TempDir(), "gpg")
	write(t, program, "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED x' >&2\necho '-----BEGIN PGP SIGNATURE-----'\necho x\necho '-----END PGP SIGNATURE-----'\n")
	ok(t, os.Chmod(program, 0o755))
	g.Git("config", "gpg.program", program)
	same(t, "signs", must(r.Signs(ctx))(t), false)
	g.Git("config", "commit.gpgSign", "yes")
	same(t, "signs", must(r.Signs(ctx))(t), true)
	c := Commit{Tree: must(r.TreeID(ctx, parent))(t), Parents: []string{parent}, Author: Person{"a", "a@b.c"}, At: noon, Message: "m"}
	id := must(r.WriteCommit(ctx, c, true))(t)
	if raw := g.Git("cat-file", "-p", id); !strings.Contains(raw, "BEGIN PGP SIGNATURE") {
		t.Fatalf("no signature in\n%s", raw)
	}
	got := must(r.ReadCommit(ctx, id))(t)
	same(t, "message", got.Message, "m\n")
	same(t, "at", got.At, noon)
	same(t, "committer", got.Committer, Person{"a", "a@b.c"})
}

func TestACommitThatCannotBeSignedMovesNothing(t *testing.T) {
	g, r, head := seeded(t)
	g.Git("config", "gpg.program", "false")
	g.Git("config", "commit.gpgSign", "true")
	blob := must(r.WriteBlob(ctx, []byte("x")))(t)
	_, err := r.CommitOn(ctx, "main", "m", noon, Edit{"x", modeFile, blob})
	refuses(t, err, "gpg failed to sign")
	same(t, "main", g.Git("rev-parse", "main"), head)
	status := must(r.Status(ctx, g.Dir))(t)
	sameList(t, "status", status.Paths)
}

func TestRefsMoveAllOrNone(t *testing.T) {
	g, r, one := seeded(t)
	two := g.Commit("two")
	ok(t, r.UpdateRefs(ctx, RefUpdate{"refs/torve/a", "", one}, RefUpdate{"refs/torve/b", "", two}))
	for name, bad := range map[string]RefUpdate{
		"absent and is there":    {"refs/torve/b", "", one},
		"another old value":      {"refs/torve/b", one, two},
		"deleted by another":     {"refs/torve/b", one, ""},
		"there and is absent":    {"refs/torve/none", one, two},
		"deleted and is absent":  {"refs/torve/none", one, ""},
		"verified absent, there": {"refs/torve/b", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := r.UpdateRefs(ctx, RefUpdate{"refs/torve/a", one, two}, bad)
			if !errors.Is(err, ErrRefMoved) {
				t.Fatalf("got %v", err)
			}
			same(t, "refs/torve/a", g.Git("rev-parse", "refs/torve/a"), one)
		})
	}
	ok(t, r.UpdateRefs(ctx, RefUpdate{"refs/torve/a", one, two}, RefUpdate{"refs/torve/b", two, ""}, RefUpdate{"refs/torve/none", "", ""}))
	refs := must(r.Refs(ctx, "refs/torve/"))(t)
	if len(refs) != 1 || refs["refs/torve/a"] != two {
		t.Fatalf("refs %v", refs)
	}
	for _, bad := range []RefUpdate{{"main", "", one}, {"refs/x\x00y", "", one}, {"refs/x", "", "HEAD"}, {"refs/x y", "", one}} {
		if err := r.UpdateRefs(ctx, bad); err == nil {
			t.Errorf("%+v was written", bad)
		}
	}
	ok(t, r.UpdateRefs(ctx))
}

func TestALockOnARefIsWaitedForBriefly(t *testing.T) {
	g, r, one := seeded(t)
	lock := filepath.Join(g.Dir, ".git", "refs", "heads", "main.lock")
	write(t, lock, "")
	go func() {
		time.Sleep(150 * time.Millisecond)
		os.Remove(lock)
	}()
	two := edited(t, r, one, "two", map[string]string{"x": "x"})
	ok(t, r.UpdateRefs(ctx, RefUpdate{"refs/heads/main", one, two}))
	same(t, "main", g.Git("rev-parse", "main"), two)
}

func TestOnlyOneOfManyMovesARef(t *testing.T) {
	_, r, one := seeded(t)
	const n = 8
	won := make(chan bool, n)
	next := make([]string, n)
	for i := range n {
		next[i] = edited(t, r, one, "next", map[string]string{"x": strings.Repeat("x", i+1)})
	}
	for _, id := range next {
		go func() {
			err := r.UpdateRefs(ctx, RefUpdate{"refs/heads/main", one, id})
			if err != nil && !errors.Is(err, ErrRefMoved) {
				t.Error(err)
			}
			won <- err == nil
		}()
	}
	wins := 0
	for range n {
		if <-won {
			wins++
		}
	}
	same(t, "winners", wins, 1)
}

func TestLocksAreByNameAndNamesMayHoldSlashes(t *testing.T) {
	_, r, _ := seeded(t)
	names := []string{"target-feature/x", "target-feature%2Fx", "worktree", strings.Repeat("é/", 300), strings.Repeat("é/", 300) + "x"}
	for _, name := range names {
		release, err := r.Lock(ctx, name)
		ok(t, err)
		defer release()
	}
	for _, name := range names {
		_, held, err := r.TryLock(name)
		ok(t, err)
		same(t, "held "+name, held, false)
	}
	release, held, err := r.TryLock("free")
	ok(t, err)
	same(t, "held", held, true)
	release()
	release, held, err = r.TryLock("free")
	ok(t, err)
	same(t, "held again", held, true)
	release()
}
