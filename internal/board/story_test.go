package board

import (
	"encoding/json"
	"iter"
	"time"

	"torve/internal/contract"
	"torve/internal/record"
)

var start = time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC)

// story makes a log as a store would give it.
type story struct {
	t      fataler
	events []record.Event
}

// fataler is testing.T and rapid.T.
type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func newStory(t fataler) *story { return &story{t: t} }

// add appends an event; a minute passes with each.
func (s *story) add(task string, attempt int, claim string, p record.Payload) *story {
	s.t.Helper()
	data, err := json.Marshal(p)
	if err != nil {
		s.t.Fatal(err)
	}
	seq := record.Seq(len(s.events) + 1)
	s.events = append(s.events, record.Event{
		Seq: seq, Kind: p.Kind(), Schema: 1, At: start.Add(time.Duration(seq) * time.Minute), Task: task,
		Attempt: attempt, Claim: claim, Host: "here", Actor: record.Actor{Kind: "person", ID: "you@example.com"}, Payload: data,
	})
	return s
}

func asked(id string, change ...func(*contract.Contract)) contract.Contract {
	c := contract.Default()
	c.ID, c.Title = id, "Answer 404 for an unknown order"
	c.Scope = contract.Scope{Allow: []string{id + "/**"}}
	for _, f := range change {
		f(&c)
	}
	return c
}

func (s *story) mint(id string, change ...func(*contract.Contract)) *story {
	c := asked(id, change...)
	return s.add(id, 0, "", record.Minted{Digest: c.Digest(), Contract: c.Canonical(), Owner: "you", Path: contract.PathOf(id), Blob: "b1"})
}

func (s *story) remint(id string, change ...func(*contract.Contract)) *story {
	c := asked(id, change...)
	return s.add(id, 0, "", record.Reminted{Digest: c.Digest(), Contract: c.Canonical(), Owner: "you", Path: contract.PathOf(id), Blob: "b2"})
}

func (s *story) claim(id, claim string) *story   { return s.add(id, 0, claim, record.Claimed{PID: 1}) }
func (s *story) release(id, claim string) *story { return s.add(id, 0, claim, record.Released{}) }

func (s *story) started(id string, n int) *story {
	return s.add(id, n, "", record.Started{Mode: "first", Base: "base"})
}

func (s *story) finished(id string, n int, end string) *story {
	return s.add(id, n, "", record.Finished{End: end, Base: "base", Head: "kept", Tree: "tree", Ref: "ref"})
}

func (s *story) judged(id string, n int, moment, verdict string) *story {
	return s.add(id, n, "", record.Judged{Moment: moment, Verdict: verdict, Tree: "gated"})
}

func (s *story) answered(id, answer, mode string) *story {
	return s.add(id, 0, "", record.Resolved{Answer: answer, Mode: mode})
}

func (s *story) escalated(id, reason string) *story {
	return s.add(id, 1, "", record.Escalation{Reason: reason})
}

func (s *story) landed(id string, reverts ...string) *story {
	return s.add(id, 1, "", record.Landed{Path: ".torve/execution/" + id + "-1-20260131T100000Z.yaml", Reverts: reverts})
}

// tried is an attempt from claim to verdict.
func (s *story) tried(id string, n int, claim, verdict string) *story {
	return s.claim(id, claim).started(id, n).finished(id, n, "done").judged(id, n, "arrival", verdict)
}

func (s *story) seq() iter.Seq2[record.Event, error] {
	return func(yield func(record.Event, error) bool) {
		for _, e := range s.events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (s *story) board() *Board {
	s.t.Helper()
	b, err := Fold(s.seq())
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

func (s *story) task(id string) *Task {
	s.t.Helper()
	t := s.board().Tasks[id]
	if t == nil {
		s.t.Fatalf("the board does not know %s", id)
	}
	return t
}
