package git

import (
	"context"
	"testing"
	"time"

	"torve/internal/git/gittest"
)

func TestSmoke(t *testing.T) {
	ctx := context.Background()
	g := gittest.New(t)
	r, err := Open(ctx, g.Dir)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = r.Head(ctx)
	t.Log(err)
	_, err = r.Root(ctx)
	t.Log(err)
	g.Write("a/b/c.txt", "x\n")
	g.Write("d", "y\n")
	c := g.Commit("one")
	t.Log(r.Head(ctx))
	t.Log(r.Root(ctx))
	t.Log(r.Identity(ctx))
	t.Log(r.Tree(ctx, "HEAD", ""))
	t.Log(r.Tree(ctx, "HEAD", "a/"))
	b, err := r.WriteBlob(ctx, []byte("hello"))
	t.Log(b, err)
	tr, err := r.EditTree(ctx, "HEAD", Edit{"q/r/s", "100644", b}, Edit{"d", "", ""})
	t.Log(tr, err)
	t.Log(r.Tree(ctx, tr, ""))
	id, err := r.WriteCommit(ctx, Commit{Tree: tr, Parents: []string{c}, Author: Person{"a", "b"}, At: time.Unix(1000, 0), Message: "x\n\nA: b"}, false)
	t.Log(id, err)
	t.Log(g.Git("fsck", "--strict"))
	rc, err := r.ReadCommit(ctx, id)
	t.Log(rc, err, rc.Trailers())
	t.Log(r.UpdateRefs(ctx, RefUpdate{"refs/torve/x", "", id}))
	t.Log(r.UpdateRefs(ctx, RefUpdate{"refs/torve/x", "", id}))
	t.Log(r.UpdateRefs(ctx, RefUpdate{"refs/torve/x", c, id}))
	t.Log(r.Refs(ctx, "refs/"))
	t.Log(g.Git("cat-file", "-p", id))
	t.Log(g.Try("sh", "-c", "ls -l .git/objects/*"))
	t.Log(r.Resolve(ctx, "nope"))
	t.Log(r.Resolve(ctx, "HEAD:d"))
	t.Log(Open(ctx, "/tmp"))
}
