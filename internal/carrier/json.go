package carrier

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"torve/internal/strictyaml"
)

// decodeJSON reads one JSON document strictly: no key that is not known, none
// twice, none in other letters, and nothing after it. The error is a
// *strictyaml.Error at its place.
func decodeJSON(path string, data []byte, out any) error {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if at, err := keysOnce(data); err != nil {
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

// keysOnce walks the first document for what encoding/json lets through: a key
// given twice, and a key whose letters differ from ours in case alone.
func keysOnce(data []byte) (at int64, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	type level struct {
		keys  map[string]bool // nil in a list
		value bool            // a key was read, its value comes
	}
	var open []level
	for {
		t, err := d.Token()
		if err != nil {
			return d.InputOffset(), err
		}
		top := len(open) - 1
		if key, isText := t.(string); isText && top >= 0 && open[top].keys != nil && !open[top].value {
			switch {
			case open[top].keys[key]:
				return d.InputOffset(), fmt.Errorf("the key %q is given twice", key)
			case key != strings.ToLower(key):
				return d.InputOffset(), fmt.Errorf("there is no key %q: keys are lower case", key)
			}
			open[top].keys[key], open[top].value = true, true
			continue
		}
		if top >= 0 {
			open[top].value = false
		}
		switch t {
		case json.Delim('{'):
			open = append(open, level{keys: map[string]bool{}})
		case json.Delim('['):
			open = append(open, level{})
		case json.Delim('}'), json.Delim(']'):
			open = open[:top]
		}
		if len(open) == 0 {
			return 0, nil
		}
	}
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
	case strings.HasPrefix(why, "unknown field "):
		why = "there is no key " + strings.TrimPrefix(why, "unknown field ")
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
