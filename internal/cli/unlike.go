package cli

import (
	"context"
	"errors"
	"reflect"
	"strings"

	"torve/internal/git"
)

// judging are the settings that decide what may land. Which agent runs, how many at once and
// for how much is whoever runs them's own affair.
var judging = []string{"acceptance", "law", "scope", "worktree", "sandbox", "landing", "review"}

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

// differing are the settings that judge and are not the same.
func differing(a, b config) []string {
	var keys []string
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for _, key := range judging {
		for i := range x.NumField() {
			name, _, _ := strings.Cut(x.Type().Field(i).Tag.Get("yaml"), ",")
			if name == key && !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}
