package record

// Source is source.imported: a committed file was read into the record, or the partition was opened (Path empty).
type Source struct {
	Path   string `json:"path,omitempty"`
	Blob   string `json:"blob,omitempty"`
	Commit string `json:"commit,omitempty"`
	Root   string `json:"root,omitempty"` // the repository's root commit; on the partition's first event
}

// Kind is source.imported.
func (Source) Kind() Kind { return KindSource }

// Validate asks what the store cannot: that the fact is whole.
func (p Source) Validate() error {
	if p.Path == "" {
		return first(
			say(p.Blob != "" || p.Commit != "", "a blob or a commit without a path"),
			object("root", p.Root),
		)
	}
	return first(object("blob", p.Blob), object("commit", p.Commit), maybe(object, "root", p.Root))
}
