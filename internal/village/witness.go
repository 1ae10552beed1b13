package village

import (
	"torve/internal/sim"
)

// The registers of a stream.
const (
	saw = "saw"
	did = "did"
)

// Row is one row of a villager's stream: what it saw or did, with the boundary of the last
// tick in which it was so.
type Row struct {
	Villager sim.EntityID `json:"villager"`
	Tick     int          `json:"tick"`
	Register string       `json:"register"` // saw or did
	Text     string       `json:"text"`
}

// doing is what a deed was, as far as a witness tells deeds apart.
type doing string

const (
	idle  doing = ""
	ate   doing = "ate"
	went  doing = "went"
	dealt doing = "dealt" // put or took: parcels have dealings of their own
)

// deed is what a body did in one tick that its witness may write down.
type deed struct {
	kind  doing
	from  sim.Coord // where it stood
	grams int64     // of a parcel: what was moved
}

// run is one deed done over and over: it makes one row.
type run struct {
	kind     doing
	times    int
	from, at sim.Coord
	tick     int // the boundary of the last time
}

const (
	runLength = 50 // mouthfuls, and the next begins a run of its own
	runQuiet  = 10 // ticks after which what is not done again is over
)

// witness is the fifth phase, at the boundary: who came into sight, which parcels have come
// to an end, what is over.
func (r *Roster) witness() {
	for _, b := range r.bodies {
		if b.person != nil {
			r.sight(b)
		}
	}
	r.deals()
	for _, b := range r.bodies {
		if b.person != nil {
			b.follow(r.tick)
		}
	}
}

// sight writes down whom a body's eyes find and did not find at the last boundary.
func (r *Roster) sight(b *body) {
	p := b.person
	p.seeing = r.look(b, p.seeing[:0])
	known := p.seen
	for _, id := range p.seeing {
		for len(known) > 0 && known[0] < id {
			known = known[1:]
		}
		if len(known) == 0 || known[0] != id {
			o := r.alive(id)
			b.write(Row{Tick: r.tick, Register: saw, Text: sighted(&o.Beast, b.Away(&o.Beast))})
		}
	}
	p.seen, p.seeing = p.seeing, p.seen
}

// deals writes down the dealings of which this tick moved no parcel: the other saw it, and
// whoever did it did it.
func (r *Roster) deals() {
	open := r.dealings[:0]
	for _, d := range r.dealings {
		if d.tick == r.tick {
			open = append(open, d)
			continue
		}
		r.end(d, (*body).write)
	}
	r.dealings = open
}

// end gives the rows of a dealing to those two of its ends that have a stream.
func (r *Roster) end(d dealing, write func(*body, Row)) {
	if other := r.known(d.with); other != nil && other.person != nil {
		write(other, Row{Tick: d.tick, Register: saw, Text: r.called(d.by) + " " + dealtWith(d, r.called(d.with))})
	}
	if self := r.known(d.by); self != nil && self.person != nil {
		write(self, Row{Tick: d.tick, Register: did, Text: dealtWith(d, r.called(d.with))})
	}
}

// follow adds this tick's deed to the run that is under way, or closes the run: because
// another deed begins, because it is long enough, or because it has been quiet.
func (b *body) follow(tick int) {
	p := b.person
	switch {
	case b.deed.kind == idle:
		if p.run.kind != idle && tick-p.run.tick >= runQuiet {
			b.close()
		}
		return
	case b.deed.kind == dealt:
		b.close()
		return
	case p.run.ends(b.deed):
		b.close()
		p.run = run{kind: b.deed.kind, from: b.deed.from}
	}
	p.run.times++
	p.run.at, p.run.tick = b.Cell(), tick
}

// ends reports whether a deed is no part of a run.
func (u run) ends(d deed) bool {
	return u.kind != d.kind || u.kind == ate && (u.times == runLength || u.at != d.from)
}

// close ends the run that is under way, and writes it down if it made a difference.
func (b *body) close() {
	if text := b.person.run.text(); text != "" {
		b.write(Row{Tick: b.person.run.tick, Register: did, Text: text})
	}
	b.person.run = run{}
}

// write puts a row behind a villager's stream.
func (b *body) write(row Row) {
	row.Villager = b.ID
	b.person.stream = append(b.person.stream, row)
	b.person.pending = append(b.person.pending, row)
}

// Stream is every row that a villager's witness has written since this roster was made or
// restored, in the order in which they were closed.
func (r *Roster) Stream(id sim.EntityID) []Row {
	if b := r.known(id); b != nil && b.person != nil {
		return append([]Row(nil), b.person.stream...)
	}
	return nil
}

// Open is what a villager's witness would write if all that is under way ended here. It
// writes nothing.
func (r *Roster) Open(id sim.EntityID) []Row {
	b := r.known(id)
	if b == nil || b.person == nil {
		return nil
	}
	var rows []Row
	if text := b.person.run.text(); text != "" {
		rows = append(rows, Row{Villager: id, Tick: b.person.run.tick, Register: did, Text: text})
	}
	for _, d := range r.dealings {
		r.end(d, func(to *body, row Row) {
			if to == b {
				row.Villager = id
				rows = append(rows, row)
			}
		})
	}
	return rows
}

// Pending is how many rows of a villager's stream no prompt has taken over yet.
func (r *Roster) Pending(id sim.EntityID) int {
	if b := r.known(id); b != nil && b.person != nil {
		return len(b.person.pending)
	}
	return 0
}

// handOver gives a prompt the rows that none has taken over: from now on they are memory.
func (r *Roster) handOver(id sim.EntityID) []Row {
	b := r.known(id)
	if b == nil || b.person == nil {
		return nil
	}
	rows := b.person.pending
	b.person.pending = nil
	b.person.handed = append(b.person.handed, rows...)
	return rows
}

// called is what a body's name is, or what it is where it has none.
func (r *Roster) called(id sim.EntityID) string {
	if b := r.alive(id); b != nil {
		return called(b.Name, b.Kind.Name)
	}
	for _, g := range r.buried {
		if g.ID == id {
			return called(g.Name, g.Kind)
		}
	}
	return called("", "body")
}
