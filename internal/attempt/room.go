package attempt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"torve/internal/failpoint"
	"torve/internal/git"
)

// room is where one attempt works: its worktree, and beside it a folder for what
// is no part of the tree (the prompt, the report, temporary files).
type room struct {
	dir  string // the worktree
	side string // <dir>.d
	used bool   // something ran in it since it was cut and verified
	wild bool   // something ran in it since it was last swept
	slot int    // of what runs in it, so that two side by side do not meet
	seen *watch // what was seen of what must be left alone when the last thing that ran in it had ended
	inventory
}

// inventory is what torve must know of a room later, maybe in another process: what
// is in it that is neither the base's nor the agent's. It stands beside the
// worktree and outside the folder that the agent writes to.
type inventory struct {
	Run       string   `json:"run"` // the claim's id: it marks what runs here
	Base      string   `json:"base"`
	Link      string   `json:"link"`       // what the worktree's .git file says
	SetupTree string   `json:"setup_tree"` // the tree that setup last ran over
	Setup     []string `json:"setup"`      // what setup and copy made: never one of the agent's changes
	Made      []string `json:"made"`       // what acceptance made and git ignores
	Temps     []string `json:"temps"`      // what was in the temporary folder before the agent came
	Left      string   `json:"left"`       // the tree of the files when the host last left them
	Next      string   `json:"next"`       // the tree that the host last made them
	Agent     bool     `json:"agent"`      // an agent was given it: what is in it may be somebody's work
	Going     bool     `json:"going"`      // it was found that all of it is held, and its removal began
	Stripped  bool     `json:"stripped"`   // what git ignores was dropped: what setup and copy made is not whole any more
}

func (r *room) prompt() string { return filepath.Join(r.side, "prompt.md") }
func (r *room) report() string { return filepath.Join(r.side, "report.json") }
func (r *room) spool() string  { return filepath.Join(r.side, SpoolName) }
func (r *room) temp() string   { return filepath.Join(r.side, "tmp") }
func (r *room) aside() string  { return filepath.Join(r.side, "set-aside") }
func (r *room) ledger() string { return r.dir + ".json" }

// fresh cuts a new room at a commit, and writes its inventory.
func (s *Station) fresh(ctx context.Context, a about, commit string) (*room, error) {
	r, err := s.cutRoom(ctx, a, commit)
	if err != nil {
		return nil, err
	}
	return r, r.save()
}

// cutRoom cuts a new room at a commit: a worktree that is verified, and its folder. It has no
// inventory yet.
func (s *Station) cutRoom(ctx context.Context, a about, commit string) (*room, error) {
	if err := os.MkdirAll(s.Settings.Root, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of the worktrees: %w", err)
	}
	dir, err := s.free(a.task, a.n)
	if err != nil {
		return nil, err
	}
	r := roomAt(dir)
	r.Run, r.Base = a.claim, commit
	if err := s.Repo.AddWorktree(ctx, dir, commit); err != nil {
		return nil, fmt.Errorf("cutting a worktree at %s: %w", short(commit), err)
	}
	if err := s.Repo.VerifyWorktree(ctx, dir, commit); err != nil {
		return nil, fmt.Errorf("verifying the worktree %s: %w", dir, err)
	}
	link, err := os.ReadFile(filepath.Join(dir, ".git"))
	if err != nil {
		return nil, fmt.Errorf("reading the worktree's .git file: %w", err)
	}
	r.Link = string(link)
	if err := os.MkdirAll(r.temp(), 0o700); err != nil {
		return nil, fmt.Errorf("making the attempt's folder: %w", err)
	}
	failpoint.Hit(failpoint.AttemptCut)
	return r, nil
}

func roomAt(dir string) *room { return &room{dir: dir, side: dir + ".d"} }

// roomOf is the room whose report stands at a path.
func roomOf(report string) *room { return &room{side: filepath.Dir(report)} }

// free is a folder that is not there yet. One that is there is a crash's, or
// somebody's: it is never reused and never removed.
func (s *Station) free(task string, n int) (string, error) {
	name := filepath.Join(s.Settings.Root, task+"-"+strconv.Itoa(n))
	for i := 2; ; i++ {
		free, err := absent(name, name+".d", name+".json")
		if err != nil || free {
			return name, err
		}
		name = filepath.Join(s.Settings.Root, fmt.Sprintf("%s-%d.%d", task, n, i))
	}
}

func absent(paths ...string) (bool, error) {
	for _, p := range paths {
		_, err := os.Lstat(p)
		if err == nil {
			return false, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("looking for a free folder: %w", err)
		}
	}
	return true, nil
}

// save writes the inventory; the worktree is of no use later without it.
func (r *room) save() error {
	data, err := json.MarshalIndent(r.inventory, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the inventory of %s: %w", r.dir, err)
	}
	if err := replace(r.ledger(), data); err != nil {
		return fmt.Errorf("writing the inventory of %s: %w", r.dir, err)
	}
	failpoint.Hit(failpoint.InventoryRenamed)
	return nil
}

// replace writes a file whole or not at all.
func replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		failpoint.Hit(failpoint.InventoryWritten)
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// known reads a room that is there already; fs.ErrNotExist when it has no inventory.
func known(dir string) (*room, error) {
	r := roomAt(dir)
	r.wild = true
	data, err := readCapped(r.ledger(), ledgerCap)
	if err == nil && data == nil {
		err = fmt.Errorf("%s: %w", r.ledger(), fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &r.inventory); err != nil {
		return nil, fmt.Errorf("reading the inventory of %s: %w", dir, err)
	}
	return r, nil
}

const ledgerCap = 64 << 20

// sweep makes the files of a room ones that git can read, when something ran there since
// it was done last: no git goes over them before. What no tree can hold by its name is
// set aside, so that nothing takes it for rubbish.
func (s *Station) sweep(ctx context.Context, r *room) error {
	if !r.wild {
		return nil
	}
	_, unfit, err := git.Plain(ctx, r.dir)
	if err != nil {
		return err
	}
	for _, name := range unfit {
		if err := move(filepath.Join(r.dir, name), r.spare(name)); err != nil {
			return fmt.Errorf("setting %s aside, which no tree can hold: %w", name, err)
		}
		s.oddName(r, name)
	}
	r.wild = false
	return nil
}

// oddName tells of a path that is no part of the attempt because of its name.
func (s *Station) oddName(r *room, name string) {
	m := roomName.FindStringSubmatch(filepath.Base(r.dir))
	if m == nil {
		return
	}
	n, _ := strconv.Atoi(m[3]) // digits, by the pattern
	if len(name) > 60 {
		name = strings.ToValidUTF8(name[:60], "") + "…"
	}
	s.note("warn", m[2], n, fmt.Sprintf("%q is set aside: no tree can hold it; it is in %s", name, r.aside()))
}

// spare is a place for a path among what was set aside that nothing has.
func (r *room) spare(name string) string {
	to := filepath.Join(r.aside(), "names", name)
	for n := 2; ; n++ {
		if free, err := absent(to); err != nil || free {
			return to
		}
		to = filepath.Join(r.aside(), fmt.Sprintf("names.%d", n), name)
	}
}

// loose lists what is in the worktree and in no tree: untracked and ignored paths.
func (s *Station) loose(ctx context.Context, r *room) ([]string, error) {
	st, err := s.status(ctx, r)
	return union(st.Untracked, st.Ignored), err
}

// status is how a room's files stand to its index, and what is in no tree.
func (s *Station) status(ctx context.Context, r *room) (git.Status, error) {
	if err := s.sweep(ctx, r); err != nil {
		return git.Status{}, err
	}
	st, err := s.Repo.StatusIgnored(ctx, r.dir)
	if err != nil {
		return st, fmt.Errorf("reading the status of %s: %w", r.dir, err)
	}
	return st, nil
}

// union is both, sorted, each once.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

func short(id string) string {
	if len(id) > 7 {
		return id[:7]
	}
	return id
}
