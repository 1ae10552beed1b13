package git

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var someID = strings.Repeat("0123456789abcdef", 3)[:40]

// corpus gives a fuzz target some seeds.
func corpus(f *testing.F, seeds ...string) {
	f.Helper()
	for _, s := range seeds {
		f.Add([]byte(s))
	}
}

func FuzzDecodeTree(f *testing.F) {
	corpus(f, "", "100644 a\x00"+strings.Repeat("x", 20), "40000 d\x00short", "100644 \x00", " a\x00")
	f.Fuzz(func(t *testing.T, data []byte) {
		nodes, err := decodeTree(data, 20)
		if err != nil {
			return
		}
		again, err := encodeTree(nodes)
		if err != nil {
			t.Fatal(err)
		}
		back, err := decodeTree(again, 20)
		if err != nil || len(back) != len(nodes) {
			t.Fatalf("%q became %q: %v", data, again, err)
		}
	})
}

func FuzzDecodeCommit(f *testing.F) {
	corpus(f, "", "tree "+someID+"\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nm\n",
		"tree x\ngpgsig -----\n tree y\n\nm", "tree x\nauthor >< 1\n\n", "tree x\nauthor a <b> 99999999999999999999 +0\n\n")
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := decodeCommit(someID, data)
		if err == nil && c.Tree == "" {
			t.Fatalf("%q has no tree", data)
		}
		_ = c.Trailers()
		_ = c.Title()
	})
}

func FuzzParsePatch(f *testing.F) {
	corpus(f, "", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n\\ No newline at end of file\n",
		"+++ \"b/q\\\"\\n\\346\\274\\242\"\n@@ -0,0 +1 @@\n+x\n", "+++ b/a b\t\n@@ -1,0 +2 @@ f\n+\n", "@@ - + @@\n", "@@ -1 +1,999999999 @@\n+x\n", "+++ x\n")
	f.Fuzz(func(t *testing.T, data []byte) {
		added := map[string][]Line{}
		err := parsePatch(string(data), added)
		if err != nil {
			return
		}
		total := 0
		for _, lines := range added {
			total += len(lines)
		}
		if total > bytes.Count(data, []byte("+")) {
			t.Fatalf("%d lines out of %q", total, data)
		}
	})
}

func FuzzParseDiff(f *testing.F) {
	corpus(f, "", ":100644 000000 "+someID+" "+strings.Repeat("0", 40)+" D\x00x\x000\t2\tx\x00", "1\t1\tx\x00", ":\x00", ":a b c d e\x00x\x00")
	f.Fuzz(func(t *testing.T, data []byte) {
		deltas, err := parseDiff(data)
		for _, d := range deltas {
			if err == nil && d.Status == "" {
				t.Fatalf("%q: %+v", data, d)
			}
		}
	})
}

func FuzzParseLog(f *testing.F) {
	corpus(f, "", someID+"\x00\n:100644 100644 a b M\x00"+someID+"\x00"+someID+"\x00", ":x\x00", "\n\n")
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parseLog(data)
		for _, c := range list {
			if err == nil && !isID(c.ID) {
				t.Fatalf("%q: %+v", data, c)
			}
		}
	})
}

func FuzzParseMerge(f *testing.F) {
	corpus(f, "", someID+"\x00", someID+"\x00a\x00\x001\x00a\x00CONFLICT (contents)\x00words\n\x00", someID+"\x00\x00-1\x00", someID+"\x00\x0099999999\x00x\x00")
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, _, _, err := parseMerge(data)
		if err == nil && !isID(tree) {
			t.Fatalf("%q: %q", data, tree)
		}
	})
}

func FuzzParseStatus(f *testing.F) {
	corpus(f, "", "?? x\x00 M y\x00A  z\x00", "M", "MMx\x00")
	f.Fuzz(func(t *testing.T, data []byte) {
		s := parseStatus(data)
		if len(s.Untracked) > len(s.Paths) || len(s.Staged) > len(s.Paths) {
			t.Fatalf("%q: %+v", data, s)
		}
	})
}

func FuzzParsePlaces(f *testing.F) {
	corpus(f, "", "worktree /a\x00HEAD "+someID+"\x00branch refs/heads/b\x00\x00worktree /c\x00bare\x00\x00", "branch x\x00", "locked\x00\x00worktree\x00")
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(parsePlaces(data, someID)) > bytes.Count(data, []byte("worktree")) {
			t.Fatalf("%q", data)
		}
	})
}

func FuzzParseBlame(f *testing.F) {
	corpus(f, "", someID+" 1 1 1\nauthor a\nauthor-mail <b>\nauthor-time 1\nsummary s\nfilename f\n\ttext\n", "\tx", "author-time x\n")
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := parseBlame(string(data))
		if err == nil && !isID(b.Commit) {
			t.Fatalf("%q: %+v", data, b)
		}
	})
}

func FuzzAnswerHead(f *testing.F) {
	corpus(f, "", someID+" blob 3\n", someID+" missing\n", someID+" blob -1\n", "x y z\n")
	f.Fuzz(func(t *testing.T, data []byte) {
		_, size, err := answerHead(string(data), someID)
		if err == nil && size < 0 {
			t.Fatalf("%q: %d", data, size)
		}
	})
}

func FuzzUnquote(f *testing.F) {
	corpus(f, `""`, `"a\"b"`, `"\346\274\242"`, `"\`, `"\9"`, `"\77`, `"\400"`)
	f.Fuzz(func(t *testing.T, data []byte) { _, _ = unquote(string(data)) })
}

func TestATreeWrittenIsTheTreeRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z.\-0漢]{1,4}`), 0, 8, rapid.ID[string]).Draw(t, "names")
		var nodes []node
		for _, name := range names {
			mode := rapid.SampledFrom([]string{modeTree, modeFile, modeExec, modeSymlink, modeModule}).Draw(t, "mode")
			nodes = append(nodes, node{mode: mode, name: name, id: someID})
		}
		data, err := encodeTree(nodes)
		if err != nil {
			t.Fatal(err)
		}
		back, err := decodeTree(data, 20)
		if err != nil || len(back) != len(nodes) || len(nodes) > 0 && !reflect.DeepEqual(back, nodes) { // encoding sorts them
			t.Fatalf("got %v, want %v: %v", back, nodes, err)
		}
	})
}
