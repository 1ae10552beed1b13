// Package git is the one door to the repository: objects through go-git or the batch
// protocol, refs, worktrees, merges, history and blame through the git program.
//
// Rules kept here:
//
//   - Refs are written by the git program alone, by compare-and-swap: go-git ignores
//     git's lock files.
//   - No hook runs, no editor and no pager is started, no housekeeping in the background,
//     no extension of the repository is turned on.
//   - Variables that say where a repository is (GIT_DIR and its like) are never heard;
//     every command names its folder.
//   - Paths are bytes: answers are NUL-separated and pathspecs literal.
//   - A person's work tree is never checked out, stashed, cleaned or reset. Snapshot reads it through
//     an index of its own; FastForward alone changes files there, and only where it overwrites nothing.
//   - Worktree administration is serialised over the repository; filling is not.
package git

import "errors"

// Sentinels, each with git's own words wrapped beside it.
var (
	ErrNoRepository = errors.New("this is not a git repository")
	ErrUnborn       = errors.New("HEAD has no commit yet")
	ErrNotFound     = errors.New("no such object or path")
	ErrRefMoved     = errors.New("the ref has moved")
	ErrReadOnly     = errors.New("the repository cannot be written")
	ErrShallow      = errors.New("the history is cut short in this clone")
	ErrBusy         = errors.New("an operation is in progress there") // a merge, a rebase and the like
	ErrBlocked      = errors.New("files are in the way")
	ErrLocked       = errors.New("another git has a lock there") // or one that crashed has left it
)
