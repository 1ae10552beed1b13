// Package spec reads specifications: a YAML head and tables of graded decisions.
package spec

// Spec is one specification.
type Spec struct {
	ID         string     `yaml:"id"`
	Title      string     `yaml:"title"`
	Status     string     `yaml:"status"` // draft, accepted or superseded
	DependsOn  []string   `yaml:"depends_on"`
	Supersedes []string   `yaml:"supersedes"`
	Decisions  []Decision `yaml:"-"`
}

// Decision is one row of a table under "## Decisions".
type Decision struct {
	ID    string // D-3
	Grade string // LOCKED, ASSUMED or OPEN
	Text  string
	Paths []string
	Check string
	Line  int
}

// Parse reads one specification; the error is a *strictyaml.Error with its place.
func Parse(file string, data []byte) (Spec, error) { panic("unwritten") }
