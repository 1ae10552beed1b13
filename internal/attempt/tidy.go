package attempt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/record"
	"torve/internal/truth"
)

// Tidy ends what runs that died on this host did not come to: it puts away the rooms and
// the state files of tasks that have landed, the state files of those that were given
// up, and writes the rows of telemetry that are missing. A task that is held is its
// holder's.
func (s *Station) Tidy(ctx context.Context, rd *truth.Reading) error {
	var free []*board.Task
	for _, t := range rd.Board.Tasks {
		if t.Claim == nil {
			free = append(free, t)
		}
	}
	slices.SortFunc(free, func(a, b *board.Task) int { return int(a.MintSeq - b.MintSeq) })
	for _, t := range free {
		if err := s.tidyState(ctx, rd, t); err != nil {
			return fmt.Errorf("putting away what %s used: %w", t.ID, err)
		}
	}
	if err := s.tidyHeads(ctx); err != nil {
		return err
	}
	if err := s.tidyTemps(); err != nil {
		return fmt.Errorf("removing what was being written when a run died: %w", err)
	}
	return s.tidyRows(free)
}

// aMoment is far longer than a file is being written.
const aMoment = time.Minute

// tidyTemps removes the halves of files that a run was writing when it died.
func (s *Station) tidyTemps() error {
	for folder, names := range map[string]string{s.Settings.States: ".tmp-*", s.Settings.Root: ".*.json.*"} {
		halves, err := fs.Glob(os.DirFS(folder), names)
		if err != nil {
			return err
		}
		for _, name := range halves {
			path := filepath.Join(folder, name)
			info, err := os.Lstat(path)
			if folder == s.Settings.Root && !halfName(name) { // the folder may be a person's own
				continue
			}
			if err != nil || !info.Mode().IsRegular() || s.Now().Sub(info.ModTime()) < aMoment {
				continue
			}
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// halfName reports whether a file is called as an inventory is while it is being written:
// .T-0001-2.json.123456.
func halfName(name string) bool {
	of, _, cut := strings.Cut(strings.TrimPrefix(name, "."), ".json.")
	m := roomName.FindStringSubmatch(of)
	return cut && m != nil && (m[2] == headRoom || carrier.ValidTask(m[2]))
}

func (s *Station) tidyState(ctx context.Context, rd *truth.Reading, t *board.Task) error {
	st, there := rd.States[t.ID]
	switch {
	case !there:
	case rd.Landed(t.ID):
		return s.Done(ctx, t.ID, max(st.Attempt, t.NextAttempt()-1))
	case t.State == board.Abandoned:
		return carrier.RemoveState(s.Settings.States, t.ID)
	}
	return nil
}

// madeHere reports whether an attempt was made in this clone, in the folder where worktrees
// stand now.
func (s *Station) madeHere(a board.Attempt) bool {
	if record.Shared(s.Log) && !truth.MadeIn(&a, s.Host, s.Repo.Common, s.Settings.Root) {
		return false
	}
	return filepath.Dir(a.Started.Worktree) == filepath.Clean(s.Settings.Root)
}

// tidyRows writes the rows of attempts that this checkout ran and that have none.
func (s *Station) tidyRows(tasks []*board.Task) error {
	if s.Settings.Telemetry == "" {
		return nil
	}
	have := map[string]bool{}
	key := func(task string, n int) string { return fmt.Sprint(task, " ", n) }
	rows, _, err := carrier.ReadRows(s.Settings.Telemetry)
	if err != nil {
		return err
	}
	for _, r := range rows {
		have[key(r.Task, r.Attempt)] = true
	}
	for _, t := range tasks {
		for _, a := range t.Attempts {
			if have[key(t.ID, a.N)] || !s.madeHere(a) {
				continue
			}
			if row, whole := rowOf(t.ID, a); whole {
				if err := carrier.AppendRow(s.Settings.Telemetry, row); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
