package strictyaml

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// Text is a scalar as it is written: true, yes, 1e3 and 2026-01-31 are those
// letters. An empty value, a list and a map are not text.
func Text(n *yaml.Node) (string, error) {
	n = resolved(n)
	if n.Kind != yaml.ScalarNode || empty(n) {
		return "", &Error{Line: n.Line, Col: n.Column, Hint: emptyHint(n),
			Why: fmt.Sprintf("is %s, and text is wanted", what(n))}
	}
	return n.Value, nil
}

// Texts is a list of texts, or one text in place of a list of one.
func Texts(n *yaml.Node) ([]string, error) {
	n = resolved(n)
	if n.Kind != yaml.SequenceNode {
		text, err := Text(n)
		if err != nil {
			return nil, err
		}
		return []string{text}, nil
	}
	texts := make([]string, 0, len(n.Content))
	for _, c := range n.Content {
		text, err := Text(c)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

func (w *walk) scalar(n *yaml.Node, v reflect.Value, at string) error {
	if v.Kind() == reflect.String {
		if n.Kind != yaml.ScalarNode || empty(n) {
			return w.fault(n, emptyHint(n), "%s is %s, and text is wanted", name(at), what(n))
		}
		v.SetString(n.Value)
		return nil
	}
	want, set := number(v)
	switch {
	case n.Kind != yaml.ScalarNode || empty(n):
		return w.fault(n, emptyHint(n), "%s is %s, and %s is wanted", name(at), what(n), want)
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		return w.fault(n, "write it without quotes", "%s is a quoted text, and %s is wanted", name(at), want)
	case !set(n.Value):
		return w.fault(n, "", "%s is %q, and %s is wanted", name(at), n.Value, want)
	}
	return nil
}

// number gives the words for a kind and what sets it from a text.
func number(v reflect.Value) (want string, set func(string) bool) {
	switch {
	case v.Kind() == reflect.Bool:
		return "true or false", func(s string) bool {
			b, ok := truths[strings.ToLower(s)]
			v.SetBool(b)
			return ok
		}
	case v.CanInt():
		return "a whole number", func(s string) bool {
			i, err := strconv.ParseInt(s, 10, v.Type().Bits())
			v.SetInt(i)
			return err == nil
		}
	case v.CanUint():
		return "a whole number, 0 or more", func(s string) bool {
			i, err := strconv.ParseUint(s, 10, v.Type().Bits())
			v.SetUint(i)
			return err == nil
		}
	case v.CanFloat():
		return "a number", func(s string) bool {
			f, err := strconv.ParseFloat(s, v.Type().Bits())
			if err != nil || math.IsInf(f, 0) || math.IsNaN(f) || strings.ContainsAny(s, "xX_") {
				return false
			}
			v.SetFloat(f)
			return true
		}
	}
	panic("strictyaml: no reading of a " + v.Type().String())
}

// truths are what people write; on and off stand in the settings themselves.
var truths = map[string]bool{"true": true, "yes": true, "on": true, "false": false, "no": false, "off": false}

// Duration is a length of time, written 90s, 10m or 1h30m; 0 is none.
type Duration time.Duration

// UnmarshalText reads it; a negative one is an error.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil || v < 0 {
		return fmt.Errorf("%q is no length of time such as 90s, 10m or 1h30m", text)
	}
	*d = Duration(v)
	return nil
}

// MarshalText writes it as time.Duration prints it.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

func isTime(v reflect.Value) bool { return v.Type() == reflect.TypeFor[time.Time]() }

// empty is a value that is not there at all; "" is a text of no letters.
func empty(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == "" }

func what(n *yaml.Node) string {
	switch {
	case empty(n):
		return "empty"
	case n.Kind == yaml.ScalarNode:
		return strconv.Quote(n.Value)
	case n.Kind == yaml.SequenceNode:
		return "a list"
	}
	return "a map"
}
