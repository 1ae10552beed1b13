package view_test

import (
	"strings"
	"testing"
	"time"

	"torve/internal/view"
)

func TestADurationIsSaidAsPeopleSayIt(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "<0.1 s", 49 * time.Millisecond: "<0.1 s", 50 * time.Millisecond: "0.1 s", 840 * time.Millisecond: "0.8 s",
		9960 * time.Millisecond: "10 s", 19 * time.Second: "19 s", 59600 * time.Millisecond: "1 min",
		320 * time.Second: "5 min 20 s", 240 * time.Second: "4 min", 107 * time.Minute: "1 h 47 min", 6 * time.Hour: "6 h",
	} {
		if got := view.Took(d); got != want {
			t.Errorf("%s is said %q, and %q was expected", d, got, want)
		}
	}
}

func TestWordsAreColouredOnlyWhereColourIsWanted(t *testing.T) {
	if got := (view.Style{}).Paint("  refused  "); got != "  refused  " {
		t.Errorf("%q", got)
	}
	s := view.Style{Color: true}
	for word, code := range map[string]string{"landed 4e1f0aa": "32", "refused, needs you": "31", "no  ": "31", "needs you (2)": "33"} {
		if got := s.Paint(word); got != "\x1b["+code+"m"+word+"\x1b[0m" {
			t.Errorf("%q", got)
		}
	}
	for _, word := range []string{"noted", "", "nothing", "landings"} {
		if got := s.Paint(word); got != word {
			t.Errorf("%q", got)
		}
	}
}

func TestATextIsWrappedByColumnsAndNotByBytes(t *testing.T) {
	s := view.Style{Width: 24}
	got := s.Lines("asked  ", "把购物篮 重命名为 购物车 在所有被调用的地方", 7)
	for _, l := range got[:2] {
		if view.Width(l) > 24 {
			t.Errorf("%q takes %d columns", l, view.Width(l))
		}
	}
	if len(got) != 3 || !strings.HasPrefix(got[1], "       ") {
		t.Errorf("%q", got)
	}
	if cut := s.Cut("把购物篮重命名为购物车", 9); cut != "把购物篮…" {
		t.Errorf("%q", cut)
	}
	if cut := (view.Style{ASCII: true}).Pad("Rename Basket to Cart", 12); view.Width((view.Style{ASCII: true}).Print(cut)) != 12 {
		t.Errorf("%q", cut)
	}
}
