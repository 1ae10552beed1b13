package landing

import (
	"context"
	"errors"
	"fmt"

	"torve/internal/failpoint"
	"torve/internal/git"
)

// push moves the remote's branch if it is still where it was just fetched. Whether it
// moved, was lost to another, or was refused is asked of the remote and not of the
// words of the push.
func (s *Station) push(ctx context.Context, l landable) (b *Blocked, moved bool, err error) {
	lease := "--force-with-lease=" + s.branch() + ":" + l.onto
	_, refused := s.Repo.Run(ctx, "push", "--quiet", "--no-verify", lease, s.Push, l.commit+":"+s.branch())
	if refused == nil {
		failpoint.Hit(failpoint.LandingPushed)
		return nil, false, nil
	}
	head, err := s.head(ctx)
	switch {
	case err != nil:
		return nil, false, errors.Join(refused, err)
	case head == l.commit: // it arrived, and the answer was lost
		return nil, false, nil
	case head != l.onto:
		return nil, true, nil
	}
	return &Blocked{
		Why:      fmt.Sprintf("%s refuses the push to %s: %s", s.Push, s.Target, said(refused)),
		Next:     "torve requeue " + l.task,
		Escalate: "push_refused",
	}, false, nil
}

// said is git's own words where it has any.
func said(err error) string {
	var fault *git.Fault
	if errors.As(err, &fault) && fault.Words != "" {
		return fault.Words
	}
	return err.Error()
}
