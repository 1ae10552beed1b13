package record

import "encoding/json"

// Reminted is task.reminted: an edited contract came into force in place of the one before.
type Reminted struct {
	Digest    string          `json:"digest"`
	Contract  json.RawMessage `json:"contract"`
	Owner     string          `json:"owner"`
	Path      string          `json:"path"`
	Blob      string          `json:"blob,omitempty"`
	Commit    string          `json:"commit"`
	Decisions []Row           `json:"decisions"`
	Was       string          `json:"was"`     // the digest before
	Changed   []string        `json:"changed"` // the keys that differ
}

// Kind is task.reminted.
func (Reminted) Kind() Kind { return KindReminted }

// Validate asks what the store cannot: that the fact is whole.
func (p Reminted) Validate() error {
	now := Minted{p.Digest, p.Contract, p.Owner, p.Path, p.Blob, p.Commit, p.Decisions}
	return first(
		now.Validate(),
		digest("was", p.Was),
		say(p.Was == p.Digest, "the digest is the one before"),
		say(len(p.Changed) == 0, "changed is empty"),
		each("changed", p.Changed, filledIn),
	)
}
