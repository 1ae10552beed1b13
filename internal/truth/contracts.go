package truth

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"torve/internal/contract"
	"torve/internal/git"
	"torve/internal/strictyaml"
)

// contracts reads what is committed on the head. One whose very blob was minted
// is the minted one and need not be parsed again.
func (g *gathering) contracts(ctx context.Context) error {
	g.head = map[string]string{}
	if g.Head == "" {
		return nil
	}
	entries, err := g.committedFiles(ctx)
	if err != nil {
		return err
	}
	return g.takeCommitted(ctx, entries)
}

// filesOf reads the files of one task: on the head, and in the work tree.
func (g *gathering) filesOf(ctx context.Context, task string) error {
	entries, err := g.Repo.Tree(ctx, g.Head, contract.Folder+"/"+task+"/")
	if err != nil {
		return err
	}
	for i := range entries {
		entries[i].Path = strings.TrimPrefix(entries[i].Path, contract.Folder+"/")
	}
	if err := g.takeCommitted(ctx, entries); err != nil || g.WorkTree == "" {
		return err
	}
	if err := g.drafted(task, g.look(task)); err != nil {
		return err
	}
	return g.staged(ctx)
}

// takeCommitted takes the contracts among files of the folder of tasks on the head.
func (g *gathering) takeCommitted(ctx context.Context, entries []git.Entry) error {
	var ask []git.Entry
	var ids []string
	for _, e := range entries {
		e.Path = contract.Folder + "/" + e.Path
		task, wrong := taskOf(e.Path)
		switch {
		case wrong != "":
			g.fault(Contract, Fault{Path: e.Path, Task: task, Err: &strictyaml.Error{File: e.Path, Why: wrong}})
			continue
		case task == "":
			continue
		}
		g.head[e.Path] = e.ID
		if e.Mode != "100644" && e.Mode != "100755" {
			g.fault(Contract, Fault{Path: e.Path, Task: task, Err: notOrdinary(e.Path)})
			continue
		}
		if f, minted := g.minted(task, e.Path, e.ID); minted {
			g.committed(f)
			continue
		}
		if p, there := g.Memory.files[blobAt{e.Path, e.ID}]; there {
			g.take(e.Path, p)
			continue
		}
		ask, ids = append(ask, e), append(ids, e.ID)
	}
	return g.Repo.EachBlob(ctx, ids, func(_ string, data []byte) error {
		e := ask[0]
		ask = ask[1:]
		g.parsed(e, data)
		return nil
	})
}

// committedFiles lists what stands in the folder of contracts; briefly, without the folders
// of tasks that have landed.
func (g *gathering) committedFiles(ctx context.Context) ([]git.Entry, error) {
	if !g.Brief || len(g.r.Landings) == 0 {
		l, err := g.list(ctx, contract.Folder)
		return l.entries, err
	}
	tree, err := g.Repo.Folder(ctx, g.Head, contract.Folder)
	if err != nil || tree == "" {
		return nil, err
	}
	if g.Memory.trees[contract.Folder].tree == tree {
		return g.unlanded(g.Memory.trees[contract.Folder].entries), nil
	}
	_, folders, err := g.Repo.Children(ctx, g.Head, contract.Folder)
	if err != nil {
		return nil, err
	}
	folders = slices.DeleteFunc(folders, func(e git.Entry) bool { return e.Mode == folderMode && g.landed(e.Path) })
	if len(folders) > manyFolders {
		l, err := g.list(ctx, contract.Folder)
		return g.unlanded(l.entries), err
	}
	var entries []git.Entry
	for _, e := range folders {
		if e.Mode != folderMode {
			entries = append(entries, e)
			continue
		}
		below, err := g.Repo.Tree(ctx, e.ID, "")
		if err != nil {
			return nil, err
		}
		for _, b := range below {
			b.Path = e.Path + "/" + b.Path
			entries = append(entries, b)
		}
	}
	return entries, nil
}

// unlanded leaves out the files of tasks that have landed.
func (g *gathering) unlanded(entries []git.Entry) []git.Entry {
	var out []git.Entry
	for _, e := range entries {
		if task, _, inside := strings.Cut(e.Path, "/"); !inside || !g.landed(task) {
			out = append(out, e)
		}
	}
	return out
}

const (
	folderMode  = "40000"
	manyFolders = 200 // are listed by one program faster than one by one
)

// landed reports whether a landing speaks for a task, be it one that does not read.
func (g *gathering) landed(task string) bool { return g.spoke(task, Landing) }

// parsed takes a contract of the head, or names what is wrong with it.
func (g *gathering) parsed(e git.Entry, data []byte) {
	c, err := contract.Parse(e.Path, data)
	p := parsed{err: err}
	if err == nil {
		p.file = File{Path: e.Path, Blob: e.ID, Contract: c, Digest: c.Digest()}
	}
	if g.Memory.files == nil {
		g.Memory.files = map[blobAt]parsed{}
	}
	g.Memory.files[blobAt{e.Path, e.ID}] = p
	g.take(e.Path, p)
}

func (g *gathering) take(path string, p parsed) {
	if p.err != nil {
		task, _ := taskOf(path)
		g.fault(Contract, Fault{Path: path, Task: task, Err: broken(path, p.err)})
		return
	}
	g.committed(p.file)
}

func (g *gathering) committed(f File) {
	g.r.Contracts[f.Contract.ID] = f
	g.say(fromContract(g.Target, f))
}

func (g *gathering) minted(task, path, blob string) (File, bool) {
	if g.r.Board == nil {
		return File{}, false
	}
	t := g.r.Board.Tasks[task]
	if t == nil || !t.MintedAs(path, blob) {
		return File{}, false
	}
	if t.Unread() { // Read fills the rest
		return File{Path: path, Blob: blob, Contract: contract.Contract{ID: task}}, true
	}
	return File{Path: path, Blob: blob, Contract: t.Contract, Digest: t.Digest}, true
}

// taskOf is the task whose contract stands at a path, "" when the path is no
// contract's. One that a person may take for a contract and that nobody would read is
// wrong, and says why.
func taskOf(path string) (task, wrong string) {
	task, file, inside := strings.Cut(strings.TrimPrefix(path, contract.Folder+"/"), "/")
	switch {
	case inside && file == contract.FileName && task != "":
		return task, ""
	case !inside && contract.ValidID(task):
		return task, "a task is a folder with a " + contract.FileName + " in it, and this is a file or a link"
	case !inside, task == "", strings.Contains(file, "/"):
		return "", ""
	case strings.EqualFold(file, contract.FileName), strings.EqualFold(file, "contract.yml"):
		return task, "a contract's file is called " + contract.FileName
	}
	return "", ""
}

func notOrdinary(path string) *strictyaml.Error {
	return &strictyaml.Error{File: path, Why: "a contract is an ordinary file, and this is not one"}
}

// drafts reads the contracts of the work tree that the head does not hold so.
func (g *gathering) drafts(ctx context.Context) error {
	if g.WorkTree == "" {
		return nil
	}
	folders, err := unsorted(filepath.Join(g.WorkTree, filepath.FromSlash(contract.Folder)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var tasks []string
	for _, folder := range folders {
		if folder.IsDir() && !(g.Brief && g.landed(folder.Name())) {
			tasks = append(tasks, folder.Name())
		}
	}
	if err := g.draftsOf(tasks); err != nil {
		return err
	}
	return g.staged(ctx)
}

// draftsOf looks at the contracts of tasks in the work tree by all processors: there may be
// a hundred thousand, and nearly all are as they are on the head.
func (g *gathering) draftsOf(tasks []string) error {
	found := make([]draft, len(tasks))
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() {
			for i := w; i < len(tasks); i += workers {
				found[i] = g.look(tasks[i])
			}
		})
	}
	group.Wait()
	for i, d := range found {
		if err := g.drafted(tasks[i], d); err != nil {
			return err
		}
	}
	return nil
}

// unsorted lists a folder as it lies: where each entry is a task of its own, order says nothing.
func unsorted(folder string) ([]fs.DirEntry, error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// draft is a contract's file in the work tree.
type draft struct {
	data  []byte // nil: it is the one on the head, or there is none
	blob  string
	other bool // it is no ordinary file
	err   error
}

// look reads a contract's file in the work tree.
func (g *gathering) look(task string) draft {
	path := contract.PathOf(task)
	full := filepath.Join(g.WorkTree, filepath.FromSlash(path))
	info, err := os.Lstat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return draft{}
	case err != nil:
		return draft{err: err}
	case !info.Mode().IsRegular():
		return draft{other: true}
	}
	data, err := os.ReadFile(full)
	if err != nil {
		return draft{err: err}
	}
	blob, same := sameBlob(data, g.head[path], len(g.Head))
	if same {
		return draft{}
	}
	return draft{data: data, blob: blob}
}

// drafted takes a contract's file that the head does not hold so.
func (g *gathering) drafted(task string, d draft) error {
	path := contract.PathOf(task)
	switch {
	case d.err != nil:
		return d.err
	case d.other:
		g.fault(Contract, Fault{Path: path, Task: task, Err: notOrdinary(path), Uncommitted: true})
		return nil
	case d.blob == "":
		return nil
	}
	c, err := contract.Parse(path, d.data)
	if err != nil {
		g.fault(Contract, Fault{Path: path, Task: task, Err: broken(path, err), Uncommitted: true})
		return nil
	}
	f := File{Path: path, Blob: d.blob, Contract: c, Digest: c.Digest()}
	g.r.Drafts[c.ID] = f
	g.say(fromDraft(g.Target, f))
	return nil
}

// sameBlob gives the blob id of a file and whether it is the one committed. A
// file whose lines git ended for this system is the same file.
func sameBlob(data []byte, committed string, digits int) (id string, same bool) {
	id = blobID(data, digits)
	if id == committed {
		return id, true
	}
	unix := blobID(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), digits)
	return id, unix == committed
}

// blobID is a blob's id in a repository whose ids have that many digits.
func blobID(data []byte, digits int) string {
	whole := append(fmt.Appendf(nil, "blob %d\x00", len(data)), data...)
	if digits == 2*sha256.Size {
		sum := sha256.Sum256(whole)
		return hex.EncodeToString(sum[:])
	}
	sum := sha1.Sum(whole)
	return hex.EncodeToString(sum[:])
}

// staged marks the drafts that are in the index.
func (g *gathering) staged(ctx context.Context) error {
	if len(g.r.Drafts) == 0 {
		return nil
	}
	out, err := g.Repo.Run(ctx, "-C", g.WorkTree, "diff", "--cached", "--name-only", "-z", "--no-renames", "--", contract.Folder)
	if err != nil {
		return err
	}
	paths := strings.Split(out, "\x00")
	for id, f := range g.r.Drafts {
		f.Staged = slices.Contains(paths, f.Path)
		g.r.Drafts[id] = f
	}
	return nil
}
