package village

import (
	"bytes"
	"encoding/json"
)

// layout writes a JSON value in lines that people can compare and git can merge: an object
// whose members each fit a line is one line, and so is a list of numbers; a list of anything
// else has a line for each.
func layout(value any) ([]byte, error) {
	var compact bytes.Buffer
	enc := json.NewEncoder(&compact)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	lines := lines{in: compact.Bytes(), indent: []byte{'\n'}}
	lines.value(0)
	return append(lines.out, '\n'), nil
}

// lines is compact JSON on its way to lines. It is sound: what reads it trusts that.
type lines struct {
	in, out []byte
	indent  []byte // the line feed and the spaces in front of the value that is written
}

// value writes the value that begins at i, and gives where it ends.
func (l *lines) value(i int) int {
	open := l.in[i]
	if open != '{' && open != '[' {
		end := l.scalar(i)
		l.out = append(l.out, l.in[i:end]...)
		return end
	}
	_, one := l.measure(i)
	depth := len(l.indent)
	l.out = append(l.out, open)
	if !one {
		l.indent = append(l.indent, "  "...)
		l.out = append(l.out, l.indent...)
	}
	for i++; l.in[i] != open+2; { // '{' and '}' are two apart, and so are '[' and ']'
		if open == '{' {
			end := l.scalar(i)
			l.out = append(append(l.out, l.in[i:end]...), ": "...)
			i = end + 1
		}
		if i = l.value(i); l.in[i] == ',' {
			i++
			if l.out = append(l.out, ','); one {
				l.out = append(l.out, ' ')
			} else {
				l.out = append(l.out, l.indent...)
			}
		}
	}
	if l.indent = l.indent[:depth]; !one {
		l.out = append(l.out, l.indent...)
	}
	l.out = append(l.out, open+2)
	return i + 1
}

// measure is where the value that begins at i ends, and whether it is written on one line.
func (l *lines) measure(i int) (end int, one bool) {
	open := l.in[i]
	if open != '{' && open != '[' {
		return l.scalar(i), true
	}
	one = true
	for i++; l.in[i] != open+2; {
		if open == '{' {
			i = l.scalar(i) + 1
		}
		first := l.in[i]
		if open == '[' && (first == '{' || first == '[' || first == '"') {
			one = false
		}
		var member bool
		if i, member = l.measure(i); !member {
			one = false
		}
		if l.in[i] == ',' {
			i++
		}
	}
	return i + 1, one
}

// scalar is where the string, the number or the word that begins at i ends.
func (l *lines) scalar(i int) int {
	if l.in[i] != '"' {
		return i + bytes.IndexAny(l.in[i:], ",]}\n")
	}
	for i++; l.in[i] != '"'; i++ {
		if l.in[i] == '\\' {
			i++
		}
	}
	return i + 1
}
