package beast

import (
	"fmt"
	"math"
	"testing"

	"torve/internal/sim"
)

func at(x, y, heading int) *Beast {
	b := &Beast{ID: 1, Kind: kind()}
	b.Place(sim.Coord{X: x, Y: y}, heading)
	return b
}

func TestABodyStandsInTheMiddleOfTheCellWhereItIsPlaced(t *testing.T) {
	b := at(8, 5, 4)
	if b.X != 8*1024+512 || b.Y != 5*1024+512 || b.Heading != 4 || b.Cell() != (sim.Coord{X: 8, Y: 5}) {
		t.Errorf("%+v on %v", b, b.Cell())
	}
	b.X, b.Y = -1, 1023
	if b.Cell() != (sim.Coord{X: -1, Y: 0}) {
		t.Errorf("just off the west edge is %v", b.Cell())
	}
}

// A stride is a quarter of a cell along its heading, as near as whole numbers come.
func TestAStrideIsAQuarterOfACellAlongTheHeading(t *testing.T) {
	for h, s := range strides {
		angle := float64(h) * math.Pi / 8
		if x, y := 256*math.Cos(angle), 256*math.Sin(angle); math.Abs(x-float64(s[0])) > 0.6 || math.Abs(y-float64(s[1])) > 0.6 {
			t.Errorf("heading %d strides %v, and %.2f,%.2f is straight", h, s, x, y)
		}
		if o := strides[(h+8)%Headings]; s[0] != -o[0] || s[1] != -o[1] {
			t.Errorf("heading %d strides %v, and the opposite one %v", h, s, o)
		}
		b := at(5, 5, h)
		want := cell(b.X+s[0], b.Y+s[1])
		if b.Ahead() != want {
			t.Errorf("heading %d has %v ahead, not %v", h, b.Ahead(), want)
		}
		if b.Stride(); b.Cell() != want {
			t.Errorf("heading %d went to %v, not %v", h, b.Cell(), want)
		}
	}
}

func TestABodyLooksTowardACellByTheNearestHeading(t *testing.T) {
	cases := []struct{ x, y, want int }{
		{9, 5, 0}, {9, 6, 2}, {8, 6, 4}, {7, 6, 6}, {7, 5, 8}, {7, 4, 10}, {8, 4, 12}, {9, 4, 14},
		{10, 6, 1}, {9, 7, 3}, {10, 4, 15}, {9, 3, 13}, {8, 5, 7}, // and on the cell its own
	}
	for _, c := range cases {
		if got := at(8, 5, 7).Toward(sim.Coord{X: c.x, Y: c.y}); got != c.want {
			t.Errorf("from 8,5 toward %d,%d is heading %d, not %d", c.x, c.y, got, c.want)
		}
	}
}

// Turning again and again comes to any heading, by the shorter way, and stops there.
func TestABodyTurnsTheShorterWay(t *testing.T) {
	for from := range Headings {
		for to := range Headings {
			b := at(0, 0, from)
			turns := 0
			for {
				a, turning := b.Face(to)
				if !turning {
					break
				}
				if turns++; turns > Headings/2 {
					t.Fatalf("from %d to %d takes more than half a circle", from, to)
				}
				switch a {
				case TurnLeft:
					b.Heading = (b.Heading + Headings - 1) % Headings
				case TurnRight:
					b.Heading = (b.Heading + 1) % Headings
				default:
					t.Fatalf("from %d to %d by a %s", from, to, a)
				}
			}
			apart := (to - from + Headings) % Headings
			if b.Heading != to || turns != min(apart, Headings-apart) {
				t.Errorf("from %d to %d: on %d after %d turns", from, to, b.Heading, turns)
			}
		}
	}
	if a, _ := at(0, 0, 0).Face(8); a != TurnRight {
		t.Errorf("what is right behind is reached by a %s", a)
	}
}

func TestEyesAreTheHalfPlaneAheadAsFarAsTheirSight(t *testing.T) {
	cases := []struct {
		dx, dy int
		want   bool
	}{
		{1, 0, true}, {1, 4096, false}, {4096, 0, true}, {4097, 0, false}, {4095, 1, true},
		{0, 1024, false}, {0, -1024, false}, {1, 1024, true}, {-1, 0, false}, {0, 0, false}, {2896, 2896, true}, {2897, 2897, false},
	}
	for _, c := range cases {
		b := at(5, 5, 0)
		o := &Beast{ID: 2, Kind: b.Kind, X: b.X + c.dx, Y: b.Y + c.dy}
		if got := b.Sees(o); got != c.want {
			t.Errorf("looking east, what is %d,%d off is seen: %v", c.dx, c.dy, got)
		}
	}
	b := at(5, 5, 0)
	if b.Sees(&Beast{ID: 1, Kind: b.Kind, X: b.X + 100, Y: b.Y}) {
		t.Error("a body sees itself")
	}
}

func TestReachIsCountedInCellsADiagonalAsOne(t *testing.T) {
	b := at(5, 5, 0)
	for c, want := range map[sim.Coord]bool{
		{X: 5, Y: 5}: true, {X: 6, Y: 6}: true, {X: 4, Y: 6}: true, {X: 5, Y: 4}: true,
		{X: 7, Y: 5}: false, {X: 6, Y: 7}: false, {X: 3, Y: 3}: false,
	} {
		o := at(c.X, c.Y, 0)
		o.ID = 2
		if got := b.Reaches(o); got != want {
			t.Errorf("from 5,5 what is on %v is in reach: %v", c, got)
		}
	}
	if b.Reaches(b) {
		t.Error("a body reaches itself")
	}
}

func TestWhatABodyCarriesPrintsExactly(t *testing.T) {
	for store, want := range map[int64]string{1_492_750: "149.2750", 1_507_298: "150.7298", 1: "0.0001", 3_000_000: "300.0000"} {
		b := &Beast{Store: store}
		if got := fmt.Sprintf("%.4f", b.Carrying()); got != want {
			t.Errorf("%d prints as %s, not %s", store, got, want)
		}
	}
}

func TestHowFarAnotherIsIsCountedInCells(t *testing.T) {
	a, b := at(8, 5, 0), at(9, 3, 0)
	if got := fmt.Sprintf("%.4f", a.Away(b)); got != "2.2361" {
		t.Errorf("8,5 and 9,3 are %s off", got)
	}
}

// The squares of a place far off are beyond 32 bits, and what sees or turns there is not.
func TestWhatIsFarOffIsReckonedIn64Bits(t *testing.T) {
	b, far := at(0, 0, 0), at(900, 900, 0)
	b.Kind = &Kind{Sight: 1000}
	far.ID = 2
	if b.Sees(far) {
		t.Error("a body is seen beyond sight")
	}
	if far.Place(sim.Coord{X: 700, Y: 700}, 0); !b.Sees(far) {
		t.Error("a body inside sight is not seen")
	}
	if h := b.Toward(sim.Coord{X: 1 << 19, Y: 1 << 19}); h != 2 {
		t.Errorf("south-east far off is heading %d", h)
	}
}
