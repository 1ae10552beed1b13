package sim

import (
	"slices"
	"strings"
	"testing"
)

func bed(t *testing.T) *Bed {
	t.Helper()
	b, err := NewBed([]string{"..~", "~.."}, 5*Gram)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestWhatIsOffTheGridIsWaterAndBearsNothing(t *testing.T) {
	b := bed(t)
	for _, c := range []Coord{{-1, 0}, {0, -1}, {3, 0}, {0, 2}, {3, 2}} {
		if b.In(c) || b.Kind(c) != Water || b.Crop(c) != 0 {
			t.Errorf("%v: in %v, kind %d, crop %d", c, b.In(c), b.Kind(c), b.Crop(c))
		}
		b.SetCrop(c, Gram) // and nothing is sown there
	}
}

func TestACropStandsOnGroundAndNeverOnWater(t *testing.T) {
	b := bed(t)
	ground, water := Coord{1, 1}, Coord{2, 0}
	if b.Kind(ground) != Ground || b.Kind(water) != Water {
		t.Fatalf("%v is %d and %v is %d", ground, b.Kind(ground), water, b.Kind(water))
	}
	b.SetCrop(ground, 7)
	b.SetCrop(water, 7)
	if b.Crop(ground) != 7 || b.Crop(water) != 0 {
		t.Errorf("7 was sown on both: %d on ground, %d on water", b.Crop(ground), b.Crop(water))
	}
	if b.Crop(Coord{0, 0}) != 5*Gram {
		t.Errorf("%d on a cell that nobody touched", b.Crop(Coord{0, 0}))
	}
}

func TestACropGrowsAsFarAsItMayStand(t *testing.T) {
	b := bed(t)
	b.SetCrop(Coord{1, 1}, 0)
	b.Grow(3*Gram, 6*Gram)
	for c, want := range map[Coord]int64{{0, 0}: 6 * Gram, {1, 1}: 3 * Gram, {2, 0}: 0} {
		if got := b.Crop(c); got != want {
			t.Errorf("%d on %v, not %d", got, c, want)
		}
	}
}

func TestABedGivesTheRowsItWasLaidOf(t *testing.T) {
	rows := []string{"..~", "~..", "..."}
	b, err := NewBed(rows, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Rows(); !slices.Equal(got, rows) || b.W != 3 || b.H != 3 {
		t.Errorf("%d by %d: %q", b.W, b.H, got)
	}
}

func TestABedOfAnythingButGroundAndWaterIsRefused(t *testing.T) {
	for want, rows := range map[string][]string{
		"a bed of no cells":                      {},
		"row 1 has 2 cells, and the first has 3": {"...", ".."},
		"1,0 is '#'":                             {".#."},
	} {
		if _, err := NewBed(rows, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", rows, err)
		}
	}
	if _, err := NewBed([]string{""}, 0); err == nil {
		t.Error("a bed of one empty row is a bed")
	}
}
