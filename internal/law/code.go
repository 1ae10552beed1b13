package law

// Code is a law of profiles and clauses, as a file holds it.
type Code struct{}

// ParseCode reads a law out of its file's bytes, strictly.
func ParseCode(text []byte) (Code, error) { panic("unwritten") }

// Permits asks the clauses of the profile, in their order.
func (c Code) Permits(profile string, s Step) (string, bool) { panic("unwritten") }
