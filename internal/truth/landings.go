package truth

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"torve/internal/carrier"
	"torve/internal/git"
	"torve/internal/strictyaml"
)

// Landings lists the landing files in the tree of head, newest first, by name
// alone, and names each file in their folders whose name is not a landing's.
func Landings(ctx context.Context, repo *git.Repo, head string) ([]LandingFile, []Fault, error) {
	var files []LandingFile
	var faults []Fault
	for _, prefix := range carrier.LandingPrefixes() {
		entries, err := repo.Tree(ctx, head, prefix)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range entries {
			f, fault := listed(repo, e)
			switch {
			case fault != nil:
				faults = append(faults, *fault)
			case f != nil:
				files = append(files, *f)
			}
		}
	}
	slices.SortFunc(files, func(a, b LandingFile) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.Path, a.Path))
	})
	return files, faults, nil
}

// listed takes one path as a landing; neither a file nor a fault when it is none
// and does not look like one.
func listed(repo *git.Repo, e git.Entry) (*LandingFile, *Fault) {
	_, name, inPlace := carrier.LandingPlace(e.Path)
	if !inPlace || !looksLikeOne(name) {
		return nil, nil
	}
	task, attempt, at, ok := carrier.ParseLandingPath(e.Path)
	switch {
	case !ok:
		return nil, &Fault{Path: e.Path, Err: &strictyaml.Error{File: e.Path, Why: "this is not the name of a landing",
			Hint: "its name is <task>-<attempt>-<YYYYMMDDTHHMMSSZ>.yaml"}}
	case e.Mode != "100644" && e.Mode != "100755":
		return nil, &Fault{Path: e.Path, Task: task, Err: &strictyaml.Error{File: e.Path,
			Why: fmt.Sprintf("a landing is an ordinary file, and this is of mode %s", e.Mode)}}
	}
	f := &LandingFile{Path: e.Path, Task: task, Blob: e.ID, Attempt: attempt, At: at}
	f.load = func(ctx context.Context) (carrier.Landing, error) {
		data, err := repo.Blob(ctx, e.ID)
		if err != nil {
			return carrier.Landing{}, fmt.Errorf("reading the landing %s: %w", e.Path, err)
		}
		return carrier.ReadLanding(e.Path, data)
	}
	return f, nil
}

func looksLikeOne(name string) bool {
	return bytes.HasSuffix([]byte(name), []byte(".yaml")) || bytes.HasSuffix([]byte(name), []byte(".yml"))
}

// landings takes every landing file of the head's tree whose name, task and place
// agree, and what each reverts. The record vouches for those that it holds.
func (g *gathering) landings(ctx context.Context) error {
	if g.Head == "" {
		return nil
	}
	files, faults, err := Landings(ctx, g.Repo, g.Head)
	if err != nil {
		return err
	}
	for i := range files {
		if files[i].reverts, err = g.vouch(ctx, files[i]); err != nil {
			faults = append(faults, Fault{Path: files[i].Path, Task: files[i].Task, Err: broken(files[i].Path, err)})
			continue
		}
		g.r.Landings = append(g.r.Landings, files[i])
	}
	reverts := map[string]string{}
	for _, f := range g.r.Landings {
		for _, task := range f.reverts {
			reverts[task] = f.Path
		}
	}
	for _, f := range g.r.Landings {
		st := fromListed(g.Target, f)
		if by := reverts[f.Task]; by != "" {
			st = st.Reverted(by)
		}
		g.say(st)
	}
	for _, f := range faults {
		g.fault(Landing, f)
	}
	return nil
}

// vouch asks that a file names its task and stands in its place, and gives what
// it reverts. Where the record holds the path it has asked already.
func (g *gathering) vouch(ctx context.Context, f LandingFile) ([]string, error) {
	if b := g.r.Board; b != nil {
		if t := b.Tasks[f.Task]; t != nil && t.Landing != nil && t.Landing.Path == f.Path {
			return t.Landing.Reverts, nil
		}
	}
	data, err := g.Repo.Blob(ctx, f.Blob)
	if err != nil {
		return nil, err
	}
	if asWritten(f, data) {
		return nil, nil
	}
	l, err := carrier.ReadLanding(f.Path, data)
	return l.Reverts, err
}

// asWritten reports whether the bytes begin as WriteLanding begins them for this
// very path, and revert nothing: then the whole need not be decoded, which of
// ten thousand landings would take seconds.
func asWritten(f LandingFile, data []byte) bool {
	begins := fmt.Appendf(nil, "schema: %s\ntask: %s\n", carrier.LandingSchema, f.Task)
	if !bytes.HasPrefix(data, begins) || bytes.Contains(data, []byte("\nreverts:")) || bytes.Contains(data, []byte("\r")) {
		return false
	}
	at := bytes.Index(data, []byte("\nspec: "))
	if at < 0 {
		return carrier.LandingPath(f.Task, "", f.Attempt, f.At) == f.Path
	}
	spec, _, _ := bytes.Cut(data[at+len("\nspec: "):], []byte("\n"))
	return carrier.LandingPath(f.Task, string(spec), f.Attempt, f.At) == f.Path
}
