package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"torve/internal/process"
)

// outside refuses a verb that writes when it is run from inside an attempt at this
// repository: the room of an attempt has no way to the record. An attempt may run
// torve over any other repository, as its own tests do.
func (s *session) outside(verb string) error {
	task := s.a.env("TORVE_TASK")
	switch {
	case task != "" && s.roomOfOurs():
	case s.ranByOurs():
		task = "a task here"
	default:
		return nil
	}
	return usage(verb, "torve gate and torve note work here", "this is inside an attempt of %s, and nothing is written from there", task)
}

// ranByOurs reports whether this process descends from a run of this repository,
// whatever its own environment says: a run is named for its claim, and the claim's lock
// is held for as long as it goes on.
func (s *session) ranByOurs() bool {
	return slices.ContainsFunc(process.Inside(), func(run string) bool { return s.repo.Held("claim-" + run) })
}

// roomOfOurs reports whether the attempt that this process runs in works on this
// repository: by the place of its report, else by the worktree that it stands in.
func (s *session) roomOfOurs() bool {
	if side, ok := strings.CutSuffix(filepath.Dir(s.a.env("TORVE_REPORT")), ".d"); ok {
		link, err := os.ReadFile(filepath.Join(side, ".git"))
		if err != nil || strings.HasPrefix(strings.TrimPrefix(string(link), "gitdir: "), s.repo.Common+string(filepath.Separator)) {
			return true // without its link it is not to be told: the safe answer
		}
	}
	if s.repo.Worktree == "" {
		return false
	}
	_, err := os.Stat(s.repo.Worktree + ".d")
	return err == nil
}
