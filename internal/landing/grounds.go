package landing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"torve/internal/git"
	"torve/internal/seam"
	"torve/internal/workload"
)

// grounds is why a tree may land: the gate's yes when due, or a person's word. There
// is no third, and nothing moves the target without one.
type grounds interface {
	tree() string // G: what lands without its landing file
}

// judged is the gate's yes when due; accepted alone makes one.
type judged struct{ g string }

func (j judged) tree() string { return j.g }

// attested is a person's word for work that is on the target's line already; Attest
// alone makes one.
type attested struct {
	person git.Person
	sha    string
	g      string
}

func (a attested) tree() string { return a.g }

// accepted is the yes of an answer that was given when due, about that head, with the
// tree it was given for.
func accepted(j workload.Judged, head string) (judged, bool) {
	if !j.Verdict.OK || j.Moment != "due" || j.Tree == "" || j.Head != head {
		return judged{}, false
	}
	return judged{g: j.Tree}, true
}

// unanswered is a due answer that is neither a yes about this head nor a no.
func unanswered(j workload.Judged, head string) error {
	if j.Verdict.OK {
		return fmt.Errorf("the gate said yes %s about tree %q at %.7s, and it was asked when due at %.7s", j.Moment, j.Tree, j.Head, head)
	}
	if j.Verdict == (seam.Verdict{}) {
		return errors.New("the gate gave no answer")
	}
	return nil
}

// landable is what may become the target's head.
type landable struct {
	grounds grounds
	task    string
	attempt int
	digest  string
	base    string // what the attempt was cut from
	parent  string // W's
	work    string // W, or the attested commit
	commit  string // M, or the commit of an attestation's landing file
	onto    string // the head it lands on
	path    string // its one new file
	at      time.Time
}

// sound asks that the landed tree without its one new landing file is the tree that
// was judged, and that the file is new.
func (s *Station) sound(ctx context.Context, l landable) error {
	if _, err := s.Repo.Entry(ctx, l.onto, l.path); err == nil {
		return fmt.Errorf("%s is there already", l.path)
	} else if !errors.Is(err, git.ErrNotFound) {
		return err
	}
	tree, err := s.Repo.TreeID(ctx, l.commit)
	if err != nil {
		return err
	}
	without, err := s.Repo.EditTree(ctx, tree, git.Edit{Path: l.path})
	if err != nil {
		return err
	}
	if without != l.grounds.tree() {
		return fmt.Errorf("%w: what would land is %.7s without its landing file, and %.7s was judged", errUnlike, without, l.grounds.tree())
	}
	if without == tree {
		return fmt.Errorf("what would land holds no %s", l.path)
	}
	return nil
}
