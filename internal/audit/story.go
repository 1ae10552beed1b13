package audit

import (
	"iter"

	"torve/internal/record"
)

// story is what the events say one by one, where the board keeps the last word alone.
type story struct {
	events   int
	last     record.Seq
	open     map[string]string                  // task → its open claim, as it goes
	claims   map[string]bool                    // every claim there ever was
	minted   map[string]map[string][]record.Row // task → digest → the rows it carried
	landings map[string]told                    // by path, the first word
	landed   map[string]int                     // task → the highest attempt of it that ever landed
	attempts map[attemptID]*attemptTold
	wrong    []fault
}

type attemptID struct {
	task string
	n    int
}

// told is a landing as the record has it.
type told struct {
	record.Landed
	task string
}

// attemptTold are the events that open an attempt.
type attemptTold struct{ started record.Seq }

// fault is an event that cannot be, after those before it.
type fault struct {
	what, task string
	says       string
}

func newStory() *story {
	return &story{
		open: map[string]string{}, claims: map[string]bool{}, minted: map[string]map[string][]record.Row{},
		landings: map[string]told{}, landed: map[string]int{}, attempts: map[attemptID]*attemptTold{},
	}
}

func (s *story) read(events iter.Seq2[record.Event, error]) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		p, err := record.Decode(e)
		if err != nil {
			return err
		}
		s.events, s.last = s.events+1, e.Seq
		s.take(e, p)
	}
	return nil
}

func (s *story) take(e record.Event, p record.Payload) {
	switch p := p.(type) {
	case record.Minted:
		s.mint(e.Task, p.Digest, p.Decisions)
	case record.Reminted:
		s.mint(e.Task, p.Digest, p.Decisions)
	case record.Claimed:
		s.open[e.Task], s.claims[e.Claim] = e.Claim, true
	case record.Released:
		if s.open[e.Task] == e.Claim {
			delete(s.open, e.Task)
		}
	case record.Started:
		s.starts(e)
	case record.Finished, record.Judged:
		s.follows(e)
	case record.Landed:
		if _, known := s.landings[p.Path]; !known {
			s.landings[p.Path] = told{p, e.Task}
		}
		s.landed[e.Task] = max(s.landed[e.Task], e.Attempt)
	}
}

func (s *story) mint(task, digest string, rows []record.Row) {
	if s.minted[task] == nil {
		s.minted[task] = map[string][]record.Row{}
	}
	s.minted[task][digest] = rows
}
