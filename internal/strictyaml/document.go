package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"
)

// Document is one parsed file. It keeps the places of its values, so that what
// is wrong with a value's meaning can be said where the value stands.
type Document struct {
	file string
	root *yaml.Node
}

// Parse reads one YAML document: no second one, and none that is empty. The
// error is an *Error. A BOM and CRLF line ends are taken as they come.
func Parse(file string, data []byte) (d *Document, err error) {
	defer func() {
		// The parser's own broken promise must not end the program that reads
		// a file which anybody may have written.
		if r := recover(); r != nil {
			err = &Error{File: file, Why: fmt.Sprintf("this is not YAML: %v", r)}
		}
	}()
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if err := letters(file, data); err != nil {
		return nil, err
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF) || err == nil && isEmpty(&doc):
		return nil, &Error{File: file, Why: "the file is empty", Hint: "write it, or remove it"}
	case err != nil:
		return nil, syntax(file, data, err)
	}
	var next yaml.Node
	switch err := dec.Decode(&next); {
	case err == nil:
		return nil, &Error{File: file, Line: next.Line, Col: max(next.Column, 1),
			Why: "a second document begins here, and one is read", Hint: "keep one document a file"}
	case !errors.Is(err, io.EOF):
		return nil, syntax(file, data, err)
	}
	return &Document{file: file, root: doc.Content[0]}, nil
}

// Decode is Parse and Document.Decode in one.
func Decode(file string, data []byte, out any) error {
	d, err := Parse(file, data)
	if err != nil {
		return err
	}
	return d.Decode(out)
}

// At is the place of the value at a path of keys (string) and positions (int);
// of the nearest one above it when there is none.
func (d *Document) At(path ...any) (line, col int) {
	n, _ := d.find(path)
	return n.Line, n.Column
}

// Has reports whether the file itself gives a value at the path.
func (d *Document) Has(path ...any) bool {
	_, ok := d.find(path)
	return ok
}

// Node is the value at a path, aliases followed; nil when there is none.
func (d *Document) Node(path ...any) *yaml.Node {
	if n, ok := d.find(path); ok {
		return n
	}
	return nil
}

// Fault is an *Error at the value at a path, or at the nearest one above it.
func (d *Document) Fault(why, hint string, path ...any) *Error {
	line, col := d.At(path...)
	return &Error{File: d.file, Line: line, Col: col, Why: why, Hint: hint}
}

func (d *Document) find(path []any) (*yaml.Node, bool) {
	n := d.root
	for _, step := range path {
		below := child(resolved(n), step)
		if below == nil {
			return n, false
		}
		n = below
	}
	return resolved(n), true
}

func child(n *yaml.Node, step any) *yaml.Node {
	switch step := step.(type) {
	case string:
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == step {
				return n.Content[i+1]
			}
		}
	case int:
		if n.Kind == yaml.SequenceNode && step >= 0 && step < len(n.Content) {
			return n.Content[step]
		}
	}
	return nil
}

func resolved(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	return n
}

func isEmpty(doc *yaml.Node) bool {
	if len(doc.Content) == 0 {
		return true
	}
	n := doc.Content[0]
	return n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == ""
}
