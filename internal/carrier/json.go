package carrier

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"torve/internal/strictyaml"
)

// decodeJSON reads one JSON document strictly: no key that is not known, none
// twice, none in other letters, and nothing after it. The error is a
// *strictyaml.Error at its place.
func decodeJSON(path string, data []byte, out any) error {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if at, err := askKeys(data, reflect.TypeOf(out)); err != nil {
		return fault(path, data, at, err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(out); err != nil {
		return fault(path, data, d.InputOffset(), err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fault(path, data, d.InputOffset(), errors.New("there are bytes after the document"))
	}
	return nil
}

// level is an object or a list that the walk is inside of.
type level struct {
	fields map[string]reflect.Type // the keys of an object; nil where none is asked
	seen   map[string]bool         // nil in a list
	value  reflect.Type            // of the value that comes next; nil when it may be anything
	keyed  bool                    // a key was read
}

// askKeys walks the first document for what encoding/json lets through or cannot
// place: a key that is not known, is given twice, or differs from ours in case.
func askKeys(data []byte, as reflect.Type) (at int64, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	open := []level{{value: as}}
	for {
		t, err := d.Token()
		if err != nil {
			return d.InputOffset(), err
		}
		top := &open[len(open)-1]
		if key, isText := t.(string); isText && top.seen != nil && !top.keyed {
			if err := top.key(key); err != nil {
				return d.InputOffset(), err
			}
			continue
		}
		top.keyed = false
		switch t {
		case json.Delim('{'), json.Delim('['):
			open = append(open, inside(top.value, t == json.Delim('{')))
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
			open[len(open)-1].keyed = false
		}
		if len(open) == 1 {
			return 0, nil
		}
	}
}

func (l *level) key(key string) error {
	value, known := l.fields[key]
	switch {
	case l.seen[key]:
		return fmt.Errorf("the key %q is given twice", key)
	case l.fields != nil && !known:
		return fmt.Errorf("there is no key %q", key)
	}
	l.seen[key], l.value, l.keyed = true, value, true
	return nil
}

// inside is the level of an object or list that fills a value of type t.
func inside(t reflect.Type, object bool) level {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	l := level{}
	if object {
		l.seen = map[string]bool{}
	}
	switch {
	case t == nil:
	case t.Kind() == reflect.Slice && !object:
		l.value = t.Elem()
	case t.Kind() == reflect.Struct && object:
		l.fields = map[string]reflect.Type{}
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			l.fields[name] = t.Field(i).Type
		}
	}
	return l
}

// fault gives a JSON error its line and column and says it in our words.
func fault(path string, data []byte, at int64, err error) error {
	why := strings.TrimPrefix(err.Error(), "json: ")
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at, why = syntax.Offset, "this is not JSON: "+err.Error()
	case errors.As(err, &wrong):
		at = wrong.Offset
		why = fmt.Sprintf("%s is a %s, and %s is wanted", nameOf(wrong.Field), wrong.Value, wants(wrong))
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		at, why = int64(len(data)), "the document ends early"
	}
	line, col := place(data, at)
	return &strictyaml.Error{File: path, Line: line, Col: col, Why: why}
}

func nameOf(field string) string {
	if field == "" {
		return "the document"
	}
	return field
}

func wants(e *json.UnmarshalTypeError) string {
	switch k := e.Type.Kind().String(); k {
	case "struct", "map":
		return "an object"
	case "slice":
		return "a list"
	case "string":
		return "text"
	case "bool":
		return "true or false"
	case "float64":
		return "a number"
	default:
		return "a whole number"
	}
}

func place(data []byte, at int64) (line, col int) {
	before := data[:min(max(at, 0), int64(len(data)))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, max(len(before)-start, 1)
}

// asked looks at a document's schema before anything else is asked of it, so
// that a newer file is refused by its version. "" when it names none.
func asked(path string, data []byte, want string) (string, error) {
	var head struct {
		Schema string `json:"schema"`
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if err := json.Unmarshal(data, &head); err != nil || head.Schema == "" || head.Schema == want {
		return head.Schema, nil // what is wrong with it is said when it is decoded
	}
	e := &strictyaml.Error{File: path, Line: 1, Col: 1, Hint: "schema: " + want,
		Why: fmt.Sprintf("schema is %q, and %s is wanted", head.Schema, want)}
	at := strings.LastIndex(want, "/v")
	kind, version := want[:at], want[at+2:]
	if got, isVersion := strings.CutPrefix(head.Schema, kind+"/v"); isVersion && newer(got, version) {
		e.Why, e.Hint = head.Schema+" is newer than this torve reads", "update torve: it reads "+want
	}
	return head.Schema, e
}

func newer(got, want string) bool {
	g, err := strconv.Atoi(got)
	w, _ := strconv.Atoi(want)
	return err == nil && g > w
}
