package git

import (
	"maps"
	"slices"
	"strings"
)

// What an agent configured runs in no git of ours: where a filter or a merge driver came or
// was changed while it worked, all that this process asks of git afterwards goes past it.
// The configuration itself stays as it is: it is a person's to look at.

// Disarm takes, of two states of the repository, the programs that the later one would run
// on files and the earlier one would not, and lets no git of this process run them.
func (r *Repo) Disarm(before, now Guard) {
	old := before.programs()
	var off []string
	for name, value := range now.programs() {
		if was, there := old[name]; there && was == value {
			continue
		}
		off = append(off, "-c", name+"="+idle(name, old[name]))
	}
	if len(off) == 0 {
		return
	}
	r.lazily.mu.Lock()
	defer r.lazily.mu.Unlock()
	all := slices.Clone(r.lazily.off)
	for pair := range slices.Chunk(off, 2) {
		if !slices.Contains(all, pair[1]) {
			all = append(all, pair...)
		}
	}
	r.lazily.off = all
}

// disarmed are the settings by which it is done.
func (r *Repo) disarmed() []string {
	r.lazily.mu.Lock()
	defer r.lazily.mu.Unlock()
	return r.lazily.off
}

// idle is what a setting is set to: what it was, else what runs nothing. A merge that
// a driver was to make is a conflict then.
func idle(name, was string) string {
	switch {
	case was != "":
		return was
	case strings.HasPrefix(name, "merge."):
		return "false"
	case strings.HasSuffix(name, ".required"):
		return "false"
	}
	return ""
}

// programs are the settings that name a program for files, wherever they stand, and what
// is in force of them. Those of a worktree that is another's are in force there alone, and
// count all the same.
func (g Guard) programs() map[string]string {
	out := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(g.Config)) {
		_, name, _ := strings.Cut(key, " ")
		section, rest, _ := strings.Cut(name, ".")
		last := rest[strings.LastIndexByte(rest, '.')+1:]
		if section == "filter" || section == "merge" && last == "driver" {
			values := strings.Split(strings.TrimSuffix(g.Config[key], "\x00"), "\x00")
			out[name] = values[len(values)-1]
		}
	}
	return out
}
