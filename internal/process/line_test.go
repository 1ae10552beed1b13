package process

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestTheLastLineHasSomethingToRead(t *testing.T) {
	for in, want := range map[string]string{
		"":                              "",
		"\n\n":                          "",
		"one\ntwo\n\n  \n":              "two",
		"no newline":                    "no newline",
		"a\r\nb\r\n":                    "b",
		"10%\r50%\r100%\r":              "100%",
		"\x1b[31mred\x1b[0m\n\x1b[2K\n": "red",
		"\x1b]0;title\x07text":          "text",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\!": "link!",
		"bell\a and\tnull\x00":                      "bell and null",
		"caf\xe9":                                   "caf?",
		"\u202Eevil":                                "evil",
		"日本語\n":                                     "日本語",
	} {
		if got := LastLine([]byte(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestALongLastLineIsCutAtARune(t *testing.T) {
	got := LastLine([]byte("first\n" + strings.Repeat("é", 1000)))
	if len(got) > 500 || !strings.HasSuffix(got, "é…") || !utf8.ValidString(got) {
		t.Errorf("%d bytes %q", len(got), got)
	}
}

func FuzzLastLineIsAlwaysFitToShow(f *testing.F) {
	f.Add([]byte("\x1b[31mred\x1b[0m\r\n\x1b]0;x\x07"))
	f.Add([]byte("caf\xe9\n\x9b31m"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := LastLine(text)
		if len(got) > 500 || !utf8.ValidString(got) || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("%q", got)
		}
	})
}

func TestHeadAndTailAreKeptAndTheCutIsCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Int64Range(256, 2000).Draw(t, "cap")
		c := newCapture(limit)
		var all bytes.Buffer
		for _, piece := range rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 900)).Draw(t, "pieces") {
			_, _ = c.Write(piece)
			all.Write(piece)
		}
		got := c.Bytes()
		if int64(len(got)) > limit {
			t.Fatalf("%d bytes kept of at most %d", len(got), limit)
		}
		cut := int64(all.Len()) - int64(len(c.head)) - int64(len(c.tail))
		want := all.Bytes()
		if cut > 0 {
			line := fmt.Sprintf("\n[... %d bytes cut here ...]\n", cut)
			want = append(append(append([]byte{}, want[:len(c.head)]...), line...), want[int64(len(c.head))+cut:]...)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("kept %q of %q", got, all.Bytes())
		}
	})
}

func TestTheLastLineIsFoundAcrossHeadAndTail(t *testing.T) {
	c := newCapture(256)
	_, _ = c.Write([]byte(strings.Repeat("a", 90) + "\n" + strings.Repeat("b", 60)))
	if got := c.Last(); got != strings.Repeat("b", 60) {
		t.Errorf("%q", got)
	}
	_, _ = c.Write(bytes.Repeat([]byte("\n"), 1000))
	if got := c.Last(); got == "" {
		t.Error("blank lines hid the line in the head")
	}
}

func TestLinesAreWholeHoweverTheyCome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ab\n]{0,60}`).Draw(t, "text")
		var l lines
		var got []string
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			l.each([]byte(rest[:n]), func(line []byte) { got = append(got, string(line)) })
			rest = rest[n:]
		}
		want := strings.Fields(text)
		if !strings.HasSuffix(text, "\n") && len(want) > 0 {
			want = want[:len(want)-1]
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q gave %q", text, got)
		}
	})
}
