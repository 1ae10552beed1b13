package dispatch

import (
	"context"
	"fmt"
	"time"
)

// ailing is how long a watch goes on although the carriers cannot be read: a remote that
// is out of reach comes back, a repository that is gone does not.
const ailing = time.Hour

// pass brings a watch up to date with another head: it mints what was committed, and
// appends what landed in git. Whatever the mint pass says again is not said again.
func (r *run) pass(ctx context.Context) {
	if !r.Options.Watch || r.err != nil || r.stopping(ctx) || r.closed() {
		return
	}
	head, err := r.head(ctx)
	if err == nil && head != r.passed {
		err = r.renew(ctx)
	}
	if err != nil {
		r.trouble(ctx, err)
		return
	}
	r.passed = head
}

func (r *run) renew(ctx context.Context) error {
	minted := false
	if r.Mint != nil {
		var err error
		if minted, err = r.mint(ctx); err != nil {
			return err
		}
	}
	rd, err := r.gather(ctx)
	if err != nil {
		return err
	}
	if rd, err = r.mendRecord(ctx, rd); err != nil {
		return err
	}
	if minted {
		r.begin(rd)
	}
	return nil
}

// head is the target's head as it is now.
func (r *run) head(ctx context.Context) (string, error) {
	if r.Head != nil {
		return r.Head(ctx)
	}
	rd, err := r.gather(ctx)
	if err != nil {
		return "", err
	}
	return rd.Head, nil
}

// trouble takes in what kept the run from reading or writing the carriers. It ends a run;
// a watch says it once and tries again, for an hour.
func (r *run) trouble(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	now := r.Now()
	switch {
	case !r.Options.Watch || !r.ill.IsZero() && now.Sub(r.ill) > ailing:
		r.err = err
		return
	case r.ill.IsZero():
		r.ill = now
	}
	r.once("trouble "+err.Error(), Note{Kind: "warn", Text: fmt.Sprintf("%v; it is tried again for %s", err, ailing)})
}
