package mint

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"torve/internal/failpoint"
	"torve/internal/record"
	"torve/internal/truth"
)

// chunk is how many tasks go into the record in one append: all of them or none,
// each under the condition that nobody has written of it since it was read.
const chunk = 100

// pass is one reading of the target and what comes of it. It begins again from
// the reading when the record has moved; what it wrote before stays said.
type pass struct {
	*Station
	named   []string
	wrote   map[string]Result
	r       *truth.Reading
	corpus  *corpus
	here    place
	held    truth.Here          // what of the record is in this clone
	away    map[string][]held   // contracts on other branches alone
	clashes map[string]held     // contracts on other branches under an id that the target gave away
	rings   map[string][]string // the dependency cycle that a task stands in
	owners  map[string]string   // by path; nil until it is asked
	folded  map[string][]string // ids by their letters in lower case
}

// step is what is to be done about one task. Without events there is nothing to write.
type step struct {
	result Result
	last   record.Seq
	events []record.Payload
}

func (p *pass) once(ctx context.Context) ([]Result, error) {
	if err := p.read(ctx); err != nil {
		return nil, err
	}
	var results []Result
	var todo []step
	for _, id := range p.tasks() {
		st, err := p.step(ctx, id)
		switch {
		case err != nil:
			return nil, err
		case len(st.events) > 0:
			todo = append(todo, st)
		case p.wrote[id].Outcome != "":
			results = append(results, p.wrote[id])
		case st.result.Outcome != "":
			results = append(results, st.result)
		}
	}
	for part := range slices.Chunk(todo, chunk) {
		if err := p.write(ctx, part); err != nil {
			return nil, err
		}
		for _, st := range part {
			p.wrote[st.result.ID] = st.result
			results = append(results, st.result)
		}
	}
	results = append(results, p.clashed()...)
	slices.SortStableFunc(results, func(a, b Result) int { return compareIDs(a.ID, b.ID) })
	for i := range results {
		results[i].Changed = append([]string{}, results[i].Changed...)
	}
	return results, nil
}

// read gathers the carriers, opens the partition where nobody has, and looks
// at what the contracts lean on.
func (p *pass) read(ctx context.Context) error {
	src := p.Sources
	src.Log, src.Partition = p.Log, p.Partition
	r, err := truth.Gather(ctx, src)
	if err != nil {
		return err
	}
	if err := r.Read(ctx, p.named...); err != nil {
		return err
	}
	p.r = r
	if err := p.open(ctx); err != nil {
		return err
	}
	if p.corpus, err = readCorpus(ctx, src.Repo, r.Head); err != nil {
		return err
	}
	if p.held, err = r.Here(ctx, src.Repo, p.Log); err != nil {
		return err
	}
	if p.here, err = standing(ctx, src.Repo); err != nil {
		return err
	}
	if err := p.elsewhere(ctx); err != nil {
		return err
	}
	p.rings, p.folded = p.cycles(), folded(r.Tasks())
	return nil
}

// open writes the partition's first event, which says whose it is, and refuses
// the partition of another repository.
func (p *pass) open(ctx context.Context) error {
	b := p.r.Board
	if b.Root != "" { // truth has asked whether it is this repository's
		return nil
	}
	cond := record.Empty()
	if b.Events > 0 { // a landing that git holds may have been recorded before any mint
		cond = record.Always()
	}
	root, err := p.Sources.Repo.Root(ctx, p.r.Head)
	if err != nil {
		return fmt.Errorf("naming the repository by its first commit: %w", err)
	}
	e, err := p.event("", record.Source{Root: root})
	if err != nil {
		return err
	}
	if _, err := p.Log.Append(ctx, p.Partition, cond, e); err != nil {
		return fmt.Errorf("opening partition %s: %w", p.Partition, err)
	}
	failpoint.Hit(failpoint.MintOpened)
	b.Root = root
	return nil
}

// tasks lists what there is something to say about: the named ones, or all
// that have a contract anywhere or a place on the board.
func (p *pass) tasks() []string {
	ids := map[string]bool{}
	for _, id := range p.named {
		ids[id] = true
	}
	if len(p.named) == 0 {
		for _, id := range p.r.Tasks() {
			ids[id] = true
		}
		for id := range p.away {
			ids[id] = true
		}
	}
	return slices.SortedFunc(maps.Keys(ids), compareIDs)
}

// write appends one part of the tasks, the decisions that they bring first.
func (p *pass) write(ctx context.Context, part []step) error {
	cond := record.Always()
	var events []record.Event
	add := func(task string, payloads ...record.Payload) error {
		for _, payload := range payloads {
			e, err := p.event(task, payload)
			if err != nil {
				return fmt.Errorf("recording %s of %s: %w", payload.Kind(), task, err)
			}
			events = append(events, e)
		}
		return nil
	}
	if slices.ContainsFunc(part, step.mints) {
		if err := add("", p.corpus.news(p.r.Board, p.r.Head)...); err != nil {
			return err
		}
	}
	for _, st := range part {
		cond = cond.And(record.TaskAt(st.result.ID, st.last))
		if err := add(st.result.ID, st.events...); err != nil {
			return err
		}
	}
	if _, err := p.Log.Append(ctx, p.Partition, cond, events...); err != nil {
		if errors.Is(err, record.ErrMoved) {
			return err
		}
		return fmt.Errorf("appending to partition %s: %w", p.Partition, err)
	}
	failpoint.Hit(failpoint.MintPart)
	p.corpus.written()
	return nil
}

// mints reports whether a contract comes into force by the step.
func (st step) mints() bool { return st.result.Outcome != Withdrawn }

func (p *pass) event(task string, payload record.Payload) (record.Event, error) {
	return record.New(payload, p.Now(), record.Envelope{Task: task, Host: p.Host,
		Actor: record.Actor{Kind: record.ByMint, ID: p.By}})
}

// compareIDs puts T-2 before T-10: shorter numbers first, then by letters.
func compareIDs(a, b string) int {
	if len(a) != len(b) && prefix(a) == prefix(b) {
		return len(a) - len(b)
	}
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
