package record

// Cond is what must hold inside the insert's transaction; see the makers below.
// Several may be joined with And.
type Cond struct {
	tasks   []taskAt
	holding []holding
	claims  *Seq
	empty   bool
}

type taskAt struct {
	Task string
	Seq  Seq
}

type holding struct{ Task, Claim string }

// Always holds.
func Always() Cond { return Cond{} }

// TaskAt holds while the task's last event is the one at seq (0: it has none).
func TaskAt(task string, seq Seq) Cond { return Cond{tasks: []taskAt{{task, seq}}} }

// Holding holds while that claim of the task is open.
func Holding(task, claim string) Cond { return Cond{holding: []holding{{task, claim}}} }

// ClaimsAt holds while no claim, release or mint has come after seq.
func ClaimsAt(seq Seq) Cond { return Cond{claims: &seq} }

// Empty holds while the partition has no event.
func Empty() Cond { return Cond{empty: true} }

// And joins two conditions: both must hold.
func (c Cond) And(d Cond) Cond {
	c.tasks = append(c.tasks[:len(c.tasks):len(c.tasks)], d.tasks...)
	c.holding = append(c.holding[:len(c.holding):len(c.holding)], d.holding...)
	if d.claims != nil && (c.claims == nil || *d.claims < *c.claims) {
		c.claims = d.claims
	}
	c.empty = c.empty || d.empty
	return c
}

// Tasks lists the tasks that the condition asks about, so that a driver may read what it
// will ask at once.
func (c Cond) Tasks() []string {
	var tasks []string
	for _, t := range c.tasks {
		tasks = append(tasks, t.Task)
	}
	for _, h := range c.holding {
		tasks = append(tasks, h.Task)
	}
	return tasks
}

// Facts is what a driver can say of a partition inside a transaction; it is all
// that a condition may ask.
type Facts interface {
	LastOf(task string) (Seq, error)              // 0: none
	OpenClaim(task string) (id string, err error) // "": none
	LastClaimsMove() (Seq, error)                 // of the kinds in MovesClaims; 0: none
	Len() (Seq, error)
}

// Holds asks the condition of the facts: nil, ErrMoved, or the store's error.
func (c Cond) Holds(f Facts) error {
	for _, t := range c.tasks {
		if at, err := f.LastOf(t.Task); err != nil || at != t.Seq {
			return moved(err)
		}
	}
	for _, h := range c.holding {
		if id, err := f.OpenClaim(h.Task); err != nil || id != h.Claim || id == "" {
			return moved(err)
		}
	}
	if c.claims != nil {
		if at, err := f.LastClaimsMove(); err != nil || at > *c.claims {
			return moved(err)
		}
	}
	if c.empty {
		if n, err := f.Len(); err != nil || n != 0 {
			return moved(err)
		}
	}
	return nil
}

// Open asks R4 before a write: an event that claims a task whose claim is open is ErrMoved.
func Open(f Facts, e Event) error {
	if e.Kind != KindClaimed {
		return nil
	}
	if id, err := f.OpenClaim(e.Task); err != nil || id != "" {
		return moved(err)
	}
	return nil
}

func moved(err error) error {
	if err != nil {
		return err
	}
	return ErrMoved
}
