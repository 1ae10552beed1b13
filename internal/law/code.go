package law

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Code is a law of profiles and clauses, as a file holds it. The first clause that speaks of a
// step decides it. A step that no clause speaks of is permitted; a profile that the law does
// not know is permitted nothing, and so the zero Code permits nobody anything.
type Code struct {
	profiles map[string]string // what each one is, by name
	clauses  []clause
}

// ParseCode reads a law out of its file's bytes: an object of profiles, each with a sentence
// that says who that is, and of clauses, in the order in which they are asked. It is strict:
// what it does not know, what it finds twice and what could never decide anything is an error,
// and the error names the clause.
func ParseCode(text []byte) (Code, error) {
	var file struct {
		Profiles map[string]string `json:"profiles"`
		Clauses  []json.RawMessage `json:"clauses"`
	}
	if err := decode(text, &file); err != nil {
		return Code{}, err
	}
	if file.Clauses == nil {
		return Code{}, errors.New("no clauses: a law that has none says clauses: []")
	}
	c := Code{profiles: file.Profiles, clauses: make([]clause, len(file.Clauses))}
	if err := c.checkProfiles(); err != nil {
		return Code{}, err
	}
	for i, raw := range file.Clauses {
		if err := c.read(i, raw); err != nil {
			return Code{}, err
		}
	}
	if err := once(text); err != nil {
		return Code{}, err
	}
	return c, nil
}

// Idle is a law with a clause that never decides, since an earlier one speaks of all that it
// speaks of.
type Idle struct {
	Clause, By    string // their ids
	place, before int    // and where they stand
}

func (i *Idle) Error() string {
	return fmt.Sprintf("clause %d (%s): clause %d (%s) decides all that it speaks of", i.place, i.Clause, i.before, i.By)
}

func (c Code) checkProfiles() error {
	if len(c.profiles) == 0 {
		return errors.New("no profiles: the law would permit nobody anything")
	}
	for _, name := range slices.Sorted(maps.Keys(c.profiles)) {
		if !word(name) {
			return fmt.Errorf("profiles: %q is not a name of a-z, 0-9 and -", name)
		}
		if why := unsaid(c.profiles[name]); why != "" {
			return fmt.Errorf("profiles: %s: %s", name, why)
		}
	}
	return nil
}

// read puts clause i in its place, behind those that are asked before it.
func (c Code) read(i int, raw json.RawMessage) error {
	one := &c.clauses[i]
	if err := decode(raw, one); err != nil {
		return fmt.Errorf("clause %d: %w", i+1, err)
	}
	if err := once(raw); err != nil {
		return fmt.Errorf("clause %d: %w", i+1, err)
	}
	if !word(one.ID) {
		return fmt.Errorf("clause %d: the id %q is not a name of a-z, 0-9 and -", i+1, one.ID)
	}
	if _, known := c.profiles[one.Profile]; one.Profile != "" && !known {
		return fmt.Errorf("clause %d (%s): %q is none of the profiles", i+1, one.ID, one.Profile)
	}
	if why := one.fault(); why != "" {
		return fmt.Errorf("clause %d (%s): %s", i+1, one.ID, why)
	}
	for j := range c.clauses[:i] {
		switch before := &c.clauses[j]; {
		case before.ID == one.ID:
			return fmt.Errorf("clause %d (%s): clause %d has that id", i+1, one.ID, j+1)
		case before.covers(one):
			return &Idle{Clause: one.ID, By: before.ID, place: i + 1, before: j + 1}
		}
	}
	one.name = "clause " + one.ID + ": " + one.Says
	return nil
}

// Permits asks the clauses in their order; the first that speaks of the step decides, and is
// named with its sentence.
func (c Code) Permits(profile string, s Step) (string, bool) {
	if _, known := c.profiles[profile]; !known {
		return fmt.Sprintf("the law knows no profile %q", profile), false
	}
	for i := range c.clauses {
		if one := &c.clauses[i]; one.speaks(profile, s) {
			return one.name, *one.Permit
		}
	}
	return "", true
}

// MarshalJSON writes the law as ParseCode reads it.
func (c Code) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Profiles map[string]string `json:"profiles"`
		Clauses  []clause          `json:"clauses"`
	}{c.profiles, c.clauses})
}
