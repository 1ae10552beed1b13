package strictyaml

import (
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Schema asks that the file names the schema want, such as torve/contract/v1.
// It is asked before Decode, so that a newer file is refused by its version and
// not by a key that only the newer version has.
func (d *Document) Schema(want string) error {
	if d.root.Kind != yaml.MappingNode {
		return d.Fault(fmt.Sprintf("the file is %s, and a map of keys is wanted", what(d.root)), "schema: "+want)
	}
	n := d.Node("schema")
	switch {
	case n == nil:
		return d.Fault("there is no schema", "schema: "+want)
	case n.Kind == yaml.ScalarNode && n.Value == want:
		return nil
	case n.Kind == yaml.ScalarNode && newer(n.Value, want):
		return d.Fault(n.Value+" is newer than this torve reads", "update torve: it reads "+want, "schema")
	}
	return d.Fault(fmt.Sprintf("schema is %s, and %s is wanted", what(n), want), "schema: "+want, "schema")
}

func newer(got, want string) bool {
	g, gv, gok := version(got)
	w, wv, wok := version(want)
	return gok && wok && g == w && gv > wv
}

func version(schema string) (kind string, v int, ok bool) {
	at := strings.LastIndex(schema, "/v")
	if at < 0 {
		return "", 0, false
	}
	v, err := strconv.Atoi(schema[at+2:])
	return schema[:at], v, err == nil
}
