package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interrupts makes the first Ctrl-C close stop and the second end the context.
func interrupts(ctx context.Context, p *progress) (<-chan struct{}, context.Context, func()) {
	stop := make(chan struct{})
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	finished := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			select {
			case <-finished:
				return
			case <-signals:
			}
			if n == 0 {
				close(stop)
				p.warn("starting nothing more" + p.stillRuns())
			} else {
				cancel()
			}
		}
	}()
	return stop, ctx, func() { signal.Stop(signals); close(finished); cancel() }
}
