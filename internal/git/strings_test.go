package git

import (
	"slices"
	"strings"
	"testing"
)

func TestWhatIsTextInABinaryIsRead(t *testing.T) {
	_, r, _ := seeded(t)
	id := must(r.WriteBlob(t.Context(), []byte("\x00\x01one run\x00no\x02another\n")))(t)
	var got []string
	ok(t, r.Strings(t.Context(), id, 4, func(run string) { got = append(got, run) }))
	sameList(t, "runs", got, "one run", "another")
}

func TestASieveFindsRuns(t *testing.T) {
	var got []string
	s := sieve{least: 4, take: func(run string) { got = append(got, run) }}
	for _, p := range []string{"ab\x00abcd", "ef\x00\x01xy\x00", "last"} {
		_, _ = s.Write([]byte(p))
	}
	s.end()
	if !slices.Equal(got, []string{"abcdef", "last"}) {
		t.Errorf("%q", got)
	}
}

func TestALongRunComesInPiecesThatOverlap(t *testing.T) {
	n, needle := 0, strings.Repeat("k", 40)
	s := sieve{least: 4, take: func(run string) {
		if len(run) > mostRun {
			t.Errorf("a piece of %d bytes", len(run))
		}
		if strings.Contains(run, needle) {
			n++
		}
	}}
	_, _ = s.Write([]byte(strings.Repeat("x", mostRun-20) + needle + strings.Repeat("x", 2*mostRun)))
	s.end()
	if n == 0 {
		t.Error("what stands where two pieces meet is in neither")
	}
}
