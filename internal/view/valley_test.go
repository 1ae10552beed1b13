package view_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"torve/internal/sim"
	"torve/internal/view"
	"torve/internal/village"
)

// meadow is a small valley by hand: a pond, and a corner that somebody has eaten.
func meadow() view.Valley {
	v := view.Valley{
		Tick: 5020, Day: 2, Hour: "twenty past nine in the morning", Clock: "09:20", Most: 100,
		Rows: []string{"......", ".~~...", "......"}, Foot: "Made by hand.", Next: "next: torve world",
	}
	for y := range v.Rows {
		v.Crop = append(v.Crop, make([]float64, len(v.Rows[y])))
		for x := range v.Rows[y] {
			v.Crop[y][x] = 100
		}
	}
	v.Crop[2] = []float64{0, 15, 30, 50, 70, 85}
	v.Bodies = []view.ValleyBody{
		{ID: 1, Name: "Halla", Kind: "villager", Cell: sim.Coord{X: 0, Y: 2}, Heading: 14, Looks: "NE", Grams: 12.5, Holds: 300, Sees: []sim.EntityID{2}, Doing: "rests"},
		{ID: 2, Name: "Ander", Kind: "villager", Cell: sim.Coord{X: 4, Y: 0}, Heading: 8, Looks: "W", Grams: 300, Holds: 300, Sees: []sim.EntityID{}, Doing: "goes to 2,2"},
		{ID: 3, Name: "Halldis", Kind: "villager", Cell: sim.Coord{X: 4, Y: 0}, Heading: 3, Looks: "SSE", Grams: 150, Holds: 300, Sees: []sim.EntityID{1, 2, 4, 7}, Doing: "gives"},
		{ID: 4, Kind: "browser", Cell: sim.Coord{X: 5, Y: 1}, Heading: 4, Looks: "S", Grams: 0, Holds: 300, Sees: []sim.EntityID{}, Doing: "rests"},
	}
	v.Buried = []view.ValleyGrave{{ID: 7, Name: "Mose", Kind: "villager", Tick: 4900, Cell: sim.Coord{X: 3, Y: 2}}}
	v.Witness = []view.ValleyRow{
		{Tick: 4000, Name: "Halla", Register: "did", Text: "an older row, which has no room"},
		{Tick: 4899, Name: "Ander", Register: "saw", Text: "Mose came into sight, 1.0 cells off"},
		{Tick: 5001, Name: "Halla", Register: "did", Text: "ate 50 mouthfuls on 0,2, 25.0 grams"},
		{Tick: 5019, Name: "Halldis", Register: "did", Text: "went from 5,2 to 4,0"},
	}
	return v
}

func drawn(t *testing.T, v view.Valley, s view.Style) string {
	t.Helper()
	return text(t, func(b *bytes.Buffer) error { return v.Text(b, s) })
}

func TestTheValleyIsDrawnWithWhoLivesInIt(t *testing.T) {
	for name, s := range map[string]view.Style{
		"valley": {Width: 80}, "valley-ascii": {Width: 80, ASCII: true}, "valley-narrow": {Width: 60}, "valley-narrowest": {Width: 40, ASCII: true},
	} {
		got := drawn(t, meadow(), s)
		golden(t, name, got)
		for l := range strings.Lines(got) {
			if view.Width(strings.TrimRight(l, "\n")) > s.Width {
				t.Errorf("%s: wider than %d: %q", name, s.Width, l)
			}
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return r > 126 }); s.ASCII && i >= 0 {
			t.Errorf("%s: %q", name, got[i:])
		}
	}
}

func TestTwoOnOneCellShareItAndMoreAreCounted(t *testing.T) {
	v := meadow()
	v.Rows, v.Crop = []string{"." + strings.Repeat("~", 13)}, [][]float64{make([]float64, 14)}
	v.Bodies = nil
	for i, name := range strings.Fields("Ander Halla Borg Cid Dag") {
		v.Bodies = append(v.Bodies, view.ValleyBody{ID: sim.EntityID(i + 1), Name: name, Heading: 8 - 2*i, Doing: "rests"})
		for width, want := range map[int]string{80: []string{"A←  ", "A←H↙", "AHB ", "AHBC", "5   "}[i], 40: []string{"A←", "AH", "3 ", "4 ", "5 "}[i], 24: []string{"A", "2", "3", "4", "5"}[i]} {
			row, _, _ := strings.Cut(strings.Split(drawn(t, v, view.Style{Width: width}), "\n")[3], "~")
			if got := strings.TrimPrefix(row, " 0  "); strings.TrimRight(got, " ") != strings.TrimRight(want, " ") {
				t.Errorf("%d bodies, %d columns: %q", i+1, width, row)
			}
		}
	}
}

func TestABodyIsDrawnUponTheGroundThatItHasEatenBare(t *testing.T) {
	got := drawn(t, meadow(), view.Style{Width: 80})
	if row := strings.Split(got, "\n")[5]; !strings.HasPrefix(row, ` 2  H↗  .   . . ' . ' ' " ' `) {
		t.Errorf("%q", row)
	}
}

func TestWhoWasBuriedIsNamedAndNotDrawn(t *testing.T) {
	v := meadow()
	v.Bodies = nil
	got := drawn(t, v, view.Style{Width: 80})
	if !strings.Contains(got, "Mose was buried on 3,2 at tick 4900") || strings.Contains(got, "M↑") {
		t.Errorf("%s", got)
	}
	v.Buried = nil
	if got := drawn(t, v, view.Style{Width: 80}); !strings.Contains(got, "nobody lives here") {
		t.Errorf("%s", got)
	}
}

func TestAColouredValleySaysWhatAPlainOneDoes(t *testing.T) {
	coloured := drawn(t, meadow(), view.Style{Width: 80, Color: true})
	if !strings.Contains(coloured, "\x1b[48;5;") {
		t.Error("it has no colour")
	}
	var plain strings.Builder
	for i, part := range strings.Split(coloured, "\x1b[") {
		if i > 0 {
			_, part, _ = strings.Cut(part, "m")
		}
		plain.WriteString(part)
	}
	trim := func(text string) (out []string) {
		for l := range strings.Lines(text) {
			out = append(out, strings.TrimRight(l, " \n"))
		}
		return out
	}
	if got, want := trim(plain.String()), trim(drawn(t, meadow(), view.Style{Width: 80})); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q\n%q", got, want)
	}
}

// lived is the valley that torve carries, at a tick.
func lived(t *testing.T, tick int) *village.Roster {
	t.Helper()
	r, err := village.New()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Run(tick); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTheHourIsSaidInWords(t *testing.T) {
	for tick, want := range map[int]string{
		900: "six in the morning", 1400: "twenty past nine in the morning", 1799: "five to twelve in the morning", 1800: "noon", 1875: "half past twelve in the afternoon",
		2888: "quarter past seven in the evening", 3300: "ten at night", 3599: "five to twelve at night", 3600: "midnight", 3613: "five past twelve at night", 4275: "half past four at night",
	} {
		if got := view.ValleyOf(lived(t, tick)).Hour; got != want {
			t.Errorf("tick %d is %s, and %s was expected", tick, got, want)
		}
	}
	v := view.ValleyOf(lived(t, 3613))
	if v.Day != 2 || v.Clock != "00:05" {
		t.Errorf("day %d, %s", v.Day, v.Clock)
	}
}

func TestAValleySaysWhatTheWorldHolds(t *testing.T) {
	r := lived(t, 1403)
	v := view.ValleyOf(r)
	if len(v.Bodies) != 3 || v.Tick != 1403 || v.Bodies[1].Name != "Ander" || v.Bodies[1].Grams != r.Body(2).Carrying() || v.Bodies[1].Cell != r.Body(2).Cell() {
		t.Errorf("%+v", v.Bodies)
	}
	if got, want := fmt.Sprint(v.Bodies[2].Sees), fmt.Sprint(r.Sees(3)); got != want {
		t.Errorf("Mose sees %s, and its eyes find %s", got, want)
	}
	for i := 1; i < len(v.Witness); i++ {
		if v.Witness[i].Tick < v.Witness[i-1].Tick {
			t.Errorf("row %d is older than the one before", i)
		}
	}
	r.Remove(3)
	v = view.ValleyOf(r)
	if len(v.Bodies) != 2 || len(v.Buried) != 1 || v.Buried[0].Name != "Mose" {
		t.Errorf("%+v %+v", v.Bodies, v.Buried)
	}
}

func TestWhatABodyDoesIsSaidAsItIs(t *testing.T) {
	r, said := lived(t, 900), map[string]bool{}
	for range village.Day {
		r.Step()
		for _, b := range view.ValleyOf(r).Bodies {
			word, _, _ := strings.Cut(b.Doing, " ")
			said[word] = true
			switch {
			case b.Act == "graze" && b.Doing != "eats", b.Act == "hand" && b.Doing != "gives", b.Act == "walk" && b.Doing != "walks" && word != "goes":
				t.Fatalf("tick %d: %s is said to %q, and its act was %q", r.Tick(), b.Name, b.Doing, b.Act)
			}
		}
	}
	for _, word := range []string{"eats", "rests", "goes", "turns"} {
		if !said[word] {
			t.Errorf("in a day nobody %s: %v", word, said)
		}
	}
	if id, err := r.Spawn("browser", sim.Coord{X: 0, Y: 0}, 0, sim.Gram); err != nil {
		t.Fatal(err)
	} else if b := view.ValleyOf(r).Bodies[3]; b.ID != id || b.Doing != "rests" || b.Name != "" {
		t.Errorf("%+v", b)
	}
}

func TestTheDocumentOfAnEmptyValleyHasEmptyLists(t *testing.T) {
	r := lived(t, 900)
	for id := range 3 {
		r.Remove(sim.EntityID(id + 1))
	}
	doc, err := json.Marshal(view.ValleyOf(r))
	if err != nil || bytes.Contains(doc, []byte("null")) {
		t.Errorf("%v: %s", err, doc)
	}
}
