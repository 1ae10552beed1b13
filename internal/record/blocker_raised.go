package record

// Blocker is blocker.raised: a review finding that blocks the landing.
type Blocker struct {
	Path     string `json:"path"`
	Line     int    `json:"line,omitempty"`
	Severity string `json:"severity"`
	Claim    string `json:"claim"`
}

// Kind is blocker.raised.
func (Blocker) Kind() Kind { return KindBlocker }

// Validate asks what the store cannot: that the fact is whole.
func (p Blocker) Validate() error {
	return first(
		need("path", p.Path),
		say(p.Line < 0, "line %d", p.Line),
		need("severity", p.Severity),
		need("claim", p.Claim),
	)
}
