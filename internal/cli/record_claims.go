package cli

import (
	"torve/internal/board"
	"torve/internal/dispatch"
	"torve/internal/record"
	"torve/internal/view"
)

// free refuses what would be claimed for ever where it comes to: by a claim whose holder works
// over the source, and of whom the next dispatch over the copy cannot tell whether he is gone.
// A file that is kept is read by no dispatch.
func (s *session) free(dst endpoint, to record.Log, claimed bool) func([]record.Event) error {
	if claimed || dst.dsn == "" && !dst.own {
		return func([]record.Event) error { return nil }
	}
	st := &dispatch.Station{Repo: s.repo, Host: s.host(), Log: to, Alive: lives}
	return func(open []record.Event) error {
		for _, e := range open {
			c, err := claimOf(e)
			if err != nil {
				return err
			}
			stuck := !st.MadeHere(c)
			if record.Shared(to) && !stuck { // the file of its lock goes when its holder is done
				if stuck, err = st.Lives(c); err != nil {
					return err
				}
			}
			if stuck {
				return usage("moving the record", "torve stop "+e.Task,
					"%s is claimed by process %d on %s, and over the copy nobody could tell when it is gone (--claimed takes it along)", e.Task, c.PID, c.Host)
			}
		}
		return nil
	}
}

func claimOf(e record.Event) (*board.Claim, error) {
	p, err := record.Decode(e)
	if err != nil {
		return nil, err
	}
	return &board.Claim{ID: e.Claim, Host: e.Host, Claimed: p.(record.Claimed), At: e.At}, nil
}

// warnOpen tells what a copy cannot bring along: what runs goes on in the source.
func (s *session) warnOpen(c record.Copied) {
	if c.Since > 0 {
		s.a.warn("warning: the source has %s more by now, which the copy has not", view.Count(int(c.Since), "event"))
	}
	if len(c.Open) == 0 {
		return
	}
	var tasks, away []string
	for _, e := range c.Open {
		tasks = append(tasks, e.Task)
		if e.Host != s.host() {
			away = append(away, e.Task+" on "+e.Host)
		}
	}
	s.a.warn("warning: work was under way, and what runs goes on in the source alone: %s", fewOf(tasks))
	s.a.warn("the copy holds %s as claimed: its next torve dispatch takes such a task over once its process is gone", view.Count(len(tasks), "task"))
	if len(away) > 0 {
		s.a.warn("whether it is gone is asked on its own host: %s", fewOf(away))
	}
}
