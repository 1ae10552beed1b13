package view

import (
	"cmp"
	"slices"
	"strings"

	"torve/internal/sim"
	"torve/internal/village"
)

// Valley is the world at a boundary, as people see it.
type Valley struct {
	Schema  string        `json:"schema"`
	Tick    int           `json:"tick"`
	Day     int           `json:"day"`     // the first is 1
	Clock   string        `json:"clock"`   // of that day, in hours and minutes
	Hour    string        `json:"hour"`    // the same in words
	Digest  string        `json:"digest"`  // of the state: all that the world goes on from; "" where nobody asked
	Rows    []string      `json:"rows"`    // '.' is ground and '~' is water
	Crop    [][]float64   `json:"crop"`    // grams that stand on each cell
	Most    float64       `json:"most"`    // grams that stand on a cell at most
	Bodies  []ValleyBody  `json:"bodies"`  // alive, by id
	Buried  []ValleyGrave `json:"buried"`  // in that order
	Witness []ValleyRow   `json:"witness"` // the newest rows, the newest last

	Foot string `json:"-"` // the line above the last, for people
	Next string `json:"-"` // the last line, for people: a command or a hint
}

// ValleyBody is a body in it.
type ValleyBody struct {
	ID      sim.EntityID   `json:"id"`
	Name    string         `json:"name"` // "" where it has none
	Kind    string         `json:"kind"`
	Cell    sim.Coord      `json:"cell"`
	X       int            `json:"x"` // in 1/1024 of a cell
	Y       int            `json:"y"`
	Heading int            `json:"heading"` // in sixteenths of a circle: 0 is east, 4 south
	Looks   string         `json:"looks"`   // the same as a point of the compass
	Grams   float64        `json:"grams"`
	Holds   float64        `json:"holds"` // grams, at most
	Sees    []sim.EntityID `json:"sees"`
	Act     string         `json:"act"` // of the last tick
	Doing   string         `json:"doing"`
}

// ValleyGrave is a body that was in it.
type ValleyGrave struct {
	ID   sim.EntityID `json:"id"`
	Name string       `json:"name"`
	Kind string       `json:"kind"`
	Tick int          `json:"tick"`
	Cell sim.Coord    `json:"cell"`
}

// ValleyRow is what a villager saw or did.
type ValleyRow struct {
	Tick     int          `json:"tick"`
	Villager sim.EntityID `json:"villager"`
	Name     string       `json:"name"`
	Register string       `json:"register"` // saw or did
	Text     string       `json:"text"`
}

// mostWitnessed rows stand in the document; people see the newest of them.
const mostWitnessed = 20

// ValleyOf is a world at its boundary. Its digest is left to whoever wants it.
func ValleyOf(r *village.Roster) Valley {
	s := r.State()
	day, hour := s.Tick/village.Day+1, s.Tick%village.Day
	v := Valley{
		Schema: "torve/world/v1", Tick: s.Tick, Day: day, Clock: clockOf(hour), Hour: hourOf(hour),
		Rows: s.Valley.Rows, Crop: make([][]float64, len(s.Valley.Crop)), Most: sim.Grams(s.Valley.Most),
		Bodies: []ValleyBody{}, Buried: []ValleyGrave{}, Witness: []ValleyRow{},
	}
	for y, row := range s.Valley.Crop {
		v.Crop[y] = make([]float64, len(row))
		for x, crop := range row {
			v.Crop[y][x] = sim.Grams(crop)
		}
	}
	for _, b := range r.Bodies() {
		v.Bodies = append(v.Bodies, ValleyBody{
			ID: b.ID, Name: b.Name, Kind: b.Kind.Name, Cell: b.Cell(), X: b.X, Y: b.Y, Heading: b.Heading, Looks: compass[b.Heading],
			Grams: b.Carrying(), Holds: sim.Grams(b.Kind.Cap), Sees: append([]sim.EntityID{}, r.Sees(b.ID)...),
		})
	}
	for i, b := range s.Bodies {
		v.Bodies[i].Act, v.Bodies[i].Doing = b.Last, doing(b, v.Bodies[i].Cell, hour)
	}
	for _, g := range s.Buried {
		v.Buried = append(v.Buried, ValleyGrave{ID: g.ID, Name: g.Name, Kind: g.Kind, Tick: g.Tick, Cell: g.Cell})
	}
	v.witness(r)
	return v
}

// witness takes over the newest rows of everybody.
func (v *Valley) witness(r *village.Roster) {
	take := func(id sim.EntityID, name string) {
		rows := r.Stream(id)
		for _, row := range rows[max(0, len(rows)-mostWitnessed):] {
			v.Witness = append(v.Witness, ValleyRow{Tick: row.Tick, Villager: id, Name: name, Register: row.Register, Text: row.Text})
		}
	}
	for _, b := range v.Bodies {
		take(b.ID, b.Name)
	}
	for _, g := range v.Buried {
		take(g.ID, g.Name)
	}
	slices.SortStableFunc(v.Witness, func(a, b ValleyRow) int {
		return cmp.Or(cmp.Compare(a.Tick, b.Tick), cmp.Compare(a.Villager, b.Villager))
	})
	v.Witness = v.Witness[max(0, len(v.Witness)-mostWitnessed):]
}

// doing says what a body is at, as its last act and its habit have it.
func doing(b village.BodyState, at sim.Coord, hour int) string {
	p := b.Villager
	switch {
	case b.Last == "hand":
		return "gives"
	case b.Last == "take":
		return "takes"
	case b.Last == "graze", p != nil && p.Grazing && b.Last == "rest":
		return "eats" // a mouthful in every second tick
	case b.Last != "walk" && !strings.HasPrefix(b.Last, "turn"):
		return "rests"
	}
	if to, is := post(p, hour); is && to != at {
		return "goes to " + cellOf(to)
	}
	if b.Last == "walk" {
		return "walks"
	}
	return "turns"
}

// post is the cell where a villager's rounds have it at a tick of the day.
func post(p *village.VillagerState, hour int) (at sim.Coord, is bool) {
	if p == nil || len(p.Rounds) == 0 {
		return at, false
	}
	at = p.Rounds[0].Cell
	for _, round := range p.Rounds {
		if round.From <= hour {
			at = round.Cell
		}
	}
	return at, true
}
