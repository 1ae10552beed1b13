package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"torve/internal/view"
	"torve/internal/village"
)

// follower lets the valley live on before somebody's eyes.
type follower struct {
	out     io.Writer
	valley  *village.Roster
	style   func() view.Style
	rows    func() int
	frames  <-chan time.Time // when the next picture is due; nil: at once
	by      int              // ticks from a picture to the next
	until   int
	inPlace bool
}

// followWorld shows it until it is there, or nobody looks any more: that is no fault.
func (a *app) followWorld(ctx context.Context, r *village.Roster, f worldFlags) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := a.liveTo(ctx, r, f.at)
	if err == nil {
		w := &follower{out: a.out, valley: r, style: a.style, rows: func() int { return rowsOf(a.out) }, by: f.speed, until: f.until, inPlace: a.onTerminal()}
		if w.inPlace {
			frames := time.NewTicker(worldFrame)
			defer frames.Stop()
			w.frames = frames.C
			err = w.live(ctx)
		} else {
			err = w.print(ctx)
		}
	}
	if errors.Is(err, syscall.EPIPE) || ctx.Err() != nil {
		return nil
	}
	return err
}

// live draws in place, a picture a frame, and leaves the last one on the terminal.
func (w *follower) live(ctx context.Context) (err error) {
	fmt.Fprint(w.out, enter)
	defer func() {
		fmt.Fprint(w.out, leave)
		if err == nil {
			err = w.last()
		}
	}()
	for {
		if err := w.draw(); err != nil || w.valley.Tick() >= w.until {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-w.frames:
		}
		if err := w.valley.Run(min(w.valley.Tick()+w.by, w.until)); err != nil {
			return broken("living on", "", err)
		}
	}
}

// draw puts the present picture on the screen.
func (w *follower) draw() error {
	v := view.ValleyOf(w.valley)
	v.Next = fmt.Sprintf("%d ticks a second; Ctrl-C ends it", w.by*int(time.Second/worldFrame))
	var b strings.Builder
	if err := v.Text(&b, w.style()); err != nil {
		return err
	}
	_, err := io.WriteString(w.out, w.style().Print(frame(b.String(), w.rows())))
	return err
}

// print writes a picture for each hour of the world, one below the other.
func (w *follower) print(ctx context.Context) error {
	for w.valley.Tick() < w.until {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := view.ValleyOf(w.valley).Text(w.out, w.style()); err != nil {
			return err
		}
		fmt.Fprintln(w.out)
		hour := (w.valley.Tick()/worldHour + 1) * worldHour
		if err := w.valley.Run(min(hour, w.until)); err != nil {
			return broken("living on", "", err)
		}
	}
	return w.last()
}

// last is the picture that stays.
func (w *follower) last() error {
	return still(w.valley, fmt.Sprintf("torve world --at %d", w.valley.Tick())).Text(w.out, w.style())
}
