package contract

import (
	"fmt"
	"path"
	"strings"

	"gopkg.in/yaml.v3"

	"torve/internal/strictyaml"
)

// FileName is what a contract's file is called, in a folder named by its id.
const FileName = "contract.yaml"

// Folder holds one folder a task.
const Folder = ".torve/tasks"

// PathOf is where a task's contract stands in the repository.
func PathOf(id string) string { return Folder + "/" + id + "/" + FileName }

// Default is a contract with nothing but its defaults.
func Default() Contract {
	return Contract{
		Schema:     Schema,
		Workload:   "code",
		DependsOn:  []string{},
		Scope:      Scope{Allow: []string{}, Deny: []string{}},
		Verbs:      []string{"add", "modify", "delete", "mode"},
		Tests:      "keep",
		Base:       "green",
		Acceptance: []string{},
		Budget:     Budget{Attempts: 3, Minutes: 30, USD: 5, Changes: 500, Lines: 5000},
		Agent:      Agents{},
		Role:       "implement",
		Targets:    []string{},
	}
}

// Parse reads a contract file strictly and fills its defaults; file is its path
// in the repository, whose folder names the task. The error is a
// *strictyaml.Error with the place of the first fault and what would mend it.
func Parse(file string, data []byte) (Contract, error) {
	c := Default()
	d, err := strictyaml.Parse(file, data)
	if err != nil {
		return Contract{}, err
	}
	if err := d.Schema(Schema); err != nil {
		return Contract{}, err
	}
	if err := d.Decode(&c); err != nil {
		return Contract{}, err
	}
	v := validator{d: d, c: c, folder: folder(file)}
	if err := v.validate(); err != nil {
		return Contract{}, err
	}
	return c, nil
}

// folder is the task that a contract's path stands for; "" when the path is of
// no task's folder.
func folder(file string) string {
	dir, base := path.Split(path.Clean(strings.ReplaceAll(file, `\`, "/")))
	dir = strings.TrimSuffix(dir, "/")
	if base != FileName || path.Base(path.Dir(dir)) != path.Base(Folder) {
		return ""
	}
	return path.Base(dir)
}

// UnmarshalYAML reads one agent or a list of them.
func (a *Agents) UnmarshalYAML(n *yaml.Node) error {
	names, err := strictyaml.Texts(n)
	if err != nil {
		return err
	}
	*a = names
	return nil
}

// At is the agent of the nth attempt, from 1: the list is gone up one an
// attempt and its last is kept. It is "" when the contract names none.
func (a Agents) At(n int) string {
	if len(a) == 0 {
		return ""
	}
	return a[max(0, min(n, len(a))-1)]
}

func (v *validator) fault(hint string, place []any, format string, args ...any) error {
	return v.d.Fault(fmt.Sprintf(format, args...), hint, place...)
}

func at(path ...any) []any { return path }
