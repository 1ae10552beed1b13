package record

import (
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"
)

// Decode reads the payload as its kind, strictly, and gives it by value: an
// unknown field, an unknown kind and a newer schema are errors that name it.
func Decode(e Event) (Payload, error) {
	s, known := e.Kind.spec()
	if !known {
		return nil, fmt.Errorf("event %d is of kind %q, which this program does not know", e.Seq, e.Kind)
	}
	if e.Schema > Schema {
		return nil, fmt.Errorf("event %d, %s, is of schema %d, and this program reads up to %d", e.Seq, e.Kind, e.Schema, Schema)
	}
	p, err := s.read(e.Payload)
	if err != nil {
		return nil, fmt.Errorf("decoding event %d, %s: %w", e.Seq, e.Kind, err)
	}
	return p, nil
}

// whole is a payload in its one form: a nil list is written [], bytes that are nil "",
// times are whole seconds of UTC, and texts are legible. The caller's value is not touched.
func whole(p any) any {
	v := reflect.ValueOf(p)
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return filled(v).Interface()
}

func filled(v reflect.Value) reflect.Value {
	if at, is := v.Interface().(time.Time); is {
		return reflect.ValueOf(at.UTC().Truncate(time.Second))
	}
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(filled(v.Elem()))
		return out
	case v.Type() == reflect.TypeFor[[]byte]() && v.IsNil():
		return reflect.ValueOf([]byte{})
	case v.Kind() == reflect.String:
		out := reflect.New(v.Type()).Elem()
		out.SetString(legible(v.String()))
		return out
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(filled(v.Index(i)))
		}
		return out
	case v.Kind() == reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		for i := range v.NumField() {
			out.Field(i).Set(filled(v.Field(i)))
		}
		return out
	}
	return v
}

// legible is a text with the bytes that are no UTF-8 written out, \xe9: events are JSON,
// which has no other text, and its writer would give all such bytes one sign, so that two
// paths became one. So is the byte 0, which a store's column of text need not hold.
func legible(s string) string {
	if utf8.ValidString(s) && !strings.ContainsRune(s, 0) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == 0 || r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[0])
		} else {
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}
