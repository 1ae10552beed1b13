package strictyaml

import (
	"fmt"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"
)

// field finds the field that yaml.v3 would fill from a key, inline structs looked
// through.
func field(v reflect.Value, key string) (reflect.Value, bool) {
	for i := range v.NumField() {
		switch name, inline := keyOf(v.Type().Field(i)); {
		case inline:
			if f, found := field(v.Field(i), key); found {
				return f, true
			}
		case name != "" && name == key:
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

// keysOf lists a struct's keys in their order, those of inline structs too.
func keysOf(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		switch name, inline := keyOf(t.Field(i)); {
		case inline:
			keys = append(keys, keysOf(t.Field(i).Type)...)
		case name != "":
			keys = append(keys, name)
		}
	}
	return keys
}

// keyOf is the key of one field, "" when it has none.
func keyOf(f reflect.StructField) (key string, inline bool) {
	key, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	switch {
	case !f.IsExported() || key == "-":
		return "", false
	case strings.Contains(options, "inline"):
		return "", true
	case key == "":
		return strings.ToLower(f.Name), false
	}
	return key, false
}

// nearest is the hint for a key that is not known.
func nearest(key string, known []string) string {
	if key == "<<" {
		return "merge keys are not read: write the values out"
	}
	best, far := "", 3
	for _, k := range known {
		if d := distance(strings.ToLower(key), k); d < far && d < len(k) {
			best, far = k, d
		}
	}
	if best != "" {
		return fmt.Sprintf("did you mean %s?", best)
	}
	return "the keys are " + strings.Join(known, ", ")
}

// distance is how many letters must be added, dropped or changed.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}

func name(at string) string {
	if at == "" {
		return "the file"
	}
	return at
}

func within(at string) string {
	if at == "" {
		return ""
	}
	return " in " + at
}

func join(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}

func emptyHint(n *yaml.Node) string {
	if empty(n) {
		return "give it a value, or leave the key out"
	}
	return ""
}

func listHint(n *yaml.Node, at string) string {
	if n.Kind == yaml.ScalarNode && !empty(n) {
		last := at[strings.LastIndexByte(at, '.')+1:]
		return fmt.Sprintf("%s: [%q]", last, n.Value)
	}
	return emptyHint(n)
}
