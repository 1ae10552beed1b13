package recordtest

import (
	"context"
	"errors"
	"maps"
	"testing"

	"torve/internal/record"
)

// snapshots gives the log as a store of snapshots, which a driver need not be.
func snapshots(t *testing.T, d Driver) (record.Log, record.Snapshots) {
	t.Helper()
	l := open(t, d)
	s, can := l.(record.Snapshots)
	if !can {
		t.Skip("this driver keeps no snapshots")
	}
	return l, s
}

func snapshot(seq record.Seq, parts ...string) record.Snapshot {
	s := record.Snapshot{Name: "board", Form: "1", Seq: seq, Hash: Digest("1"), Parts: map[string][]byte{}}
	for _, p := range parts {
		s.Parts[p] = []byte("the part " + p)
	}
	return s
}

func keeps(t *testing.T, d Driver) {
	l, s := snapshots(t, d)
	ctx := context.Background()
	if _, err := s.Kept(ctx, part, "board"); !errors.Is(err, record.ErrNone) {
		t.Fatalf("of no snapshot: %v", err)
	}
	add(t, l, part, message(t, "", "one"))
	ok(t, s.Keep(ctx, part, snapshot(1, "index", "a", "b")))
	ok(t, s.Keep(ctx, part, record.Snapshot{Name: "other", Form: "1", Seq: 1, Parts: map[string][]byte{"index": {}}}))
	equal(t, s, "board", snapshot(1, "index", "a", "b"))
	equal(t, s, "board", snapshot(1, "index"), "index")
	equal(t, s, "board", snapshot(1, "index", "b"), "b", "index", "absent")
	if _, err := s.Kept(ctx, "acme/other", "board"); !errors.Is(err, record.ErrNone) {
		t.Errorf("of another partition: %v", err)
	}
	if got := all(t, l, part, 1); len(got) != 1 {
		t.Errorf("%d events, and a snapshot is none", len(got))
	}
	sound(t, l)
}

func keepsNewest(t *testing.T, d Driver) {
	_, s := snapshots(t, d)
	ctx := context.Background()
	ok(t, s.Keep(ctx, part, snapshot(7, "index", "a")))
	ok(t, s.Keep(ctx, part, snapshot(6, "index", "b")))
	equal(t, s, "board", snapshot(7, "index", "a"))
	newer := snapshot(9, "index", "c")
	newer.Parts["index"] = []byte("it changed")
	ok(t, s.Keep(ctx, part, newer))
	equal(t, s, "board", newer)
	other := snapshot(2, "index")
	other.Form = "2" // of other code, which knows best what it wants
	ok(t, s.Keep(ctx, part, other))
	equal(t, s, "board", other)
}

func givesNamedParts(t *testing.T, d Driver) {
	_, s := snapshots(t, d)
	ctx := context.Background()
	whole := snapshot(3, "index", "marks/1", "marks/2", "marks", "marks0", "tasks/1", "tasks/2")
	ok(t, s.Keep(ctx, part, whole))
	equal(t, s, "board", whole)
	equal(t, s, "board", snapshot(3, "index", "marks/1", "marks/2"), "index", "marks/")
	equal(t, s, "board", snapshot(3, "marks", "tasks/1", "tasks/2"), "tasks/1", "marks", "tasks/2", "tasks/3")
	equal(t, s, "board", snapshot(3), "absent/")
}

func keepsWhatHasNotChanged(t *testing.T, d Driver) {
	_, s := snapshots(t, d)
	ctx := context.Background()
	ok(t, s.Keep(ctx, part, snapshot(3, "index", "a", "b", "c")))
	next := snapshot(5, "index", "a", "b", "d")
	next.Upon, next.Parts["a"], next.Parts["b"] = 3, nil, []byte("it changed")
	ok(t, s.Keep(ctx, part, next))
	there := snapshot(5, "index", "a", "b", "d")
	there.Parts["b"] = next.Parts["b"]
	equal(t, s, "board", there)
	for why, wrong := range map[string]func(*record.Snapshot){
		"a part that is not there": func(n *record.Snapshot) { n.Parts["c"] = nil },
		"of another form":          func(n *record.Snapshot) { n.Form = "2" },
		"upon a later one":         func(n *record.Snapshot) { n.Upon = 6 },
	} {
		n := snapshot(7, "index", "a", "b")
		n.Upon, n.Parts["a"] = 5, nil
		wrong(&n)
		if err := s.Keep(ctx, part, n); !errors.Is(err, record.ErrMoved) {
			t.Errorf("%s: %v", why, err)
		}
		equal(t, s, "board", there)
	}
	older := snapshot(4, "index", "c")
	older.Upon, older.Parts["c"] = 3, nil
	ok(t, s.Keep(ctx, part, older)) // a newer one stays, and nothing is amiss
	equal(t, s, "board", there)
}

func equal(t *testing.T, s record.Snapshots, name string, want record.Snapshot, parts ...string) {
	t.Helper()
	got, err := s.Kept(context.Background(), part, name, parts...)
	ok(t, err)
	same := maps.EqualFunc(got.Parts, want.Parts, func(a, b []byte) bool { return string(a) == string(b) })
	if !same || got.Name != want.Name || got.Form != want.Form || got.Seq != want.Seq || got.Hash != want.Hash {
		t.Errorf("kept %+v, want %+v", got, want)
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// KeepWrong keeps a snapshot that says it is of the newest event, in a form that is read,
// and holds nothing that it should.
func KeepWrong(ctx context.Context, log record.Log, p record.Partition, name, form string) error {
	kept := record.Snapshot{Name: name, Form: form, Parts: map[string][]byte{"index": {0}}}
	for e, err := range log.Read(ctx, p, 1) {
		if err != nil {
			return err
		}
		kept.Seq, kept.Hash = e.Seq, e.Hash
	}
	snapshots, keeps := log.(record.Snapshots)
	if !keeps {
		return errors.New("this log keeps no snapshots")
	}
	return snapshots.Keep(ctx, p, kept)
}
