package process

import (
	"context"
	"time"
)

// watch waits until the program has exited or one of its limits is reached.
func (r *run) watch(ctx context.Context) End {
	limit, stopLimit := after(r.cmd.Limit)
	defer stopLimit()
	idle, stopIdle := r.quiet()
	defer stopIdle()
	end := Exited
	select {
	case <-r.exited:
	case <-ctx.Done():
		end = Cancelled
	case <-limit:
		end = TimedOut
	case <-idle:
		end = WentIdle
	case <-r.output.final:
		if !within(r.exited, r.cmd.Grace) {
			end = Finished
		}
	}
	if within(r.exited, 0) { // it was quicker than the limit
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

// quiet gives a channel that is closed once nothing was printed for the idle limit.
func (r *run) quiet() (<-chan struct{}, func()) {
	if r.cmd.Idle <= 0 {
		return nil, func() {}
	}
	idle, stop := make(chan struct{}), make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			rest := r.cmd.Idle - r.output.silence(r.began)
			if rest <= 0 {
				close(idle)
				return
			}
			if within(stop, rest) {
				return
			}
		}
	}()
	return idle, func() { close(stop); <-stopped }
}
