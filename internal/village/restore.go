package village

import (
	"torve/internal/beast"
	"torve/internal/sim"
)

// Restore is the world of a state. It refuses a state that no world can have.
func Restore(s State) (*Roster, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	bed, err := sim.NewBed(s.Valley.Rows, 0)
	if err != nil {
		return nil, err
	}
	for y, row := range s.Valley.Crop {
		for x, crop := range row {
			bed.SetCrop(sim.Coord{X: x, Y: y}, crop)
		}
	}
	r := &Roster{
		tick: s.Tick, next: s.Next, valley: &beast.Valley{Bed: bed}, most: s.Valley.Most, regrow: s.Valley.Regrow,
		buried: append([]Grave(nil), s.Buried...), eyes: newIndex(bed),
	}
	for _, k := range s.Kinds {
		r.kinds = append(r.kinds, k.kind())
	}
	for _, b := range s.Bodies {
		r.bodies = append(r.bodies, b.body(r.kind(b.Kind)))
	}
	for _, d := range s.Dealings {
		r.dealings = append(r.dealings, dealing{
			took: d.Deed == took, by: d.By, with: d.With, parcels: d.Parcels, grams: d.Grams, tick: s.Tick,
		})
	}
	r.views()
	r.settle()
	return r, nil
}

func (k KindState) kind() *beast.Kind {
	return &beast.Kind{
		Name: k.Name, Sight: k.Sight, Reach: float64(k.Reach), Cap: k.Cap,
		Rest: k.Rest, Turn: k.Turn, Walk: k.Walk, Graze: k.Graze, Hand: k.Hand, Take: k.Take,
	}
}

func (s BodyState) body(k *beast.Kind) *body {
	b := &body{
		Beast:  beast.Beast{ID: s.ID, Kind: k, X: s.X, Y: s.Y, Heading: s.Heading, Store: s.Store},
		counts: s.Counts, at: nowhere,
	}
	b.last, _ = beast.ParseAct(s.Last)
	if s.Slot != nil {
		act, _ := beast.ParseAct(s.Slot.Act)
		b.slot = &Intent{Act: act, Who: s.Slot.Who}
	}
	if v := s.Villager; v != nil {
		b.Name = v.Name
		b.person = v.person(s.ID)
	}
	return b
}

func (v *VillagerState) person(id sim.EntityID) *person {
	p := &person{
		profile: v.Profile, rounds: append([]Round(nil), v.Rounds...),
		feeding: v.Feeding, giving: v.Giving, grazing: v.Grazing,
		seen:    append([]sim.EntityID(nil), v.Seen...),
		handed:  rowsOf(id, v.Handed),
		pending: rowsOf(id, v.Pending),
	}
	if u := v.Run; u != nil {
		p.run = run{kind: doing(u.Deed), times: u.Times, from: u.From, at: u.At, tick: u.Tick}
	}
	return p
}

func rowsOf(id sim.EntityID, states []RowState) []Row {
	var rows []Row
	for _, s := range states {
		rows = append(rows, Row{Villager: id, Tick: s.Tick, Register: s.Register, Text: s.Text})
	}
	return rows
}
