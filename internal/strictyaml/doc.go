// Package strictyaml decodes YAML that people write: an unknown key, a key
// given twice or a wrong type is an error that names its place and what would
// mend it. A plain scalar where text is wanted is that text as written.
package strictyaml

import "fmt"

// Error is one fault in a file, at its place.
type Error struct {
	File      string // as the reader knows it
	Line, Col int    // from 1; 0 when the whole file is meant
	Why       string // lower case, no full stop
	Hint      string // what would mend it; may be empty
}

// Error prints file:line:col: why, without the hint.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Why)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Why)
}
