package git

import (
	"context"
	"fmt"
	"strings"
)

// Link is a commit as a link of a history: no message, no people.
type Link struct {
	ID, Tree string
	Parents  []string
}

// Line is the whole history of a revision, newest first, by one program.
func (r *Repo) Line(ctx context.Context, rev string) ([]Link, error) {
	out, _, err := r.git(ctx, call{args: []string{"log", "--format=%H %T %P", "--end-of-options", rev, "--"}})
	if err != nil {
		return nil, fmt.Errorf("walking the history of %s: %w", short(rev), err)
	}
	var line []Link
	for l := range strings.Lines(string(out)) {
		if f := strings.Fields(l); len(f) >= 2 {
			line = append(line, Link{ID: f[0], Tree: f[1], Parents: f[2:]})
		}
	}
	return line, nil
}

// Edited is what one commit makes of one path, against every parent that it has.
type Edited struct {
	Commit, Path string
	ID           string // the blob that it leaves; "" where it takes the path away
	New          bool   // no parent has the path
}

// Edits are what the history of a revision made of the paths under some folders, newest
// first. A merge is listed only where it is unlike all of its parents: what one of them
// brought is that one's.
func (r *Repo) Edits(ctx context.Context, rev string, folders ...string) ([]Edited, error) {
	args := []string{"--literal-pathspecs", "log", "--full-history", "-c", "--raw", "--no-renames", "--no-abbrev", "--root", "-z", "--format=%H", rev, "--"}
	out, _, err := r.git(ctx, call{args: append(args, folders...)})
	if err != nil {
		return nil, fmt.Errorf("listing what changed in %v: %w", folders, err)
	}
	var list []Edited
	commit := ""
	all := fields(out)
	for i := 0; i < len(all); i++ {
		f := strings.TrimLeft(all[i], "\n")
		switch {
		case isID(f):
			commit = f
		case strings.HasPrefix(f, ":") && i+1 < len(all):
			i++
			e, ok := editOf(f)
			if !ok {
				return nil, fmt.Errorf("listing what changed in %v: %w: %.80q", folders, errOdd, f)
			}
			e.Commit, e.Path = commit, all[i]
			list = append(list, e)
		case f != "":
			return nil, fmt.Errorf("listing what changed in %v: %w: %.80q", folders, errOdd, f)
		}
	}
	return list, nil
}

// editOf reads a raw entry: a colon for each parent, the modes before and after, the ids
// before and after, and a letter for each parent.
func editOf(raw string) (Edited, bool) {
	text := strings.TrimLeft(raw, ":")
	parents := len(raw) - len(text)
	f := strings.Fields(text)
	if len(f) != 2*(parents+1)+1 {
		return Edited{}, false
	}
	ids := f[parents+1 : 2*parents+2]
	e := Edited{ID: absentIsEmpty(ids[parents]), New: true}
	for _, before := range ids[:parents] {
		e.New = e.New && absentIsEmpty(before) == ""
	}
	return e, true
}

// absentIsEmpty is "" for the id that stands for no object.
func absentIsEmpty(id string) string {
	if strings.Trim(id, "0") == "" {
		return ""
	}
	return id
}
