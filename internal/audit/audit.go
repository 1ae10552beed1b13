// Package audit asks whether the carriers agree: the record's own invariants, the
// files that are rendered from it, and the landings that git holds. It names every
// difference, and writes nothing but what a repair is asked for.
package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"torve/internal/record"
	"torve/internal/truth"
)

// Sources are where the carriers are, and what is known of this host.
type Sources struct {
	truth.Sources
	Telemetry string                    // this checkout's file of attempts; "" for none
	Root      string                    // the folder of this checkout's worktrees
	Host      string                    // this host's name, as claims have it
	Alive     func(record.Claimed) bool // whether a claim's process runs on this host; nil: nobody can say
	Now       time.Time
	NoRecord  string // why no record is read, where Log is nil; "" is that there is none here
}

// Difference is one place where carriers do not agree.
type Difference struct {
	Kind       string   `json:"kind"`     // question.what, as kept.missing
	Subject    string   `json:"subject"`  // a task, a file, a ref, an event
	Says       string   `json:"says"`     // what each says, in a sentence
	Carriers   []string `json:"carriers"` // who disagree
	Repairable bool     `json:"repairable"`
	Next       string   `json:"next"` // the command, or what a person can do

	mend func(context.Context, Hands) (did string, err error)
}

// Asked is one question and what came of it.
type Asked struct {
	Question    string   `json:"question"`
	Carriers    []string `json:"carriers"`
	Of          int      `json:"of"` // how many answers there were to compare
	Differences int      `json:"differences"`
	NotAsked    string   `json:"not_asked"` // why it was not asked; "" when it was
}

// Counts are what the carriers hold.
type Counts struct {
	Tasks    int `json:"tasks"`
	Attempts int `json:"attempts"`
	Landings int `json:"landings"`
	Events   int `json:"events"`
	Rows     int `json:"rows"`
	Held     int `json:"held"` // rows of telemetry whose attempt is in this record
}

// Report is what Verify found.
type Report struct {
	Recorded    bool // a record was read
	Counts      Counts
	Asked       []Asked
	Differences []Difference
	Notes       []string // true, and no difference
}

// Clean reports whether nothing differs.
func (r Report) Clean() bool { return len(r.Differences) == 0 }

// Repairable counts the differences that Repair mends.
func (r Report) Repairable() int {
	n := 0
	for _, d := range r.Differences {
		if d.Repairable {
			n++
		}
	}
	return n
}

// tries bounds how often a place that moves is looked at again; breath is how long others are
// given to finish what they are at.
const (
	tries  = 5
	breath = 500 * time.Millisecond
)

// Verify asks every question. Others may write meanwhile: what was read before they did
// and after is no difference, so that a place that moved, or where somebody is at work, is
// looked at again. The error is a carrier that could not be read.
func Verify(ctx context.Context, s Sources) (Report, error) {
	for n := 1; ; n++ {
		i := &inquiry{Sources: s, report: Report{Asked: []Asked{}, Differences: []Difference{}, Notes: []string{}}}
		if err := i.all(ctx); err != nil {
			return Report{}, err
		}
		if i.report.Clean() {
			return i.report, nil
		}
		head, moved, err := i.moved(ctx)
		if err != nil {
			return Report{}, err
		}
		s.Head = head
		switch {
		case moved && n < tries:
		case moved:
			i.note("the record or %s moved while they were compared, %d times: ask again", s.Target, tries)
			return i.report, nil
		case n == 1 && i.working:
			select {
			case <-ctx.Done():
				return Report{}, ctx.Err()
			case <-time.After(breath):
			}
		default:
			return i.report, nil
		}
	}
}

// inquiry is one look at the carriers.
type inquiry struct {
	Sources
	r        *truth.Reading
	story    *story
	history  *history
	landings []*loadedLanding // those that read, oldest first
	unsound  string           // why what the record says is not compared with anything; "" when it is
	question *question
	away     int      // attempts that were made in other clones and are not asked for here
	tidied   []string // kept trees of what has landed that are kept no longer
	working  bool     // somebody holds a task, and lives
	report   Report
}

// all asks the questions in their order.
func (i *inquiry) all(ctx context.Context) error {
	i.report.Recorded = i.Log != nil
	for n := range questions {
		q := &questions[n]
		i.question = q
		a := Asked{Question: q.name, Carriers: q.carriers, NotAsked: i.notAsked(q)}
		before := len(i.report.Differences)
		if a.NotAsked == "" {
			var err error
			if a.Of, err = q.ask(i, ctx); err != nil {
				return fmt.Errorf("asking about %s: %w", q.about, err)
			}
		}
		a.Differences = len(i.report.Differences) - before
		i.report.Asked = append(i.report.Asked, a)
		if q.name == "record" {
			if err := i.read(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// notAsked is why a question cannot be asked here; "" when it can.
func (i *inquiry) notAsked(q *question) string {
	switch {
	case !q.recorded:
	case i.Log == nil && i.NoRecord != "":
		return i.NoRecord
	case i.Log == nil:
		return "no record here"
	case q.name != "record" && i.unsound != "":
		return i.unsound
	}
	return ""
}

// read gathers the carriers, the record among them where it is sound.
func (i *inquiry) read(ctx context.Context) error {
	from := i.Sources.Sources
	from.Memory, from.Brief = nil, false
	switch {
	case i.unsound != "":
		from.Log = nil
	case i.Log != nil:
		from.Log = alone(i.Log)
	}
	var err error
	if i.r, err = truth.Gather(ctx, from); err != nil {
		return fmt.Errorf("reading the carriers: %w", err)
	}
	i.story = newStory()
	if from.Log != nil {
		if err := i.story.read(from.Log.Read(ctx, i.Partition, 1)); err != nil {
			return fmt.Errorf("reading the record: %w", err)
		}
	}
	i.history, err = readHistory(ctx, i.Repo, i.Head)
	if err != nil {
		return fmt.Errorf("reading the history of %s: %w", i.Target, err)
	}
	i.report.Counts.Landings = len(i.r.Landings)
	if b := i.r.Board; b != nil {
		i.report.Counts.Events = i.story.events
		for _, t := range b.Tasks {
			if t.Digest != "" || len(t.Attempts) > 0 || t.Landing != nil {
				i.report.Counts.Tasks++
			}
			i.report.Counts.Attempts += len(t.Attempts)
		}
	}
	return nil
}

// eventsAlone is a log without what is kept beside it: what is compared with others comes of
// the events.
type eventsAlone struct{ record.Log }

// alone hides what a log keeps beside its events, and not that several clones share it.
func alone(l record.Log) record.Log {
	leases, shared := l.(record.Leases)
	if !shared {
		return eventsAlone{l}
	}
	return struct {
		eventsAlone
		leased
	}{eventsAlone{l}, leases}
}

// leased is record.Leases under a name that hides none of its methods.
type leased interface{ record.Leases }

// moved reports whether the record or the target is not where it was, and where the
// target is now.
func (i *inquiry) moved(ctx context.Context) (head string, moved bool, err error) {
	head = i.Head
	ref := i.Ref
	if ref == "" {
		ref = "refs/heads/" + i.Target
	}
	refs, err := i.Repo.Refs(ctx, ref)
	if err != nil {
		return head, false, err
	}
	if now, there := refs[ref]; there && now != head {
		head, moved = now, true
	}
	if i.Log == nil || i.unsound != "" {
		return head, moved, nil
	}
	for _, err := range i.Log.Read(ctx, i.Partition, i.story.last+1) {
		return head, true, err
	}
	return head, moved, nil
}

// differ names a difference of the question that is being asked.
func (i *inquiry) differ(what, subject, format string, args ...any) *Difference {
	i.report.Differences = append(i.report.Differences, Difference{
		Kind: i.question.name + "." + what, Subject: subject, Says: fmt.Sprintf(format, args...),
		Carriers: i.question.carriers,
	})
	return &i.report.Differences[len(i.report.Differences)-1]
}

// by says what a person can do.
func (d *Difference) by(next string) *Difference { d.Next = next; return d }

// mends says how a repair mends it.
func (d *Difference) mends(do func(context.Context, Hands) (string, error)) {
	d.Repairable, d.mend, d.Next = true, do, repairs
}

const repairs = "torve verify --repair"

// note says what is true and no difference.
func (i *inquiry) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(i.report.Notes, text) {
		i.report.Notes = append(i.report.Notes, text)
	}
}

// short is an object's id as people see it.
func short(id string) string { return id[:min(len(id), 7)] }

// broken takes the record's faults apart: a store may name more than one.
func broken(err error) (found []*record.Broken, rest error) {
	if joined, many := err.(interface{ Unwrap() []error }); many {
		for _, e := range joined.Unwrap() {
			b, r := broken(e)
			found, rest = append(found, b...), errors.Join(rest, r)
		}
		return found, rest
	}
	var b *record.Broken
	if errors.As(err, &b) {
		return []*record.Broken{b}, nil
	}
	return nil, err
}
