package record

// Landed is landing.recorded: a landing file is in the target's tree.
type Landed struct {
	Path     string   `json:"path"` // the landing file
	Target   string   `json:"target"`
	Base     string   `json:"base,omitempty"`
	Onto     string   `json:"onto,omitempty"`
	Commit   string   `json:"commit"`         // W, the work commit
	Head     string   `json:"head,omitempty"` // M, what the target moved to
	Tree     string   `json:"tree,omitempty"`
	Contract string   `json:"contract"`
	Reverts  []string `json:"reverts"`
	Attested string   `json:"attested_by,omitempty"`
	Observed bool     `json:"observed,omitempty"` // found in git, not written by this run
}

// Kind is landing.recorded.
func (Landed) Kind() Kind { return KindLanded }

// Validate asks what the store cannot: that the fact is whole.
func (p Landed) Validate() error {
	return first(
		need("path", p.Path),
		need("target", p.Target),
		maybe(object, "base", p.Base),
		maybe(object, "onto", p.Onto),
		object("commit", p.Commit),
		maybe(object, "head", p.Head),
		maybe(object, "tree", p.Tree),
		digest("contract", p.Contract),
		each("reverts", p.Reverts, filledIn),
	)
}
