package record

import "time"

// Released is task.released: the claim named in the envelope ended.
type Released struct {
	Why       string    `json:"why"`                 // landed, ready, escalated, interrupted, died, waiting, withdrawn
	NotBefore time.Time `json:"not_before,omitzero"` // a quota's time; zero when there is none
}

// Kind is task.released.
func (Released) Kind() Kind { return KindReleased }

// Validate asks what the store cannot: that the fact is whole.
func (p Released) Validate() error {
	return first(
		oneOf("why", p.Why, Releases),
		whenUTC("not_before", p.NotBefore),
		say(!p.NotBefore.IsZero() && p.Why != "waiting", "%s, with a time to wait for", p.Why),
	)
}
