package record

import (
	"bytes"
	"fmt"
	"iter"
)

// Stored is one row as a store holds it: the body as bytes, and what the store keeps
// beside it to find it by.
type Stored struct {
	Seq        Seq
	Prev, Hash string
	Body       []byte
	ID, Task   string // the columns beside the body
	Kind       Kind
	Claim      string
}

// Broken is one of the invariants R1 to R7, broken at a seq (0: at no single event).
type Broken struct {
	Rule string
	Seq  Seq
	Why  string
}

// Error names the rule and the place.
func (b *Broken) Error() string {
	if b.Seq == 0 {
		return fmt.Sprintf("%s is broken: %s", b.Rule, b.Why)
	}
	return fmt.Sprintf("%s is broken at event %d: %s", b.Rule, b.Seq, b.Why)
}

// CheckEvents asks of a whole partition, from its first row on, what can be asked of
// the rows alone: R2 to R6, and R7 of the tables beside them. The first fault is a
// *Broken; an error of the rows comes back as it is. What keeps a store append-only (R1)
// is the driver's to ask.
func CheckEvents(rows iter.Seq2[Stored, error], beside Beside) error {
	c := checker{open: map[string]string{}, ledger: auditing(&beside.Ledger)}
	for row, err := range rows {
		if err != nil {
			return err
		}
		if err := c.ask(row); err != nil {
			return err
		}
	}
	if c.last == 0 {
		return beside.bench()
	}
	if err := c.ledger.end(); err != nil {
		return err
	}
	return beside.forgets()
}

// chain is how far a partition was asked of R2 and R3.
type chain struct {
	last Seq
	hash string
}

// link asks that a row is the next, and goes on to it.
func (c *chain) link(row Stored) error {
	if row.Seq != c.last+1 {
		return &Broken{"R2", row.Seq, fmt.Sprintf("it follows event %d", c.last)}
	}
	if c.last == 0 && row.Prev != "" {
		return &Broken{"R3", row.Seq, fmt.Sprintf("it names %.7q as the hash before it, and it is the first", row.Prev)}
	}
	if err := row.Follows(c.hash); err != nil {
		return err
	}
	c.last, c.hash = row.Seq, row.Hash
	return nil
}

type checker struct {
	chain
	open   map[string]string // task → its open claim
	ledger audited
}

func (c *checker) ask(row Stored) error {
	if err := c.link(row); err != nil {
		return err
	}
	e, p, err := row.event()
	return c.means(e, p, err)
}

// means asks R4 to R7 of an event as it was read, or says why it does not read (R6).
func (c *checker) means(e Event, p Payload, err error) error {
	broken := func(rule, format string, args ...any) error {
		return &Broken{rule, c.last, fmt.Sprintf(format, args...)}
	}
	if err != nil {
		return broken("R6", "%v", err)
	}
	if !c.claims(e) {
		return broken("R4", "%s has the open claim %s, and %s claims it", e.Task, c.open[e.Task], e.Claim)
	}
	if l, is := p.(Landed); is {
		if err := l.names(e.Task, e.Attempt); err != nil {
			return broken("R5", "%v", err)
		}
	}
	return c.ledger.ask(c.last, p)
}

// claims follows the claims of a task, and is false when one opens while another is open.
func (c *checker) claims(e Event) bool {
	switch {
	case e.Kind == KindClaimed:
		if c.open[e.Task] != "" {
			return false
		}
		c.open[e.Task] = e.Claim
	case e.Kind == KindReleased && c.open[e.Task] == e.Claim:
		delete(c.open, e.Task)
	}
	return true
}

// event reads a row as R6 wants it: the body is canonical, the columns beside it say
// the same, and the payload decodes.
func (row Stored) event() (Event, Payload, error) {
	e, err := ParseBody(row.Body)
	if err != nil {
		return e, nil, err
	}
	e.Seq = row.Seq
	if again, err := e.Body(); err != nil || !bytes.Equal(again, row.Body) {
		return e, nil, fmt.Errorf("its body is not in the canonical form")
	}
	if err := row.Says(e); err != nil {
		return e, nil, err
	}
	p, err := Decode(e)
	return e, p, err
}

// Says asks that the columns beside a body say what the body, read as e, says (R6): a store
// finds by the ones, and people read the other.
func (row Stored) Says(e Event) error {
	if e.ID != row.ID || e.Kind != row.Kind || e.Task != row.Task || e.Claim != row.Claim {
		return fmt.Errorf("the store finds it as %s %s %s, and its body is %s %s %s",
			row.ID, row.Kind, row.Task, e.ID, e.Kind, e.Task)
	}
	return nil
}

// Follows asks that the row's hash is its own, and that it follows the event of the given
// hash (R3); "" where that is not known.
func (row Stored) Follows(hash string) error {
	if hash != "" && row.Prev != hash {
		return &Broken{"R3", row.Seq, fmt.Sprintf("it names %.7q as the hash before it, which is %.7q", row.Prev, hash)}
	}
	if want := HashOf(row.Prev, row.Seq, row.Body); row.Hash != want {
		return &Broken{"R3", row.Seq, fmt.Sprintf("its hash is %.7q, and its body's is %.7q", row.Hash, want)}
	}
	return nil
}
