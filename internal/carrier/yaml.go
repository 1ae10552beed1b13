package carrier

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
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
// spaces a level, and every text so that it reads back as it was. The nodes are
// made here because yaml.v3's own maker emits and parses texts on the way, and
// fails on odd ones.
func canonical(v any) ([]byte, error) {
	n, err := node(reflect.ValueOf(v))
	if err != nil {
		return nil, fmt.Errorf("encoding: %w", err)
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(n); err != nil {
		return nil, fmt.Errorf("encoding: %w", err)
	}
	return out.Bytes(), nil
}

func node(v reflect.Value) (*yaml.Node, error) {
	if at, isTime := v.Interface().(time.Time); isTime {
		return &yaml.Node{Kind: yaml.ScalarNode, Value: second(at).Format(time.RFC3339)}, nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return &yaml.Node{Kind: yaml.ScalarNode, Value: "null"}, nil
		}
		return node(v.Elem())
	case reflect.Struct:
		return mapping(v)
	case reflect.Slice:
		return sequence(v)
	case reflect.String:
		return text(v.String()), nil
	case reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("%v is no figure", f)
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatFloat(v.Float(), 'f', -1, 64)}, nil
	case reflect.Bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatBool(v.Bool())}, nil
	case reflect.Int, reflect.Int64:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatInt(v.Int(), 10)}, nil
	}
	panic("carrier: no writing of a " + v.Type().String()) // our own plain structs
}

// mapping honours the key and omitempty of yaml tags.
func mapping(v reflect.Value) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for i := range v.NumField() {
		key, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		f := v.Field(i)
		if options == "omitempty" && (f.IsZero() || f.Kind() == reflect.Slice && f.Len() == 0) {
			continue
		}
		value, err := node(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		if options == "omitempty" && value.Kind == yaml.MappingNode && len(value.Content) == 0 {
			continue
		}
		n.Content = append(n.Content, text(key), value)
	}
	return n, nil
}

func sequence(v reflect.Value) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.SequenceNode}
	if v.Len() == 0 {
		n.Style = yaml.FlowStyle
	}
	for i := range v.Len() {
		item, err := node(v.Index(i))
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, item)
	}
	return n, nil
}

// text is a text's node. Bytes that are no UTF-8 become U+FFFD: YAML has no other text.
func text(s string) *yaml.Node {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Style: style(s)}
}

// style is literal for plain text of several lines and quoted for what a block
// or a plain scalar would lose: control characters, odd blanks, line ends of
// other systems, blanks where a line begins the block or ends.
func style(s string) yaml.Style {
	if strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
		return yaml.DoubleQuotedStyle
	}
	if !strings.Contains(s, "\n") {
		switch strings.ToLower(s) {
		case "y", "n", "yes", "no", "on", "off", "true", "false", "null": // other types to readers of older YAML
			return yaml.DoubleQuotedStyle
		}
		return 0 // the emitter quotes what would be of another type or shape
	}
	if strings.HasPrefix(s, " ") || strings.HasPrefix(s, "\n") || strings.Contains(s, " \n") || strings.HasSuffix(s, " ") {
		return yaml.DoubleQuotedStyle
	}
	return yaml.LiteralStyle
}
