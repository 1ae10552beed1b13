package village

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"torve/configs"
	"torve/internal/beast"
	"torve/internal/sim"
)

// weight is grams in a settings file: a decimal number, held in the world's integers.
type weight int64

// UnmarshalJSON reads a number of grams to the last digit.
func (w *weight) UnmarshalJSON(text []byte) error {
	n, err := sim.ParseGrams(string(text))
	*w = weight(n)
	return err
}

type valleySettings struct {
	Rows   []string `json:"rows"`
	Most   weight   `json:"crop_cap"`
	Start  weight   `json:"crop_start"`
	Regrow weight   `json:"regrow"`
}

type kindSettings struct {
	Sight int    `json:"sight"`
	Reach int    `json:"reach"`
	Cap   weight `json:"cap"`
	Rest  weight `json:"rest"`
	Turn  weight `json:"turn"`
	Walk  weight `json:"walk"`
	Graze weight `json:"graze"`
	Hand  weight `json:"hand"`
	Take  weight `json:"take"`
}

type rosterSettings struct {
	Start     int                `json:"start"`
	Villagers []villagerSettings `json:"villagers"`
}

type villagerSettings struct {
	ID      sim.EntityID `json:"id"`
	Name    string       `json:"name"`
	Kind    string       `json:"kind"`
	Profile string       `json:"profile"`
	Cell    sim.Coord    `json:"cell"`
	Heading int          `json:"heading"`
	Store   weight       `json:"store"`
	Rounds  []Round      `json:"rounds"`
}

// New is the world at its first tick, as configs say.
func New() (*Roster, error) {
	var texts [3][]byte
	for i, file := range []string{configs.Valley, configs.Fauna, configs.Roster} {
		text, err := configs.Files.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("village: %w", err)
		}
		texts[i] = text
	}
	return Found(texts[0], texts[1], texts[2])
}

// Found is a world at its first tick, as three files of the form of configs say.
func Found(valley, fauna, roster []byte) (*Roster, error) {
	v, err := configs.Decode[valleySettings](configs.Valley, valley)
	if err != nil {
		return nil, fmt.Errorf("village: %w", err)
	}
	f, err := configs.Decode[map[string]kindSettings](configs.Fauna, fauna)
	if err != nil {
		return nil, fmt.Errorf("village: %w", err)
	}
	p, err := configs.Decode[rosterSettings](configs.Roster, roster)
	if err != nil {
		return nil, fmt.Errorf("village: %w", err)
	}
	r, err := first(v, f, p)
	if err != nil {
		return nil, fmt.Errorf("village: %w", err)
	}
	return r, nil
}

// first is the world that they say, as far as each of them says one that can be.
func first(v valleySettings, fauna map[string]kindSettings, p rosterSettings) (*Roster, error) {
	s := State{Tick: p.Start, Next: 1, Valley: v.state()}
	for name, k := range fauna {
		s.Kinds = append(s.Kinds, k.state(name))
	}
	slices.SortFunc(s.Kinds, func(a, b KindState) int { return strings.Compare(a.Name, b.Name) })
	for _, v := range p.Villagers {
		s.Bodies = append(s.Bodies, v.state())
		s.Next = max(s.Next, v.ID+1)
	}
	slices.SortFunc(s.Bodies, func(a, b BodyState) int { return cmp.Compare(a.ID, b.ID) })
	if v.Start > v.Most {
		return nil, fmt.Errorf("%s: crop_start is more than crop_cap", configs.Valley)
	}
	bed, err := s.Valley.check()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", configs.Valley, err)
	}
	kinds, err := s.kinds()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", configs.Fauna, err)
	}
	if err := s.bodies(bed, kinds); err != nil {
		return nil, fmt.Errorf("%s: %w", configs.Roster, err)
	}
	r, err := Restore(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", configs.Roster, err)
	}
	return r, nil
}

// state is the ground at its first tick: on each cell of it stands what a crop starts with.
func (v valleySettings) state() ValleyState {
	s := ValleyState{Rows: v.Rows, Most: int64(v.Most), Regrow: int64(v.Regrow)}
	for _, row := range v.Rows {
		crop := make([]int64, len(row))
		for x := range crop {
			if row[x] == '.' {
				crop[x] = int64(v.Start)
			}
		}
		s.Crop = append(s.Crop, crop)
	}
	return s
}

func (k kindSettings) state(name string) KindState {
	return KindState{
		Name: name, Sight: k.Sight, Reach: k.Reach, Cap: int64(k.Cap), Rest: int64(k.Rest), Turn: int64(k.Turn),
		Walk: int64(k.Walk), Graze: int64(k.Graze), Hand: int64(k.Hand), Take: int64(k.Take),
	}
}

// state is a villager who stands in the middle of a cell, has done nothing and seen nobody.
func (v villagerSettings) state() BodyState {
	var b beast.Beast
	b.Place(v.Cell, v.Heading)
	return BodyState{
		ID: v.ID, Kind: v.Kind, X: b.X, Y: b.Y, Heading: v.Heading, Store: int64(v.Store), Last: beast.Rest.String(),
		Villager: &VillagerState{Name: v.Name, Profile: v.Profile, Rounds: v.Rounds},
	}
}
