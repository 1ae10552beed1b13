package process

import (
	"context"
	"time"
)

// watch waits until the program has exited or one of its limits is reached.
func (r *run) watch(ctx context.Context) End {
	limit, stopLimit := after(r.cmd.Limit)
	defer stopLimit()
	idle, stopIdle := after(r.cmd.Idle)
	defer func() { stopIdle() }()
	var final <-chan time.Time
	stopFinal := func() {}
	defer func() { stopFinal() }()
	for {
		end := Exited
		select {
		case <-r.exited:
			return Exited
		case <-ctx.Done():
			end = Cancelled
		case <-limit:
			end = TimedOut
		case <-idle:
			if rest := r.cmd.Idle - r.output.silence(); rest > 0 {
				idle, stopIdle = after(rest)
				continue
			}
			end = WentIdle
		case <-r.output.word:
			final, stopFinal = after(r.cmd.Grace)
			continue
		case <-final:
			if !r.output.said.Load() { // it went on after all
				final = nil
				continue
			}
			end = Finished
		}
		return r.unless(end)
	}
}

// unless prefers the program's own exit to a limit that came at the same time.
func (r *run) unless(end End) End {
	if within(r.exited, 0) {
		return Exited
	}
	return end
}

// after is a timer's channel; that of no limit never fires.
func after(limit time.Duration) (<-chan time.Time, func()) {
	if limit <= 0 {
		return nil, func() {}
	}
	timer := time.NewTimer(limit)
	return timer.C, func() { timer.Stop() }
}
