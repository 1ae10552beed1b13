// Package spec reads specifications: a YAML head and tables of graded decisions.
package spec

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"torve/internal/strictyaml"
)

// Folder is where specifications stand in the repository.
const Folder = "specs"

// Spec is one specification.
type Spec struct {
	ID         string     `yaml:"id"`
	Title      string     `yaml:"title"`
	Status     string     `yaml:"status"` // draft, accepted or superseded
	DependsOn  []string   `yaml:"depends_on"`
	Supersedes []string   `yaml:"supersedes"`
	Decisions  []Decision `yaml:"-"`
	File       string     `yaml:"-"` // as it was given to Parse
}

// Decision is one row of a table under "## Decisions".
type Decision struct {
	ID    string // D-3
	Grade string // LOCKED, ASSUMED or OPEN
	Text  string
	Paths []string // globs
	Check string   // a command; may be empty
	Line  int      // of the file
}

// The grades, by how hard they bind.
const (
	Locked  = "LOCKED"
	Assumed = "ASSUMED"
	Open    = "OPEN"
)

// Accepted is the status of a specification whose decisions are inherited.
const Accepted = "accepted"

var (
	grades    = []string{Locked, Assumed, Open}
	statuses  = []string{"draft", Accepted, "superseded"}
	idPattern = regexp.MustCompile(`^S-[0-9]{4,}$`)
	rowID     = regexp.MustCompile(`^D-[0-9]+$`)
	fileName  = regexp.MustCompile(`^(S-[0-9]{4,})(?:-[^/]*)?\.md$`)
)

// IsFile reports whether a path in the repository is a specification's.
func IsFile(file string) bool {
	return path.Dir(file) == Folder && fileName.MatchString(path.Base(file))
}

// Parse reads one specification; the error is a *strictyaml.Error with its
// place. Where file is named as a specification is, its id must be the head's.
func Parse(file string, data []byte) (Spec, error) {
	head, body, err := split(file, data)
	if err != nil {
		return Spec{}, err
	}
	d, err := strictyaml.Parse(file, head)
	if err != nil {
		return Spec{}, err
	}
	s := Spec{DependsOn: []string{}, Supersedes: []string{}, File: file}
	if err := d.Decode(&s); err != nil {
		return Spec{}, err
	}
	if err := s.validate(d); err != nil {
		return Spec{}, err
	}
	s.Decisions, err = decisions(file, body)
	if err != nil {
		return Spec{}, err
	}
	return s, nil
}

func (s Spec) validate(d *strictyaml.Document) error {
	named := ""
	if m := fileName.FindStringSubmatch(path.Base(s.File)); m != nil {
		named = m[1]
	}
	switch {
	case !d.Has("id"):
		return d.Fault("there is no id", "id: "+orElse(named, "S-0001"))
	case !idPattern.MatchString(s.ID):
		return d.Fault(fmt.Sprintf("id %q is not a specification's id", s.ID), "write it like S-0001", "id")
	case named != "" && named != s.ID:
		return d.Fault(fmt.Sprintf("id is %s, and the file is named %s", s.ID, named), "the file's name begins with the id", "id")
	case strings.TrimSpace(s.Title) == "":
		return d.Fault("there is no title", "title: what it decides, in one line", "title")
	case !slices.Contains(statuses, s.Status):
		return d.Fault(fmt.Sprintf("status %q is not known", s.Status), "status is draft, accepted or superseded", "status")
	}
	if err := s.others(d, "depends_on", s.DependsOn); err != nil {
		return err
	}
	return s.others(d, "supersedes", s.Supersedes)
}

func (s Spec) others(d *strictyaml.Document, key string, ids []string) error {
	for i, id := range ids {
		switch {
		case !idPattern.MatchString(id):
			return d.Fault(fmt.Sprintf("%s %q is not a specification's id", key, id), "write it like S-0001", key, i)
		case id == s.ID:
			return d.Fault(fmt.Sprintf("%s names the specification itself, %s", key, id), "leave it out", key, i)
		}
	}
	return nil
}

// split takes the YAML head and the Markdown below it apart. Each keeps the
// lines of the other as blank ones, so that a line of either is the file's.
func split(file string, data []byte) (head, body []byte, err error) {
	text := strings.TrimPrefix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\ufeff")
	lines := strings.SplitAfter(text, "\n")
	const hint = "begin the file with ---, the head, and --- again"
	if strings.TrimRight(lines[0], " \t\n") != "---" {
		return nil, nil, &strictyaml.Error{File: file, Line: 1, Col: 1, Why: "there is no YAML head", Hint: hint}
	}
	for i, l := range lines[1:] {
		if strings.TrimRight(l, " \t\n") != "---" {
			continue
		}
		end := i + 1
		head = []byte("\n" + strings.Join(lines[1:end], ""))
		return head, []byte(strings.Repeat("\n", end+1) + strings.Join(lines[end+1:], "")), nil
	}
	return nil, nil, &strictyaml.Error{File: file, Line: 1, Col: 1, Why: "the YAML head has no end", Hint: hint}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
