package village

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"torve/internal/sim"
)

// Remembered is how many rows of a villager's memory a state holds: a prompt shows no more.
const Remembered = 8

// State is all that a world goes on from, in integers (but for names and words): what
// world/state.json holds. Its JSON is canonical: the same world gives the same bytes. Grams
// are in the world's integers, places in 1/1024 of a cell.
type State struct {
	Tick     int            `json:"tick"`
	Next     sim.EntityID   `json:"next"` // the id of the next body
	Valley   ValleyState    `json:"valley"`
	Kinds    []KindState    `json:"kinds"`    // by name
	Bodies   []BodyState    `json:"bodies"`   // by id
	Dealings []DealingState `json:"dealings"` // parcels on their way
	Buried   []Grave        `json:"buried"`   // in that order
}

// ValleyState is the ground: rows of '.' and '~', and what stands on each cell.
type ValleyState struct {
	Rows   []string  `json:"rows"`
	Crop   [][]int64 `json:"crop"`
	Most   int64     `json:"most"`   // on a cell
	Regrow int64     `json:"regrow"` // in a tick
}

// KindState is a row of the fauna table.
type KindState struct {
	Name  string `json:"name"`
	Sight int    `json:"sight"`
	Reach int    `json:"reach"`
	Cap   int64  `json:"cap"`
	Rest  int64  `json:"rest"`
	Turn  int64  `json:"turn"`
	Walk  int64  `json:"walk"`
	Graze int64  `json:"graze"`
	Hand  int64  `json:"hand"`
	Take  int64  `json:"take"`
}

// BodyState is a body alive.
type BodyState struct {
	ID       sim.EntityID   `json:"id"`
	Kind     string         `json:"kind"`
	X        int            `json:"x"`
	Y        int            `json:"y"`
	Heading  int            `json:"heading"`
	Store    int64          `json:"store"`
	Last     string         `json:"last"` // act
	Slot     *SlotState     `json:"slot,omitempty"`
	Counts   Counts         `json:"counts"`
	Villager *VillagerState `json:"villager,omitempty"`
}

// SlotState is an intent that is posted for the next tick.
type SlotState struct {
	Act string       `json:"act"`
	Who sim.EntityID `json:"who,omitempty"`
}

// VillagerState is what makes a body a villager.
type VillagerState struct {
	Name    string         `json:"name"`
	Profile string         `json:"profile"`
	Rounds  []Round        `json:"rounds"`
	Feeding bool           `json:"feeding"`
	Giving  bool           `json:"giving"`
	Grazing bool           `json:"grazing"`
	Seen    []sim.EntityID `json:"seen"` // at this boundary
	Run     *RunState      `json:"run,omitempty"`
	Handed  []RowState     `json:"handed"`  // the newest that prompts took over
	Pending []RowState     `json:"pending"` // all that none has
}

// RunState is the deed that is under way, done so many times, the last before a boundary.
type RunState struct {
	Deed  string    `json:"deed"`
	Times int       `json:"times"`
	From  sim.Coord `json:"from"`
	At    sim.Coord `json:"at"`
	Tick  int       `json:"tick"`
}

// RowState is a row of a stream.
type RowState struct {
	Tick     int    `json:"tick"`
	Register string `json:"register"`
	Text     string `json:"text"`
}

// DealingState is parcels that one body is moving to or from another.
type DealingState struct {
	Deed    string       `json:"deed"` // put or took
	By      sim.EntityID `json:"by"`
	With    sim.EntityID `json:"with"`
	Parcels int          `json:"parcels"`
	Grams   int64        `json:"grams"`
}

// Deeds of a dealing.
const (
	put  = "put"
	took = "took"
)

// MarshalJSON writes a round as four numbers: from, x, y, heading.
func (r Round) MarshalJSON() ([]byte, error) {
	return json.Marshal([]int{r.From, r.Cell.X, r.Cell.Y, r.Heading})
}

// UnmarshalJSON reads the four.
func (r *Round) UnmarshalJSON(text []byte) error {
	var n []int
	if err := json.Unmarshal(text, &n); err != nil {
		return err
	}
	if len(n) != 4 {
		return fmt.Errorf("a round of %d numbers: it is the tick of the day, x, y and the heading", len(n))
	}
	*r = Round{From: n[0], Cell: sim.Coord{X: n[1], Y: n[2]}, Heading: n[3]}
	return nil
}

// Digest is the hex SHA-256 of the state's bytes.
func (r *Roster) Digest() string {
	sum := sha256.Sum256(r.State().Bytes())
	return hex.EncodeToString(sum[:])
}

// State is a copy.
func (r *Roster) State() State {
	s := State{
		Tick: r.tick, Next: r.next,
		Valley:   ValleyState{Rows: r.valley.Bed.Rows(), Crop: crops(r.valley.Bed), Most: r.most, Regrow: r.regrow},
		Kinds:    make([]KindState, 0, len(r.kinds)),
		Bodies:   make([]BodyState, 0, len(r.bodies)),
		Dealings: make([]DealingState, 0, len(r.dealings)),
		Buried:   append([]Grave{}, r.buried...),
	}
	for _, k := range r.kinds {
		s.Kinds = append(s.Kinds, KindState{
			Name: k.Name, Sight: k.Sight, Reach: int(k.Reach), Cap: k.Cap,
			Rest: k.Rest, Turn: k.Turn, Walk: k.Walk, Graze: k.Graze, Hand: k.Hand, Take: k.Take,
		})
	}
	for _, b := range r.bodies {
		s.Bodies = append(s.Bodies, b.state())
	}
	for _, d := range r.dealings {
		deed := put
		if d.took {
			deed = took
		}
		s.Dealings = append(s.Dealings, DealingState{Deed: deed, By: d.by, With: d.with, Parcels: d.parcels, Grams: d.grams})
	}
	return s
}

func crops(bed *sim.Bed) [][]int64 {
	rows := make([][]int64, bed.H)
	for y := range rows {
		rows[y] = make([]int64, bed.W)
		for x := range rows[y] {
			rows[y][x] = bed.Crop(sim.Coord{X: x, Y: y})
		}
	}
	return rows
}

func (b *body) state() BodyState {
	s := BodyState{
		ID: b.ID, Kind: b.Kind.Name, X: b.X, Y: b.Y, Heading: b.Heading,
		Store: b.Store, Last: b.last.String(), Counts: b.counts,
	}
	if b.slot != nil {
		s.Slot = &SlotState{Act: b.slot.Act.String(), Who: b.slot.Who}
	}
	if p := b.person; p != nil {
		s.Villager = p.state(b.Name)
	}
	return s
}

func (p *person) state(name string) *VillagerState {
	s := &VillagerState{
		Name: name, Profile: p.profile, Rounds: append([]Round{}, p.rounds...),
		Feeding: p.feeding, Giving: p.giving, Grazing: p.grazing,
		Seen:    append([]sim.EntityID{}, p.seen...),
		Handed:  rowStates(p.handed[max(len(p.handed)-Remembered, 0):]),
		Pending: rowStates(p.pending),
	}
	if u := p.run; u.kind != idle {
		s.Run = &RunState{Deed: string(u.kind), Times: u.times, From: u.from, At: u.at, Tick: u.tick}
	}
	return s
}

func rowStates(rows []Row) []RowState {
	states := make([]RowState, 0, len(rows))
	for _, row := range rows {
		states = append(states, RowState{Tick: row.Tick, Register: row.Register, Text: row.Text})
	}
	return states
}
