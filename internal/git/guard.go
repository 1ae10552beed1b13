package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Guard is what an agent must not change: hooks and files that git obeys (name → digest),
// configuration that makes git run a program or look elsewhere ("scope key" → values),
// and all refs (name → id).
type Guard struct{ Files, Config, Refs map[string]string }

// Guarded takes it. Two of the same repository are compared by Changed.
func (r *Repo) Guarded(ctx context.Context) (Guard, error) {
	var g Guard
	var err error
	listed, err := r.configList(ctx)
	if err != nil {
		return Guard{}, fmt.Errorf("reading what an agent must not change: %w", err)
	}
	if g.Files, err = r.guardedFiles(ctx, listed); err != nil {
		return Guard{}, fmt.Errorf("reading what an agent must not change: %w", err)
	}
	if g.Config, err = r.guardedConfig(ctx, listed); err != nil {
		return Guard{}, fmt.Errorf("reading what an agent must not change: %w", err)
	}
	if g.Refs, err = r.Refs(ctx, ""); err != nil {
		return Guard{}, fmt.Errorf("reading what an agent must not change: %w", err)
	}
	return g, nil
}

// obeyed are the files under the common git dir that change what git does or shows.
var obeyed = []string{"info/attributes", "info/exclude", "info/grafts", "objects/info/alternates", "shallow"}

func (r *Repo) guardedFiles(ctx context.Context, config []string) (map[string]string, error) {
	files := map[string]string{}
	for _, name := range obeyed {
		if err := digestInto(files, name, filepath.Join(r.Common, name)); err != nil {
			return nil, err
		}
	}
	folders, err := r.hookFolders(ctx, config)
	if err != nil {
		return nil, err
	}
	for label, folder := range folders {
		if err := r.guardHooks(ctx, files, label, folder); err != nil {
			return nil, fmt.Errorf("reading the hooks: %w", err)
		}
	}
	return files, nil
}

// guardHooks enters the files of a folder of hooks. Those that stand in the main work tree
// as its commit has them came with a commit, and are guarded as the branch is.
func (r *Repo) guardHooks(ctx context.Context, files map[string]string, label, folder string) error {
	if to, err := filepath.EvalSymlinks(folder); err == nil {
		folder = to
	}
	inTree := r.Main != "" && under(folder, real(r.Main))
	return filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil || e.IsDir() || strings.HasSuffix(path, ".sample") {
			return err
		}
		if inTree && r.committed(ctx, path) {
			return nil
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		return digestInto(files, label+"/"+filepath.ToSlash(rel), path)
	})
}

// committed reports whether a file of the main work tree is as its HEAD has it.
func (r *Repo) committed(ctx context.Context, path string) bool {
	rel, err := filepath.Rel(real(r.Main), path)
	if err != nil {
		return false
	}
	_, head, err := r.headAt(ctx, r.Main)
	if err != nil {
		return false
	}
	same, err := r.untouched(ctx, r.Main, head, filepath.ToSlash(rel))
	return err == nil && same
}

// hookFolders are git's own folder for hooks and the one that is configured. Config is
// what is configured: scope, then key and value.
func (r *Repo) hookFolders(ctx context.Context, config []string) (map[string]string, error) {
	folders := map[string]string{"hooks": filepath.Join(r.Common, "hooks")}
	if !hooked(config) {
		return folders, nil
	}
	out, _, err := r.git(ctx, call{args: []string{"config", "-z", "--show-scope", "--type=path", "--get-all", "core.hooksPath"}, codes: []int{1}})
	if err != nil {
		return nil, err
	}
	all := fields(out)
	for i := 0; i+1 < len(all); i += 2 {
		path := all[i+1]
		if all[i] == "command" || path == "" {
			continue // our own setting
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(r.Dir, path)
		}
		folders["core.hooksPath"] = path
	}
	return folders, nil
}

// hooked reports whether a folder for hooks is configured, by somebody else than us.
func hooked(config []string) bool {
	for i := 0; i+1 < len(config); i += 2 {
		if key, _, _ := strings.Cut(config[i+1], "\n"); config[i] != "command" && strings.EqualFold(key, "core.hooksPath") {
			return true
		}
	}
	return false
}

// digestInto enters the digest of a file, its mode with it; a missing one is not entered.
func digestInto(files map[string]string, name, path string) error {
	sum, err := digest(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	files[name] = sum
	return nil
}

func (r *Repo) guardedConfig(ctx context.Context, all []string) (map[string]string, error) {
	config := map[string]string{}
	for i := 0; i+1 < len(all); i += 2 {
		key, value, _ := strings.Cut(all[i+1], "\n")
		if all[i] != "command" && executable(key) {
			config[all[i]+" "+key] += value + "\x00"
		}
	}
	return config, r.worktreeConfig(ctx, config)
}

// worktreeConfig enters what the linked worktrees configure for themselves: git obeys it
// when it takes the files there. Each registered one has a line, so that one which came
// or went meanwhile is told from one that was changed.
func (r *Repo) worktreeConfig(ctx context.Context, config map[string]string) error {
	all, err := r.registrations()
	if err != nil {
		return err
	}
	for admin := range all {
		scope := ownScope + filepath.Base(admin)
		config[scope+" "] = "registered"
		file := filepath.Join(admin, "config.worktree")
		if _, err := os.Lstat(file); errors.Is(err, os.ErrNotExist) {
			continue
		}
		out, err := r.configured(ctx, file)
		if err != nil {
			return err
		}
		for _, f := range fields(out) {
			if key, value, _ := strings.Cut(f, "\n"); executable(key) {
				config[scope+" "+key] += value + "\x00"
			}
		}
	}
	return nil
}

// configured lists a file of configuration. One that does not read is an entry of its own:
// git obeys nothing in it, and it is a change all the same.
func (r *Repo) configured(ctx context.Context, file string) ([]byte, error) {
	sum, err := digest(file)
	if err != nil {
		return nil, err
	}
	unread := []byte("include.unreadable\n" + sum)
	if sum == noFile {
		return unread, nil
	}
	out, _, err := r.git(ctx, call{args: []string{"config", "--file", file, "--includes", "--list", "-z"}})
	var fault *Fault
	if errors.As(err, &fault) {
		return unread, nil
	}
	return out, err
}

// ownScope begins the scope of a worktree's own configuration.
const ownScope = "worktree:"

// came reports whether a key is of a worktree that was not there all the time.
func (g Guard) came(now Guard, key string) bool {
	scope, _, _ := strings.Cut(key, " ")
	if !strings.HasPrefix(scope, ownScope) {
		return false
	}
	_, was := g.Config[scope+" "]
	_, is := now.Config[scope+" "]
	return !was || !is
}

// executable reports whether a configuration key makes git run a program, read another
// file, or speak to another place than it seems to.
func executable(key string) bool {
	section, rest, _ := strings.Cut(key, ".")
	name := strings.ToLower(rest[strings.LastIndexByte(rest, '.')+1:])
	switch strings.ToLower(section) {
	case "alias", "filter", "include", "includeif", "credential", "url", "extensions", "gpg",
		"pager", "uploadpack", "protocol", "http", "sequence", "submodule":
		return true
	case "core":
		return slices.Contains([]string{"hookspath", "fsmonitor", "sshcommand", "gitproxy", "editor", "pager", "askpass",
			"attributesfile", "excludesfile", "worktree", "bare", "alternaterefscommand", "alternaterefsprefixes",
			"trustctime", "checkstat", "filemode", "symlinks", "ignorestat", "autocrlf", "eol", "safecrlf"}, name)
	case "diff":
		return slices.Contains([]string{"external", "textconv", "command", "tool"}, name)
	case "merge":
		return slices.Contains([]string{"driver", "tool", "recursive"}, name)
	case "difftool", "mergetool", "browser", "man", "interactive":
		return slices.Contains([]string{"cmd", "path", "difffilter"}, name)
	case "remote":
		return slices.Contains([]string{"url", "pushurl", "uploadpack", "receivepack", "vcs", "proxy"}, name)
	case "user", "commit", "tag", "push":
		return strings.Contains(name, "sign")
	case "trailer", "imap", "sendemail", "web", "instaweb", "gc", "maintenance":
		return strings.Contains(name, "command") || strings.Contains(name, "cmd")
	}
	return false
}

// Changed names what differs, in sentences; refs that explained says yes to are let
// through. An old or new id is "" where the ref is absent.
func (g Guard) Changed(now Guard, explained func(ref, old, new string) bool) []string {
	var out []string
	for _, name := range differing(g.Files, now.Files) {
		out = append(out, name+" "+became(g.Files, now.Files, name))
	}
	for _, key := range differing(g.Config, now.Config) {
		if g.came(now, key) {
			continue
		}
		scope, name, _ := strings.Cut(key, " ")
		out = append(out, fmt.Sprintf("%s of the %s configuration %s", name, scope, became(g.Config, now.Config, key)))
	}
	for _, ref := range differing(g.Refs, now.Refs) {
		before, after := g.Refs[ref], now.Refs[ref]
		if explained != nil && explained(ref, before, after) {
			continue
		}
		out = append(out, fmt.Sprintf("%s moved from %s to %s", ref, orNone(before), orNone(after)))
	}
	return out
}

func became(before, after map[string]string, name string) string {
	_, was := before[name]
	_, is := after[name]
	switch {
	case !was:
		return "was added"
	case !is:
		return "was removed"
	}
	return "was changed"
}

// differing are the names whose values are not the same in both, sorted.
func differing(a, b map[string]string) []string {
	names := map[string]bool{}
	for name, value := range a {
		if other, there := b[name]; !there || other != value {
			names[name] = true
		}
	}
	for name := range b {
		if _, there := a[name]; !there {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
