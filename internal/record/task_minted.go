package record

import "encoding/json"

// Minted is task.minted: a committed contract came into force.
type Minted struct {
	Digest    string          `json:"digest"`
	Contract  json.RawMessage `json:"contract"` // the canonical form, whole
	Owner     string          `json:"owner"`    // the contract's, else the author of the commit that added it
	Path      string          `json:"path"`
	Blob      string          `json:"blob,omitempty"`
	Commit    string          `json:"commit"`
	Decisions []Row           `json:"decisions"`
}

// Kind is task.minted.
func (Minted) Kind() Kind { return KindMinted }

// Validate asks what the store cannot: that the fact is whole.
func (p Minted) Validate() error {
	return first(
		digest("digest", p.Digest),
		need("owner", p.Owner),
		need("path", p.Path),
		maybe(object, "blob", p.Blob),
		object("commit", p.Commit),
		each("decisions", p.Decisions, Row.validate),
	)
}
