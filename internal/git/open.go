package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	format "github.com/go-git/go-git/v5/plumbing/format/config"
)

// Repo is one repository as seen from one folder. Its methods may be called by
// several goroutines.
type Repo struct {
	Dir      string // where the command runs: the worktree's root, or the git dir of a bare one
	Worktree string // root of the worktree that the folder is in; "" in a bare repository
	Main     string // root of the main work tree; "" when it is bare
	Common   string // the common git dir, absolute
	Bare     bool   // it has no main work tree
	Shallow  bool   // its history is cut short: old commits are not here

	gitDir string // of the worktree that the folder is in
	format string // of object ids: sha1 or sha256
	lazily lazily

	patience []time.Duration // pauses in which a lock of git's is waited for
}

// lazily is what is opened at first use.
type lazily struct {
	mu      sync.Mutex
	objects objects
	creator creator
	plain   *bool    // refs are files
	off     []string // settings that keep an agent's programs from running
	memory  memory
	depths  depths
}

// mark stands between the answers of one rev-parse: it prints options that it does not
// know as they are, and a path may hold a newline.
const mark = "--next-answer"

// Open finds the repository that holds dir. Variables as GIT_DIR have no say in it.
// ErrNoRepository when there is none; where git refuses to look (safe.directory), the
// error keeps its words.
func Open(ctx context.Context, dir string) (*Repo, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("opening a repository: %w", err)
	}
	out, _, err := git(ctx, call{dir: dir, args: []string{"rev-parse", "--path-format=absolute",
		"--is-bare-repository", "--is-shallow-repository", "--show-object-format", mark,
		"--git-dir", mark, "--git-common-dir", mark, "--show-toplevel"}})
	parts := strings.Split(string(out), mark+"\n")
	if err != nil && len(parts) != 4 { // the toplevel comes last: inside a git dir there is none
		return nil, fmt.Errorf("opening %s: %w", dir, err)
	}
	if len(parts) != 4 {
		return nil, fmt.Errorf("opening %s: git answered %q", dir, out)
	}
	facts := strings.Fields(parts[0])
	if len(facts) != 3 {
		return nil, fmt.Errorf("opening %s: git answered %q", dir, out)
	}
	r := &Repo{
		Shallow:  facts[1] == "true",
		format:   facts[2],
		gitDir:   line(parts[1]),
		Common:   line(parts[2]),
		Worktree: line(parts[3]),
		patience: patience(),
	}
	return r, r.settle()
}

func line(s string) string { return strings.TrimSuffix(s, "\n") }

// settle fills in what follows from the git dirs.
func (r *Repo) settle() error {
	var err error
	if r.Main, r.Bare, err = mainRoot(r.Common); err != nil {
		return err
	}
	if r.gitDir == r.Common && r.Worktree != "" {
		r.Main, r.Bare = r.Worktree, false
	}
	if r.Worktree == "" { // the folder is inside a git dir
		r.Worktree = r.Main
		if r.gitDir != r.Common {
			r.Worktree = worktreeOf(r.gitDir)
		}
	}
	r.Dir = r.Worktree
	if r.Dir == "" {
		r.Dir = r.Common
	}
	return nil
}

// mainRoot is the main work tree of a common git dir, as its configuration has it.
func mainRoot(common string) (root string, bare bool, err error) {
	cfg, err := configFiles(filepath.Join(common, "config"), filepath.Join(common, "config.worktree"))
	if err != nil {
		return "", false, err
	}
	core := cfg.Section("core")
	if tree := core.Option("worktree"); tree != "" {
		if !filepath.IsAbs(tree) {
			tree = filepath.Join(common, tree)
		}
		return filepath.Clean(tree), false, nil
	}
	if truthy(core.Option("bare")) {
		return "", true, nil
	}
	if filepath.Base(common) != ".git" {
		return "", !core.HasOption("bare"), nil
	}
	return filepath.Dir(common), false, nil
}

// configFiles reads files of git's configuration, later ones winning; a missing one is empty.
func configFiles(paths ...string) (*format.Config, error) {
	cfg := format.New()
	for _, path := range paths {
		f, err := os.Open(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading git's configuration: %w", err)
		}
		err = format.NewDecoder(f).Decode(cfg)
		_ = f.Close()
		if err != nil {
			return nil, fmt.Errorf("reading git's configuration %s: %w", path, err)
		}
	}
	return cfg, nil
}

func truthy(value string) bool {
	return slices.Contains([]string{"true", "yes", "on", "1"}, strings.ToLower(value))
}

// worktreeOf is the worktree that an administrative folder under worktrees/ is for.
func worktreeOf(admin string) string {
	data, err := brief(filepath.Join(admin, "gitdir"))
	if err != nil {
		return ""
	}
	link := line(string(data))
	if !filepath.IsAbs(link) {
		link = filepath.Join(admin, link)
	}
	return filepath.Dir(link)
}

// Close ends the programs that were kept open, if any were. It may be called twice.
func (r *Repo) Close() error {
	r.lazily.creator.close()
	r.lazily.mu.Lock()
	defer r.lazily.mu.Unlock()
	if r.lazily.objects == nil {
		return nil
	}
	err := r.lazily.objects.close()
	r.lazily.objects = nil
	return err
}

// Init makes a repository at dir, with no template and the branch that HEAD names.
func Init(ctx context.Context, dir, branch string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making a repository: %w", err)
	}
	_, _, err := git(ctx, call{dir: dir, args: []string{"init", "--quiet", "--template=", "--initial-branch=" + branch}})
	if err != nil {
		return fmt.Errorf("making a repository at %s: %w", dir, err)
	}
	return nil
}
