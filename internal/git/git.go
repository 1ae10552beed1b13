// Package git is the one door to the repository: objects and history through
// go-git or the batch protocol, refs, worktrees, merges and blame through the
// git program. It writes refs only by compare-and-swap with the git program.
package git

import (
	"context"
	"errors"
	"io"
	"time"
)

// Sentinels, each with git's own words wrapped beside it.
var (
	ErrNoRepository = errors.New("this is not a git repository")
	ErrUnborn       = errors.New("HEAD has no commit yet")
	ErrNotFound     = errors.New("no such object or path")
	ErrRefMoved     = errors.New("the ref has moved")
	ErrReadOnly     = errors.New("the repository cannot be written")
)

// Repo is one repository as seen from one folder.
type Repo struct {
	Dir      string // where the command runs: the worktree's root, or the git dir of a bare one
	Worktree string // root of the worktree that the folder is in; "" in a bare repository
	Main     string // root of the main work tree; "" when it is bare
	Common   string // the common git dir, absolute
	Bare     bool
	// unexported: objects, lazily
	state repoState
}

type repoState struct{}

// Open finds the repository that holds dir.
func Open(ctx context.Context, dir string) (*Repo, error) { panic("unwritten") }

// Close ends the batch process, if one was started. It may be called twice.
func (r *Repo) Close() error { panic("unwritten") }

// Person is who commits here.
type Person struct{ Name, Email string }

// Identity is the person's git identity; an error when git would refuse to commit.
func (r *Repo) Identity(ctx context.Context) (Person, error) { panic("unwritten") }

// Resolve gives the object id of a revision; ErrNotFound when there is none.
func (r *Repo) Resolve(ctx context.Context, rev string) (string, error) { panic("unwritten") }

// Head is the current branch ("" when detached) and its commit; ErrUnborn before the first.
func (r *Repo) Head(ctx context.Context) (branch, commit string, err error) { panic("unwritten") }

// Root is the oldest root commit of HEAD's history: the repository's name for itself.
func (r *Repo) Root(ctx context.Context) (string, error) { panic("unwritten") }

// Entry is one path in a tree.
type Entry struct {
	Path string
	Mode string // 100644, 100755, 120000, 160000
	ID   string
}

// Tree lists the blobs under a prefix ("" is all) of a commit or tree, sorted by path.
func (r *Repo) Tree(ctx context.Context, rev, prefix string) ([]Entry, error) { panic("unwritten") }

// TreeID is the tree of a commit.
func (r *Repo) TreeID(ctx context.Context, rev string) (string, error) { panic("unwritten") }

// File reads one path of a commit or tree; ErrNotFound when it is not there.
func (r *Repo) File(ctx context.Context, rev, path string) ([]byte, error) { panic("unwritten") }

// Blob reads one blob.
func (r *Repo) Blob(ctx context.Context, id string) ([]byte, error) { panic("unwritten") }

// WriteBlob stores a blob and gives its id.
func (r *Repo) WriteBlob(ctx context.Context, data []byte) (string, error) { panic("unwritten") }

// Edit is one path to set (ID and Mode) or to drop (ID empty).
type Edit struct{ Path, Mode, ID string }

// EditTree is a tree made of another with edits; parents of new paths come by themselves.
func (r *Repo) EditTree(ctx context.Context, tree string, edits ...Edit) (string, error) {
	panic("unwritten")
}

// Commit is a commit to write, or one that was read.
type Commit struct {
	ID        string
	Tree      string
	Parents   []string
	Author    Person
	Committer Person
	At        time.Time // author date as read; both dates when written
	Message   string
}

// WriteCommit stores a commit and gives its id. No hook runs; it is signed when sign is set.
func (r *Repo) WriteCommit(ctx context.Context, c Commit, sign bool) (string, error) {
	panic("unwritten")
}

// ReadCommit reads one.
func (r *Repo) ReadCommit(ctx context.Context, rev string) (Commit, error) { panic("unwritten") }

// Trailers of a commit message, last block only.
func (c Commit) Trailers() map[string]string { panic("unwritten") }

// RefUpdate moves a ref from Old to New. Old "" must be absent; New "" deletes.
type RefUpdate struct{ Ref, Old, New string }

// UpdateRefs moves all of them or none; ErrRefMoved when an old value does not hold.
func (r *Repo) UpdateRefs(ctx context.Context, u ...RefUpdate) error { panic("unwritten") }

// Refs lists refs under a prefix: name → id.
func (r *Repo) Refs(ctx context.Context, prefix string) (map[string]string, error) {
	panic("unwritten")
}

// IsAncestor reports whether a is b or before it.
func (r *Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) { panic("unwritten") }

// Ahead counts the commits of a that b does not have.
func (r *Repo) Ahead(ctx context.Context, a, b string) (int, error) { panic("unwritten") }

// Between lists the commits in from..to, first parent only, newest first, with the paths
// that each changed against its first parent.
func (r *Repo) Between(ctx context.Context, from, to string) ([]Touched, error) { panic("unwritten") }

// Touched is one commit and what it changed.
type Touched struct {
	ID    string
	Paths []string
}

// Diff lists what b changes against a, no renames, with line counts.
func (r *Repo) Diff(ctx context.Context, a, b string) ([]Delta, error) { panic("unwritten") }

// Delta is one changed path.
type Delta struct {
	Path             string
	Status           string // A, M, D or T
	OldMode, NewMode string
	OldID, NewID     string
	Added, Removed   int
	Binary           bool
	Generated        bool // linguist-generated by .gitattributes of b
}

// AddedLines lists the lines that b adds to a path against a: number in b and text.
func (r *Repo) AddedLines(ctx context.Context, a, b string, paths ...string) (map[string][]Line, error) {
	panic("unwritten")
}

// Line is a line and its number.
type Line struct {
	N    int
	Text string
}

// Patch writes the diff of two trees or commits as git prints it.
func (r *Repo) Patch(ctx context.Context, w io.Writer, a, b string, color bool, paths ...string) error {
	panic("unwritten")
}

// Merged is the outcome of a merge in the object store.
type Merged struct {
	Tree      string   // "" when it conflicts
	Conflicts []string // paths
	Hunks     string   // the conflicting hunks as text, for evidence
}

// Merge merges two commits or trees with a given base, touching no work tree.
func (r *Repo) Merge(ctx context.Context, base, ours, theirs string) (Merged, error) {
	panic("unwritten")
}

// Blame says which commit last wrote a line of a file at rev, and the line's text.
func (r *Repo) Blame(ctx context.Context, rev, path string, line int) (Blamed, error) {
	panic("unwritten")
}

// Blamed is one line's origin.
type Blamed struct {
	Commit string
	Text   string
	At     time.Time
	Author Person
	Title  string
}

// LastTouching is the newest commit at rev that changed the path.
func (r *Repo) LastTouching(ctx context.Context, rev, path string) (Commit, error) {
	panic("unwritten")
}

// FirstAdding is the commit that first added the path on rev's line; ErrNotFound when none did.
func (r *Repo) FirstAdding(ctx context.Context, rev, path string) (Commit, error) {
	panic("unwritten")
}

// Removing is the newest commit at rev that deleted the path; ErrNotFound when none did.
func (r *Repo) Removing(ctx context.Context, rev, path string) (Commit, error) { panic("unwritten") }

// ByTrailer is the newest commit at rev whose message holds that trailer line.
func (r *Repo) ByTrailer(ctx context.Context, rev, key, value string) (Commit, error) {
	panic("unwritten")
}

// Branches that hold a path: name → blob id, local and remote.
func (r *Repo) BranchesWith(ctx context.Context, path string) (map[string]string, error) {
	panic("unwritten")
}

// Status of a work tree.
type Status struct {
	Paths     []string // changed or untracked, sorted
	Untracked []string
	Staged    []string
}

// Status reads the work tree at dir; it takes no optional lock.
func (r *Repo) Status(ctx context.Context, dir string) (Status, error) { panic("unwritten") }

// Ignored lists the ignored untracked paths at dir, folders collapsed.
func (r *Repo) Ignored(ctx context.Context, dir string) ([]string, error) { panic("unwritten") }

// Place is one worktree of the repository.
type Place struct {
	Dir, Head, Branch      string // Branch "" when detached
	Bare, Locked, Prunable bool
}

// Worktrees lists them, the main one first.
func (r *Repo) Worktrees(ctx context.Context) ([]Place, error) { panic("unwritten") }

// AddWorktree makes a detached worktree at dir, outside every other, and fills it.
// Administration is serialised over the repository; filling is not.
func (r *Repo) AddWorktree(ctx context.Context, dir, commit string) error { panic("unwritten") }

// VerifyWorktree asks that dir is what AddWorktree made: its toplevel, git dir, HEAD,
// index and files; the error says what is not.
func (r *Repo) VerifyWorktree(ctx context.Context, dir, commit string) error { panic("unwritten") }

// RemoveWorktree removes a worktree under root and its registration, and asks that both are gone.
func (r *Repo) RemoveWorktree(ctx context.Context, root, dir string) error { panic("unwritten") }

// Snapshot is the tree of the files at dir against a base commit: tracked paths whether
// ignored or not, untracked ones that are not ignored. It writes objects, no index and no ref.
// Paths in except are taken as the base has them.
func (r *Repo) Snapshot(ctx context.Context, dir, base string, except []string) (string, error) {
	panic("unwritten")
}

// Equal makes the files at dir equal to a tree: untracked files that are not ignored go,
// but for the paths in keep. HEAD and refs stay.
func (r *Repo) Equal(ctx context.Context, dir, tree string, keep []string) error { panic("unwritten") }

// CheckedOut is the worktree that has the branch checked out; "" when none has.
func (r *Repo) CheckedOut(ctx context.Context, branch string) (string, error) { panic("unwritten") }

// Busy names the operation in progress at dir (merge, rebase, cherry-pick, revert, bisect); "" when none.
func (r *Repo) Busy(ctx context.Context, dir string) (string, error) { panic("unwritten") }

// FastForward moves the branch that is checked out at dir to a commit, touching no changed,
// untracked or ignored file; an error keeps git's words and nothing has moved.
func (r *Repo) FastForward(ctx context.Context, dir, commit string) error { panic("unwritten") }

// WouldBlock lists the paths at dir that a fast-forward to commit would run into.
func (r *Repo) WouldBlock(ctx context.Context, dir, from, commit string) ([]string, error) {
	panic("unwritten")
}

// CommitPaths commits edits on top of a branch's head as an ordinary commit by the person,
// moves the branch by compare-and-swap (by FastForward where it is checked out).
func (r *Repo) CommitOn(ctx context.Context, branch, message string, at time.Time, edits ...Edit) (string, error) {
	panic("unwritten")
}

// Lock waits for a lock of the repository by name, held until release or the process ends.
func (r *Repo) Lock(ctx context.Context, name string) (release func(), err error) { panic("unwritten") }

// TryLock is Lock that does not wait.
func (r *Repo) TryLock(name string) (release func(), held bool, err error) { panic("unwritten") }

// Guard is what an agent must not change: hooks, executable config keys, info/attributes,
// alternates and refs outside its own worktree.
type Guard struct{ Files, Config, Refs map[string]string }

// Guarded takes it.
func (r *Repo) Guarded(ctx context.Context) (Guard, error) { panic("unwritten") }

// Changed names what differs, in sentences; refs that explained says yes to are let through.
func (g Guard) Changed(now Guard, explained func(ref, old, new string) bool) []string {
	panic("unwritten")
}

// Run runs the git program in the repository with the clean environment and gives its stdout.
// It is for what has no method here and for the tests.
func (r *Repo) Run(ctx context.Context, args ...string) (string, error) { panic("unwritten") }
