package village

import (
	"bytes"
	"encoding/json"
	"strings"
)

// node is a JSON value on its way to lines.
type node struct {
	key   string // in an object, quoted
	text  string // of a scalar
	open  byte   // '{' or '['; 0 of a scalar
	nodes []node
}

// layout writes a JSON value in lines that people can compare and git can merge: what holds
// plain numbers, or members that each fit a line, is one line; a list of anything else has a
// line for each.
func layout(value any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(&text)
	dec.UseNumber()
	tree, err := read(dec)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	tree.write(&out, "\n")
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// read reads one value.
func read(dec *json.Decoder) (node, error) {
	token, err := dec.Token()
	if err != nil {
		return node{}, err
	}
	open, is := token.(json.Delim)
	if !is {
		return node{text: scalar(token)}, nil
	}
	n := node{open: byte(open)}
	for dec.More() {
		var key string
		if n.open == '{' {
			token, err := dec.Token()
			if err != nil {
				return node{}, err
			}
			key = scalar(token)
		}
		member, err := read(dec)
		if err != nil {
			return node{}, err
		}
		member.key = key
		n.nodes = append(n.nodes, member)
	}
	_, err = dec.Token()
	return n, err
}

// scalar is a token as JSON writes it. None of a string, a number, a bool and a null can fail.
func scalar(token json.Token) string {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(token)
	return strings.TrimSuffix(text.String(), "\n")
}

// line reports whether a value is written on one line.
func (n node) line() bool {
	for _, m := range n.nodes {
		if !m.line() || n.open == '[' && (m.open != 0 || m.text[0] == '"') {
			return false
		}
	}
	return true
}

// write writes a value; feed is the line feed and the indent in front of its own line.
func (n node) write(out *bytes.Buffer, feed string) {
	if n.key != "" {
		out.WriteString(n.key + ": ")
	}
	if n.open == 0 {
		out.WriteString(n.text)
		return
	}
	between, inner, last := ", ", feed, ""
	if !n.line() {
		inner, last = feed+"  ", feed
		between = "," + inner
	}
	out.WriteByte(n.open)
	for i, m := range n.nodes {
		switch {
		case i > 0:
			out.WriteString(between)
		case last != "":
			out.WriteString(inner)
		}
		m.write(out, inner)
	}
	out.WriteString(last)
	out.WriteByte(n.open + 2) // '{' and '}', '[' and ']' are two apart
}
