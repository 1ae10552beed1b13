package strictyaml

import (
	"fmt"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"
)

type fields struct {
	byKey map[string]reflect.Value
	order []string
}

// fieldsOf lists a struct's keys as yaml.v3 would name them, inline ones too.
func fieldsOf(v reflect.Value) fields {
	f := fields{byKey: map[string]reflect.Value{}}
	f.add(v)
	return f
}

func (f *fields) add(v reflect.Value) {
	for i := range v.NumField() {
		sf := v.Type().Field(i)
		key, options, _ := strings.Cut(sf.Tag.Get("yaml"), ",")
		switch {
		case !sf.IsExported() || key == "-":
			continue
		case strings.Contains(options, "inline"):
			f.add(v.Field(i))
			continue
		case key == "":
			key = strings.ToLower(sf.Name)
		}
		f.byKey[key] = v.Field(i)
		f.order = append(f.order, key)
	}
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
