package board

import "torve/internal/record"

// Spending is what a task cost over all its attempts. Unknown is counted apart
// and is never zero.
type Spending struct {
	Attempts  int                // that an agent was started for
	Refused   int                // whose last word from the gate was no
	Open      int                // that still run: not in any figure
	Seconds   float64            // what is known of it
	Timeless  int                // ended attempts whose time is unknown
	TokensIn  *int64             // nil when no attempt said
	TokensOut *int64             // nil when no attempt said
	Tokenless int                // ended attempts that did not say their tokens
	USD       map[string]float64 // by source: reported, estimated, notional
	Unknown   int                // ended attempts and spends of unknown cost
}

// Spent adds up a task's attempts and its other spends.
func Spent(t *Task) Spending { return spending(t.Attempts, t.Spends) }

// SpentSince is Spent since the last requeue: what counts against the budget.
func SpentSince(t *Task) Spending {
	return spending(t.Attempts[min(t.Asked, len(t.Attempts)):], t.Spends[min(t.AskedSpends, len(t.Spends)):])
}

func spending(attempts []Attempt, spends []record.Spend) Spending {
	s := Spending{USD: map[string]float64{}}
	for i := range attempts {
		a := &attempts[i]
		s.Attempts++
		if j := a.Last(); j != nil && j.Verdict == "refused" {
			s.Refused++
		}
		if a.Finished == nil {
			s.Open++
			continue
		}
		if a.Finished.Seconds == nil {
			s.Timeless++
		} else {
			s.Seconds += *a.Finished.Seconds
		}
		s.add(a.Finished.Usage)
	}
	for _, p := range spends {
		s.add(p.Usage)
	}
	return s
}

func (s *Spending) add(u record.Usage) {
	if u.TokensIn == nil || u.TokensOut == nil {
		s.Tokenless++
	}
	s.TokensIn, s.TokensOut = sum(s.TokensIn, u.TokensIn), sum(s.TokensOut, u.TokensOut)
	if u.USD == nil || u.Source == "" || u.Source == "unknown" {
		s.Unknown++
		return
	}
	s.USD[u.Source] += *u.USD
}

// sum adds what is known; two unknowns are unknown.
func sum(a, b *int64) *int64 {
	if b == nil {
		return a
	}
	total := *b
	if a != nil {
		total += *a
	}
	return &total
}

// Time is what the agents ran in all, in seconds; nil where the time of one is unknown.
func (s Spending) Time() *float64 {
	if s.Timeless > 0 {
		return nil
	}
	return &s.Seconds
}

// Total is the one figure and the source that it may be shown under: the weakest
// of its parts (notional, then estimated, then reported). Where any part is
// unknown the total is: nil and "unknown".
func (s Spending) Total() (usd *float64, source string) {
	if s.Unknown > 0 || len(s.USD) == 0 {
		return nil, "unknown"
	}
	total := 0.0
	for _, from := range []string{"reported", "estimated", "notional"} {
		if part, there := s.USD[from]; there {
			total += part
			source = from
		}
	}
	return &total, source
}
