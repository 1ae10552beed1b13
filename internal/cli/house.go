package cli

import (
	"context"
	"os"

	"torve/internal/attempt"
	"torve/internal/upkeep"
)

// home is what the verbs that look after the house are asked of: this repository and the
// places of torve's on this host.
func (s *session) home() upkeep.Home {
	st := s.attempts(func(attempt.Note) {})
	file := s.recordFile()
	if s.store.dsn != "" {
		file = ""
	}
	return upkeep.Home{
		Repo: s.repo, Host: s.host(), Shared: s.store.dsn != "", Now: s.a.now(), Target: s.cfg.Target, Ref: s.targetRef(),
		States: s.states(), Record: file, Root: st.Settings.Root, Own: s.cfg.Worktree.Root == "",
		Caches: st.Settings.Caches, Temp: os.TempDir(),
		Hands: upkeep.Hands{
			Rooms: func() ([]upkeep.Room, error) {
				rooms, err := st.Rooms()
				out := make([]upkeep.Room, len(rooms))
				for i, r := range rooms {
					out[i] = upkeep.Room(r)
				}
				return out, err
			},
			Stays: func(ctx context.Context, r upkeep.Room, drop bool) string {
				return st.Stays(ctx, attempt.Room(r), drop)
			},
			PutAway: func(ctx context.Context, r upkeep.Room, free func() bool) string {
				return st.PutAway(ctx, attempt.Room(r), free)
			},
			Strip: func(r upkeep.Room, free func() bool) string { return st.Strip(attempt.Room(r), free) },
			Ignored: func(ctx context.Context, r upkeep.Room) (loose, made []string, err error) {
				return st.Ignored(ctx, attempt.Room(r))
			},
			Save: func(ctx context.Context, r upkeep.Room) (string, error) { return st.Save(ctx, attempt.Room(r)) },
		},
	}
}
