package truth

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"torve/internal/carrier"
	"torve/internal/git"
	"torve/internal/strictyaml"
)

// Landings lists the landing files in the tree of head, newest first, by name
// alone, and names each file in their folders whose name is not a landing's.
func Landings(ctx context.Context, repo *git.Repo, head string) ([]LandingFile, []Fault, error) {
	g := gatheringOf(Sources{Repo: repo, Head: head, Memory: &Memory{}})
	listings, _, err := g.listings(ctx)
	if err != nil {
		return nil, nil, err
	}
	files, faults := g.named(listings)
	return files, faults, nil
}

// listings lists the folders of landings, and gives their trees by folder.
func (g *gathering) listings(ctx context.Context) (map[string]listing, map[string]string, error) {
	listings, trees := map[string]listing{}, map[string]string{}
	for _, prefix := range carrier.LandingPrefixes() {
		l, err := g.list(ctx, prefix)
		if err != nil {
			return nil, nil, err
		}
		if l.tree != "" {
			listings[prefix], trees[prefix] = l, l.tree
		}
	}
	return listings, trees, nil
}

// named takes the landings by their names, newest first, and names what has none.
func (g *gathering) named(listings map[string]listing) (files []LandingFile, faults []Fault) {
	for _, prefix := range carrier.LandingPrefixes() {
		l := listings[prefix]
		files = slices.Grow(files, len(l.entries))
		for _, e := range l.entries {
			e.Path = prefix + e.Path
			f, fault := listed(g.Repo, e)
			switch {
			case fault != nil:
				faults = append(faults, *fault)
			case f.Task != "":
				files = append(files, f)
			}
		}
	}
	slices.SortFunc(files, func(a, b LandingFile) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.Path, a.Path))
	})
	return files, faults
}

// read asks of landings whether they agree, and keeps them where they are wanted whole.
// They are read in order, a part at a time, and each part is decoded by all processors.
func (g *gathering) read(ctx context.Context, files []LandingFile, ask []int, ids []string, faults *[]Fault, wrong map[int]bool) error {
	const part = 256
	blobs := make([][]byte, 0, part)
	errs := make([]error, part)
	flush := func() {
		var group sync.WaitGroup
		workers := runtime.GOMAXPROCS(0)
		for w := range workers {
			group.Go(func() {
				for i := w; i < len(blobs); i += workers {
					errs[i] = files[ask[i]].agrees(blobs[i], g.whole)
				}
			})
		}
		group.Wait()
		for i := range blobs {
			f := files[ask[i]]
			if errs[i] != nil {
				*faults = append(*faults, Fault{Path: f.Path, Task: f.Task, Err: broken(f.Path, errs[i])})
				wrong[ask[i]] = true
			}
		}
		ask, blobs = ask[len(blobs):], blobs[:0]
	}
	err := g.Repo.EachBlob(ctx, ids, func(_ string, data []byte) error {
		if blobs = append(blobs, data); len(blobs) == part {
			flush()
		}
		return nil
	})
	flush()
	return err
}

// agrees asks that a file names its task and stands in its place, and takes what it
// reverts, and the whole of it where that is wanted.
func (f *LandingFile) agrees(data []byte, whole bool) error {
	if !whole && asWritten(*f, data) {
		return nil
	}
	l, err := carrier.ReadLanding(f.Path, data)
	if err == nil && whole {
		f.whole = &l
	}
	f.reverts = l.Reverts
	return err
}

// folderOf is the folder of landings that a landing's path is under.
func folderOf(path string) string {
	for _, prefix := range carrier.LandingPrefixes() {
		if strings.HasPrefix(path, prefix) {
			return prefix
		}
	}
	return ""
}

// fresh are the paths of which nothing is known: what does not stand so in the trees that
// are. Where such a tree is not here any more, nothing is known of its folder.
func (g *gathering) fresh(ctx context.Context, known, now map[string]string) (map[string]bool, error) {
	paths := map[string]bool{}
	for prefix, tree := range now {
		was := known[prefix]
		if was == "" || was == tree {
			continue
		}
		entries, err := g.Repo.Apart(ctx, tree, was, "")
		if errors.Is(err, git.ErrNotFound) {
			delete(known, prefix)
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			paths[prefix+e.Path] = true
		}
	}
	return paths, nil
}

// learn remembers the folders in which every landing agreed.
func (g *gathering) learn(files []LandingFile, wrong map[int]bool, trees map[string]string) {
	k := agreed{Trees: trees, Reverts: map[string][]string{}}
	for i, f := range files {
		if wrong[i] {
			delete(k.Trees, folderOf(f.Path))
		} else if len(f.reverts) > 0 {
			k.Reverts[f.Path] = f.reverts
		}
	}
	g.Memory.known = k
}

// listed takes one path as a landing; a file without a task and no fault when it is none
// and does not look like one.
func listed(repo *git.Repo, e git.Entry) (LandingFile, *Fault) {
	_, name, inPlace := carrier.LandingPlace(e.Path)
	task, attempt, at, named := carrier.ParseLandingPath(carrier.LandingDir("") + name)
	switch {
	case !inPlace && !named, inPlace && !looksLikeOne(name):
		return LandingFile{}, nil
	case !inPlace:
		return LandingFile{}, &Fault{Path: e.Path, Task: task, Err: &strictyaml.Error{File: e.Path, Why: "a landing does not stand in this folder",
			Hint: "it stands in " + carrier.LandingDir("") + " or in " + carrier.LandingDir("S-NNNN")}}
	case !named:
		return LandingFile{}, &Fault{Path: e.Path, Err: &strictyaml.Error{File: e.Path, Why: "this is not the name of a landing",
			Hint: "its name is <task>-<attempt>-<YYYYMMDDTHHMMSSZ>.yaml"}}
	case e.Mode != "100644" && e.Mode != "100755":
		return LandingFile{}, &Fault{Path: e.Path, Task: task, Err: &strictyaml.Error{File: e.Path,
			Why: fmt.Sprintf("a landing is an ordinary file, and this is of mode %s", e.Mode)}}
	}
	f := LandingFile{Path: e.Path, Task: task, Blob: e.ID, Attempt: attempt, At: at, repo: repo}
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
	files, faults, err := g.agreeing(ctx)
	if err != nil {
		return err
	}
	g.r.Landings = files
	reverts := map[string]string{}
	for _, f := range files {
		for _, task := range f.reverts {
			reverts[task] = f.Path
		}
	}
	g.expect(len(files))
	for i := range files {
		f := &files[i]
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

// agreeing are the landings whose name, task and place agree, newest first, and the faults
// of the others. In the trees of the reading before they are the same.
func (g *gathering) agreeing(ctx context.Context) ([]LandingFile, []Fault, error) {
	listings, trees, err := g.listings(ctx)
	if err != nil {
		return nil, nil, err
	}
	if m := g.Memory; m.landed.trees != nil && maps.Equal(m.landed.trees, trees) && !g.whole {
		return m.landed.files, m.landed.faults, nil
	}
	files, faults := g.named(listings)
	known, err := g.knownOf(ctx)
	if err != nil {
		return nil, nil, err
	}
	fresh, err := g.fresh(ctx, known.Trees, trees)
	if err != nil {
		return nil, nil, err
	}
	var ask []int
	var ids []string
	for i := range files {
		f := &files[i]
		if at := folderOf(f.Path); known.Trees[at] != "" && !fresh[f.Path] && !g.whole {
			f.reverts = known.Reverts[f.Path]
			continue
		}
		ask, ids = append(ask, i), append(ids, f.Blob)
	}
	wrong := map[int]bool{}
	if err := g.read(ctx, files, ask, ids, &faults, wrong); err != nil {
		return nil, nil, err
	}
	g.learn(files, wrong, maps.Clone(trees))
	if len(wrong) > 0 {
		at := -1
		files = slices.DeleteFunc(files, func(LandingFile) bool { at++; return wrong[at] })
	}
	g.Memory.landed = landedFiles{trees, files, faults}
	return files, faults, nil
}

// asWritten reports whether the bytes say what WriteLanding says in a file of this very
// path: task, attempt, time and specification, each on its own line. Then name, task and
// place agree and it reverts nothing, and the whole need not be decoded, which of ten
// thousand landings would take seconds.
func asWritten(f LandingFile, data []byte) bool {
	begins := fmt.Appendf(nil, "schema: %s\ntask: %s\n", carrier.LandingSchema, f.Task)
	named := fmt.Appendf(nil, "\nattempt: %d\nat: %s\n", f.Attempt, f.At.UTC().Format(time.RFC3339))
	if !bytes.HasPrefix(data, begins) || !bytes.Contains(data, named) || bytes.Contains(data, []byte("reverts")) || bytes.Contains(data, []byte("\r")) {
		return false
	}
	spec := ""
	if _, rest, has := bytes.Cut(data, []byte("\nspec: ")); has {
		line, _, _ := bytes.Cut(rest, []byte("\n"))
		spec = string(line)
	}
	return carrier.LandingPath(f.Task, spec, f.Attempt, f.At) == f.Path
}
