package record

// About is what a store says of itself, to who looks after it.
type About struct {
	Engine string // its program and the version of that
	Tables int    // the version of its tables; 0: it has none
	Newest int    // the newest that this program reads
	Writes bool   // this user may add events
	Owner  bool   // this user may take the guards away that keep it append-only
	Plain  bool   // what goes to it and comes from it crosses a network unencrypted
}
