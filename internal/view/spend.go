package view

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"torve/internal/truth"
)

// Bys are what spend may be told by; the first is what it is told by unasked.
var Bys = []string{"task", "agent", "owner", "day", "regime"}

// SpendAnswer is what attempts cost. Figures of different regimes are added only where the
// answer says over how many.
type SpendAnswer struct {
	Schema    string    `json:"schema"`
	Sources   Sources   `json:"sources"`
	Since     time.Time `json:"since,omitzero"`
	By        string    `json:"by"`
	Rows      []Spend   `json:"rows"`
	Total     Spend     `json:"total"` // over as many regimes as it says
	Telemetry Telemetry `json:"telemetry"`
	Undated   int       `json:"undated"` // attempts and other spends that name no time, left out by since
	Faults    []Fault   `json:"faults"`

	from From
	now  time.Time
	told told
	all  bool
	zone *time.Location
}

// Spend is what some attempts came to, and under what.
type Spend struct {
	Key string `json:"key"` // the task, agent, owner, day or regime
	Figures
	Regimes   int      `json:"regimes"` // how many kinds of figure are in it
	Untold    int      `json:"untold"`  // attempts whose regime nobody told
	Agents    []string `json:"agents"`  // with model and version
	Tasks     []string `json:"tasks"`
	Contracts []string `json:"contracts"` // digests, where the record says them

	regimes map[string]bool
	under   [3]map[string]bool // agents, tasks and contracts
}

// Spent answers what attempts cost since a time, by one of Bys.
func Spent(ctx context.Context, r *truth.Reading, o Options) (SpendAnswer, error) {
	t, err := o.spent(ctx, r, nil)
	if err != nil {
		return SpendAnswer{}, err
	}
	a := SpendAnswer{Schema: "torve/spend/v1", Since: o.Since, By: cmp.Or(o.By, Bys[0]), Rows: []Spend{}, Telemetry: t.ledger,
		Faults: append([]Fault{}, t.faults...), from: o.Source, now: o.Now, told: t, all: o.All, zone: o.zone()}
	key, err := o.keyOf(ctx, r, a.By)
	if err != nil {
		return SpendAnswer{}, err
	}
	rows, undated := t.since(o.Since)
	a.Undated = undated
	a.Rows, err = grouped(rows, key)
	if err != nil {
		return SpendAnswer{}, err
	}
	if a.By == "day" {
		slices.SortFunc(a.Rows, func(a, b Spend) int { return cmp.Compare(b.Key, a.Key) })
	}
	for _, e := range rows {
		a.Total.add(e)
	}
	a.Total = a.Total.listed()
	a.Sources = Sources{"attempts": o.source(t.carrier, len(t.rows)), "spend": o.source(t.carrier, len(rows)), "telemetry": o.source(fromFiles, t.ledger.Rows), "landings": o.source(fromGit, len(r.Landings))}
	a.Sources.beside(t)
	return a, nil
}

// since are the rows of what ended since a time, and how many name none.
func (t told) since(from time.Time) (rows []tried, undated int) {
	if from.IsZero() {
		return t.rows, 0
	}
	for _, e := range t.rows {
		switch {
		case e.at.IsZero():
			undated++
		case !e.at.Before(from):
			rows = append(rows, e)
		}
	}
	return rows, undated
}

// grouped adds rows up by their key, the costliest first, else as they came.
func grouped(rows []tried, key func(tried) (string, error)) ([]Spend, error) {
	by := map[string]*Spend{}
	var order []string
	for _, e := range rows {
		k, err := key(e)
		if err != nil {
			return nil, err
		}
		if by[k] == nil {
			order = append(order, k)
			by[k] = &Spend{Key: k}
		}
		by[k].add(e)
	}
	out := make([]Spend, 0, len(by))
	for _, k := range order {
		out = append(out, by[k].listed())
	}
	slices.SortStableFunc(out, func(a, b Spend) int { return byCost(a.Figures, b.Figures) })
	return out, nil
}

func (s *Spend) add(e tried) {
	s.Figures.add(e)
	if s.regimes == nil {
		s.regimes = map[string]bool{}
	}
	switch {
	case e.regime != "":
		s.regimes[e.regime] = true
		s.Regimes = len(s.regimes)
	default:
		s.Untold += e.counted()
	}
	for i, name := range []string{named(e), e.task, e.contract} {
		if name == "" {
			continue
		}
		if s.under[i] == nil {
			s.under[i] = map[string]bool{}
		}
		s.under[i][name] = true
	}
}

// listed is the spend with its lists made, each in its order.
func (s Spend) listed() Spend {
	for i, into := range []*[]string{&s.Agents, &s.Tasks, &s.Contracts} {
		*into = slices.AppendSeq(make([]string, 0, len(s.under[i])), maps.Keys(s.under[i]))
		slices.Sort(*into)
	}
	return s
}

// named is an agent with its version, as regimes tell them apart; "" of money that
// belongs to no attempt.
func named(e tried) string {
	if e.agent.Adapter == "" {
		return ""
	}
	return writer(e.agent)
}

// keyOf says what a row is told by.
func (o Options) keyOf(ctx context.Context, r *truth.Reading, by string) (func(tried) (string, error), error) {
	told := func(s string) (string, error) { return cmp.Or(s, "not told"), nil }
	switch by {
	case "task":
		return func(e tried) (string, error) { return cmp.Or(e.task, "no task"), nil }, nil
	case "agent":
		return func(e tried) (string, error) { return told(agentName(e.agent.Adapter, e.agent.Model)) }, nil
	case "regime":
		return func(e tried) (string, error) { return told(e.regime) }, nil
	case "day":
		return func(e tried) (string, error) {
			if e.at.IsZero() {
				return told("")
			}
			return e.at.In(o.zone()).Format(time.DateOnly), nil
		}, nil
	case "owner":
		if err := r.ReadAll(ctx); err != nil {
			return nil, err
		}
		owners := map[string]string{}
		return func(e tried) (string, error) {
			if who, asked := owners[e.task]; asked {
				return told(who)
			}
			who, err := owner(ctx, r, e.task)
			if err != nil {
				return "", fmt.Errorf("asking whose %s is: %w", e.task, err)
			}
			owners[e.task] = who
			return told(who)
		}, nil
	}
	return nil, fmt.Errorf("spend is told by %v, and not by %q", Bys, by)
}

func (o Options) zone() *time.Location {
	if o.Zone == nil {
		return time.UTC
	}
	return o.Zone
}

// owner is whose a task is, by whichever carrier knows it; "" where none does.
func owner(ctx context.Context, r *truth.Reading, task string) (string, error) {
	s := r.Settled(task)
	if t := s.Board(); t != nil && t.Owner != "" {
		return t.Owner, nil
	}
	if !s.Known() {
		return "", nil
	}
	f, err := factsOf(ctx, s, false)
	return f.owner, err
}
