package contract

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"torve/internal/strictyaml"
)

// errByHand is for a file whose scope is written in a way that no small edit
// widens without touching the rest.
var errByHand = errors.New("scope.allow is written in a way that cannot be widened in place: add the glob by hand")

// WidenScope adds globs to scope.allow in a contract file's bytes. All else in
// it stays as it is, comments and line ends too; globs that stand there already
// are left out. What comes out is read again, and only scope.allow has changed.
func WidenScope(data []byte, globs []string) ([]byte, error) {
	before, err := Parse("", data)
	if err != nil {
		return nil, err
	}
	var more []string
	for _, g := range globs {
		if err := ValidGlob(g); err != nil {
			return nil, err
		}
		if !slices.Contains(before.Scope.Allow, g) && !slices.Contains(more, g) {
			more = append(more, g)
		}
	}
	if len(more) == 0 {
		return data, nil
	}
	bom := data[:len(data)-len(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))]
	out, err := insert(data[len(bom):], more)
	if err != nil {
		return nil, err
	}
	out = append(slices.Clone(bom), out...)
	after, err := Parse("", out)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", errByHand, err)
	}
	want := append(slices.Clone(before.Scope.Allow), more...)
	if !slices.Equal(after.Scope.Allow, want) || !slices.Equal(Changed(before, after), []string{"scope.allow"}) {
		return nil, errByHand
	}
	return out, nil
}

func insert(data []byte, globs []string) ([]byte, error) {
	d, err := strictyaml.Parse("", data)
	if err != nil {
		return nil, err
	}
	allow := d.Node("scope", "allow")
	if allow == nil || allow.Kind != yaml.SequenceNode || len(allow.Content) == 0 {
		return nil, errByHand
	}
	last := allow.Content[len(allow.Content)-1]
	start, ok := offset(data, last.Line, last.Column)
	if !ok || last.Kind != yaml.ScalarNode {
		return nil, errByHand
	}
	if allow.Style&yaml.FlowStyle != 0 {
		end := start + scalarLen(data[start:])
		return slices.Insert(slices.Clone(data), end, []byte(", "+inside(flow(globs)))...), nil
	}
	return insertLines(data, start, globs), nil
}

// insertLines puts each glob on a line of its own behind the one at start, with
// the same indentation, dash and line end.
func insertLines(data []byte, start int, globs []string) []byte {
	begin := bytes.LastIndexByte(data[:start], '\n') + 1
	lead, newline := string(data[begin:start]), "\n"
	end := len(data)
	if i := bytes.IndexByte(data[start:], '\n'); i >= 0 {
		end = start + i
		if data[end-1] == '\r' {
			newline, end = "\r\n", end-1
		}
	}
	var more strings.Builder
	for _, g := range globs {
		more.WriteString(newline + lead + quoted(g))
	}
	return slices.Insert(slices.Clone(data), end, []byte(more.String())...)
}

func inside(list string) string { return list[1 : len(list)-1] }

// offset is the byte at a line and column, both from 1, columns in letters.
func offset(data []byte, line, col int) (int, bool) {
	at := 0
	for ; line > 1; line-- {
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			return 0, false
		}
		at += i + 1
	}
	for ; col > 1; col-- {
		if at >= len(data) || data[at] == '\n' {
			return 0, false
		}
		_, size := utf8.DecodeRune(data[at:])
		at += size
	}
	return at, at < len(data)
}

// scalarLen is how many bytes the scalar takes that begins a flow item.
func scalarLen(data []byte) int {
	quote := data[0]
	if quote != '"' && quote != '\'' {
		end := bytes.IndexAny(data, ",]}\n")
		if end < 0 {
			end = len(data)
		}
		plain, _, _ := strings.Cut(string(data[:end]), " #")
		return len(strings.TrimRight(plain, " \t\r"))
	}
	for i := 1; i < len(data); i++ {
		switch {
		case data[i] == '\\' && quote == '"':
			i++
		case data[i] == quote && quote == '\'' && i+1 < len(data) && data[i+1] == quote:
			i++
		case data[i] == quote:
			return i + 1
		}
	}
	return len(data)
}
