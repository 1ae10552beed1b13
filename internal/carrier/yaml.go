package carrier

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"torve/internal/strictyaml"
)

// document reads one YAML file strictly into out, its schema first, and gives
// the document so that what is wrong with a value can be said where it stands.
func document(path string, data []byte, schema string, out any) (*strictyaml.Document, error) {
	d, err := strictyaml.Parse(path, data)
	if err != nil {
		return nil, err
	}
	if err := d.Schema(schema); err != nil {
		return nil, err
	}
	return d, d.Decode(out)
}

// canonical writes YAML in one form: the keys in the order of the struct, two
// spaces a level, and every text so that it reads back as it was.
func canonical(v any) ([]byte, error) {
	var n yaml.Node
	if err := n.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding: %w", err)
	}
	if err := plain(&n); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(&n); err != nil {
		return nil, fmt.Errorf("encoding: %w", err)
	}
	return out.Bytes(), nil
}

// plain gives every text a style that the emitter writes and the parser reads
// without loss. Bytes that are no UTF-8 become U+FFFD: YAML has no other text.
func plain(n *yaml.Node) error {
	for _, c := range n.Content {
		if err := plain(c); err != nil {
			return err
		}
	}
	if n.Kind != yaml.ScalarNode {
		return nil
	}
	switch n.Tag {
	case "!!binary":
		raw, err := base64.StdEncoding.DecodeString(n.Value)
		if err != nil {
			return fmt.Errorf("encoding a text: %w", err)
		}
		n.SetString(strings.ToValidUTF8(string(raw), "\uFFFD"))
		n.Style = yaml.DoubleQuotedStyle
	case "!!str":
		n.Style = style(n.Value, n.Style)
	case "!!float":
		if strings.ContainsAny(n.Value, "nN") {
			return fmt.Errorf("encoding: %s is no figure", n.Value)
		}
	}
	return nil
}

// style is literal for plain text of several lines and quoted for what a block
// or a plain scalar would lose: control characters, odd blanks, line ends of
// other systems, blanks where a line begins the block or ends.
func style(s string, as yaml.Style) yaml.Style {
	if strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
		return yaml.DoubleQuotedStyle
	}
	if !strings.Contains(s, "\n") {
		return as
	}
	if strings.HasPrefix(s, " ") || strings.HasPrefix(s, "\n") || strings.Contains(s, " \n") || strings.HasSuffix(s, " ") {
		return yaml.DoubleQuotedStyle
	}
	return yaml.LiteralStyle
}
