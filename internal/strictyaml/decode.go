package strictyaml

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"
)

// aliasCap is how many values aliases may unfold to: enough for any file that a
// person writes, and far below what a bomb of nested aliases needs.
const aliasCap = 10_000

// Decode fills what out points to. Fields that the file does not name keep
// their values, so that defaults are set before. It honours yaml tags, inline
// and yaml.Unmarshaler; the error is an *Error.
func (d *Document) Decode(out any) error {
	v := reflect.ValueOf(out)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		panic("strictyaml: Decode wants a pointer")
	}
	w := walk{file: d.file}
	return w.value(d.root, v.Elem(), "")
}

type walk struct {
	file    string
	depth   int // of aliases that are being followed
	aliased int // values reached through one
}

func (w *walk) fault(n *yaml.Node, hint, format string, args ...any) error {
	return &Error{File: w.file, Line: n.Line, Col: n.Column, Why: fmt.Sprintf(format, args...), Hint: hint}
}

func (w *walk) value(n *yaml.Node, v reflect.Value, at string) error {
	if n.Kind == yaml.AliasNode {
		w.depth++
		defer func() { w.depth-- }()
		n = resolved(n)
	}
	if w.depth > 0 {
		if w.aliased++; w.aliased > aliasCap {
			return w.fault(n, "write the values out", "aliases unfold to more than %d values", aliasCap)
		}
	}
	if n.Style&yaml.TaggedStyle != 0 {
		return w.fault(n, "leave the tag out", "%s has the tag %s, and tags are not read", name(at), n.Tag)
	}
	if v.Kind() == reflect.Pointer {
		return w.pointer(n, v, at)
	}
	if done, err := w.custom(n, v, at); done {
		return err
	}
	switch v.Kind() {
	case reflect.Struct:
		return w.structure(n, v, at)
	case reflect.Map:
		return w.mapping(n, v, at)
	case reflect.Slice:
		return w.list(n, v, at)
	}
	return w.scalar(n, v, at)
}

// pointer takes null for nil: a pointer is how a type says that a value may be absent.
func (w *walk) pointer(n *yaml.Node, v reflect.Value, at string) error {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		v.SetZero()
		return nil
	}
	if v.IsNil() {
		v.Set(reflect.New(v.Type().Elem()))
	}
	return w.value(n, v.Elem(), at)
}

// custom asks the type itself, when it knows how to read a node or a text.
func (w *walk) custom(n *yaml.Node, v reflect.Value, at string) (done bool, err error) {
	switch u := v.Addr().Interface().(type) {
	case yaml.Unmarshaler:
		err = u.UnmarshalYAML(n)
	case encoding.TextUnmarshaler:
		text, wrong := Text(n)
		if err = wrong; err == nil {
			err = u.UnmarshalText([]byte(text))
		}
	default:
		return false, nil
	}
	var placed *Error
	switch {
	case err == nil:
		return true, nil
	case errors.As(err, &placed):
		placed.File = w.file
		placed.Why = strings.TrimSpace(name(at) + " " + placed.Why)
		return true, placed
	case isTime(v):
		return true, w.fault(n, "write it as 2026-01-31T10:00:00Z", "%s is %q, and a time is wanted", name(at), n.Value)
	}
	return true, w.fault(n, "", "%s: %s", name(at), err)
}

func (w *walk) list(n *yaml.Node, v reflect.Value, at string) error {
	if n.Kind != yaml.SequenceNode {
		return w.fault(n, listHint(n, at), "%s is %s, and a list is wanted", name(at), what(n))
	}
	out := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, c := range n.Content {
		if err := w.value(c, out.Index(i), fmt.Sprintf("%s[%d]", at, i)); err != nil {
			return err
		}
	}
	v.Set(out)
	return nil
}

func (w *walk) mapping(n *yaml.Node, v reflect.Value, at string) error {
	if err := w.keys(n, at); err != nil {
		return err
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i].Value
		item := reflect.New(v.Type().Elem()).Elem()
		if err := w.value(n.Content[i+1], item, join(at, key)); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), item)
	}
	return nil
}

func (w *walk) structure(n *yaml.Node, v reflect.Value, at string) error {
	if err := w.keys(n, at); err != nil {
		return err
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		f, known := field(v, key.Value)
		if !known {
			return w.fault(key, nearest(key.Value, keysOf(v.Type())), "there is no key %q%s", key.Value, within(at))
		}
		if err := w.value(n.Content[i+1], f, join(at, key.Value)); err != nil {
			return err
		}
	}
	return nil
}

// keys asks that a node is a map whose keys are texts, each given once.
func (w *walk) keys(n *yaml.Node, at string) error {
	if n.Kind != yaml.MappingNode {
		return w.fault(n, emptyHint(n), "%s is %s, and a map of keys is wanted", name(at), what(n))
	}
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			return w.fault(key, "write the key as a plain word", "a key%s is %s", within(at), what(key))
		}
		if line, again := first[key.Value]; again {
			return w.fault(key, "keep one of them", "the key %q%s is given twice: at line %d and at line %d",
				key.Value, within(at), line, key.Line)
		}
		first[key.Value] = key.Line
	}
	return nil
}
