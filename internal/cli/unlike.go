package cli

import (
	"context"
	"errors"
	"reflect"

	"torve/internal/git"
)

// unlikeTarget says in which of the settings that judge this work tree is not as the target's head
// has it; "" where they are the same. The work tree's are asked all the same, so that one can
// be tried before it is committed, and that is said wherever it is so.
func (s *session) unlikeTarget(ctx context.Context) (string, error) {
	head, err := s.seen(ctx)
	if err != nil {
		return "", err
	}
	text, err := s.repo.File(ctx, head, configFile)
	if errors.Is(err, git.ErrNotFound) {
		return configFile + " is not on " + s.cfg.Target + ": what judges is this work tree's", nil
	}
	if err != nil {
		return "", broken("reading the settings on "+s.cfg.Target, "", err)
	}
	there, err := parseConfig(text)
	if err != nil {
		return configFile + " on " + s.cfg.Target + " does not read: what judges is this work tree's", nil
	}
	if keys := differing(s.cfg, there); len(keys) > 0 {
		return configFile + " is not as on " + s.cfg.Target + ": " + joined(keys) + "; what judges is this work tree's", nil
	}
	return "", nil
}

// differing are the settings that decide what may land and are not the same. Which agent runs,
// how many at once and for how much is whoever runs them's own affair.
func differing(a, b config) []string {
	var keys []string
	for _, one := range []struct {
		key          string
		here, target any
	}{
		{"acceptance", a.Acceptance, b.Acceptance}, {"law", a.Law, b.Law}, {"scope", a.Scope, b.Scope},
		{"worktree", a.Worktree, b.Worktree}, {"sandbox", a.Sandbox, b.Sandbox},
		{"landing", a.Landing, b.Landing}, {"review", a.Review, b.Review},
	} {
		if !reflect.DeepEqual(one.here, one.target) {
			keys = append(keys, one.key)
		}
	}
	return keys
}
