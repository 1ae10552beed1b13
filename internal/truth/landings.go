package truth

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

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
	task, attempt, at, named := carrier.ParseLandingPath(carrier.LandingDir("") + name)
	switch {
	case !inPlace && !named, inPlace && !looksLikeOne(name):
		return nil, nil
	case !inPlace:
		return nil, &Fault{Path: e.Path, Task: task, Err: &strictyaml.Error{File: e.Path, Why: "a landing does not stand in this folder",
			Hint: "it stands in " + carrier.LandingDir("") + " or in " + carrier.LandingDir("S-NNNN")}}
	case !named:
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
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// landings takes every landing file of the head's tree whose name, task and place
// agree, and what each reverts. The record has no say in it: a clone without one comes
// to the same answer.
func (g *gathering) landings(ctx context.Context) error {
	if g.Head == "" {
		return nil
	}
	files, faults, err := Landings(ctx, g.Repo, g.Head)
	if err != nil {
		return err
	}
	ids := make([]string, len(files))
	for i, f := range files {
		ids[i] = f.Blob
	}
	reverts := map[string]string{}
	at := 0
	err = g.Repo.EachBlob(ctx, ids, func(_ string, data []byte) error {
		f := files[at]
		at++
		var wrong error
		if f.reverts, wrong = agreed(f, data); wrong != nil {
			faults = append(faults, Fault{Path: f.Path, Task: f.Task, Err: broken(f.Path, wrong)})
			return nil
		}
		g.r.Landings = append(g.r.Landings, f)
		for _, task := range f.reverts {
			reverts[task] = f.Path
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, f := range g.r.Landings {
		st := fromLanding(g.Target, f)
		if by := reverts[f.Task]; by != "" {
			st = st.reverted(by)
		}
		g.say(st)
	}
	for _, f := range faults {
		g.fault(Landing, f)
	}
	return nil
}

// agreed asks that a file names its task and stands in its place, and gives what it
// reverts.
func agreed(f LandingFile, data []byte) ([]string, error) {
	if asWritten(f, data) {
		return nil, nil
	}
	l, err := carrier.ReadLanding(f.Path, data)
	return l.Reverts, err
}

// asWritten reports whether the bytes say what WriteLanding says in a file of this very
// path: task, attempt, time and specification, each on its own line. Then name, task and
// place agree and it reverts nothing, and the whole need not be decoded, which of ten
// thousand landings would take seconds.
func asWritten(f LandingFile, data []byte) bool {
	begins := fmt.Appendf(nil, "schema: %s\ntask: %s\n", carrier.LandingSchema, f.Task)
	named := fmt.Appendf(nil, "\nattempt: %d\nat: %s\n", f.Attempt, f.At.UTC().Format(time.RFC3339))
	if !bytes.HasPrefix(data, begins) || !bytes.Contains(data, named) || bytes.Contains(data, []byte("\nreverts:")) || bytes.Contains(data, []byte("\r")) {
		return false
	}
	spec := ""
	if _, rest, has := bytes.Cut(data, []byte("\nspec: ")); has {
		line, _, _ := bytes.Cut(rest, []byte("\n"))
		spec = string(line)
	}
	return carrier.LandingPath(f.Task, spec, f.Attempt, f.At) == f.Path
}
