package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interrupts makes the first Ctrl-C close stop and the second end the context. A terminal
// that closes asks for no second one: what runs is stopped, its tree kept. Where a hangup
// was to be ignored when torve was started (nohup), it is.
func interrupts(ctx context.Context, p *progress) (<-chan struct{}, context.Context, func()) {
	stop := make(chan struct{})
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	finished := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			var got os.Signal
			select {
			case <-finished:
				return
			case got = <-signals:
			}
			if n == 0 {
				close(stop)
			}
			if n > 0 || got == syscall.SIGHUP {
				cancel()
				continue
			}
			p.warn("starting nothing more" + p.stillRuns())
		}
	}()
	return stop, ctx, func() { signal.Stop(signals); close(finished); cancel() }
}
