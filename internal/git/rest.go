package git

import (
	"context"
	"time"
)

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

// Guard is what an agent must not change: hooks, executable config keys, info/attributes,
// alternates and refs outside its own worktree.
type Guard struct{ Files, Config, Refs map[string]string }

// Guarded takes it.
func (r *Repo) Guarded(ctx context.Context) (Guard, error) { panic("unwritten") }

// Changed names what differs, in sentences; refs that explained says yes to are let through.
func (g Guard) Changed(now Guard, explained func(ref, old, new string) bool) []string {
	panic("unwritten")
}
