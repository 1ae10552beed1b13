package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"torve/internal/record"
	"torve/internal/view"
)

// How often a watched board is looked at though the record has not moved (files and git
// may have), and how often what runs is drawn anew.
const (
	lookEvery = 5 * time.Second
	drawEvery = time.Second
)

// watcher shows a board again whenever it changes, until its context ends.
type watcher struct {
	out    io.Writer
	live   bool // a terminal: drawn in place; else each new board is printed below the last
	rows   func() int
	now    func() time.Time
	style  func() view.Style
	look   func(context.Context) (view.StatusAnswer, record.Seq, error)       // the board, and the last event in it
	follow func(ctx context.Context, from record.Seq) (moved <-chan struct{}) // nil while there is no record

	board view.StatusAnswer
	moved <-chan struct{}
	last  []byte // the board last looked at, as its document
	said  string // the board last printed
}

// watchStatus follows the record and looks now and then; Ctrl-C is how it ends.
func (a *app) watchStatus(ctx context.Context, look func(context.Context) (view.StatusAnswer, record.Seq, error)) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	w := &watcher{
		out: a.out, live: isTerminal(a.out) && a.env("TERM") != "dumb", rows: func() int { return rowsOf(a.out) },
		now: a.now, style: a.style, look: look, follow: a.follow,
	}
	draw := time.NewTicker(drawEvery)
	defer draw.Stop()
	poll := time.NewTicker(lookEvery)
	defer poll.Stop()
	err := w.run(ctx, poll.C, draw.C)
	if errors.Is(err, syscall.EPIPE) || ctx.Err() != nil {
		return nil // whoever read it has gone, or has seen enough
	}
	return err
}

// follow tells when the record has moved on. Where there is none yet it is nil, and the
// next look asks again.
func (a *app) follow(ctx context.Context, from record.Seq) <-chan struct{} {
	if a.s == nil || a.s.log == nil {
		return nil
	}
	moved := make(chan struct{}, 1)
	log, partition := a.s.log, a.s.named.partition
	go func() {
		for _, err := range log.Watch(ctx, partition, from) {
			if err != nil {
				return // the next look says what is wrong
			}
			select {
			case moved <- struct{}{}:
			default: // a look is due already
			}
		}
	}()
	return moved
}

// run looks, and shows what it sees, until the context ends.
func (w *watcher) run(ctx context.Context, poll, draw <-chan time.Time) error {
	if err := w.see(ctx); err != nil {
		return err
	}
	if w.live {
		fmt.Fprint(w.out, enter)
		defer w.leave()
	}
	for {
		if err := w.show(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-draw:
			continue
		case <-w.moved:
		case <-poll:
		}
		if err := w.see(ctx); err != nil {
			return err
		}
	}
}

// see looks at the board, and follows the record from there on.
func (w *watcher) see(ctx context.Context) error {
	board, seq, err := w.look(ctx)
	if err != nil {
		return err
	}
	w.board = board
	if w.moved == nil {
		w.moved = w.follow(ctx, seq+1)
	}
	return nil
}

// show draws the board in place, or prints it where it is another than was printed last.
func (w *watcher) show() error {
	if !w.live {
		doc, err := json.Marshal(w.board)
		if err != nil || bytes.Equal(doc, w.last) {
			return err
		}
		w.last = doc
		var text bytes.Buffer
		if err := w.board.Text(&text, w.style()); err != nil || text.String() == w.said {
			return err // what changed is nothing that people read
		}
		if w.said != "" {
			fmt.Fprintln(w.out)
		}
		w.said = text.String()
		_, err = text.WriteTo(w.out)
		return err
	}
	var b strings.Builder
	if err := w.board.At(w.now()).Text(&b, w.style()); err != nil {
		return err
	}
	_, err := io.WriteString(w.out, w.style().Print(frame(b.String(), w.rows())))
	return err
}

// The other screen of a terminal, so that what stood on it is there again afterwards.
const (
	enter = "\x1b[?1049h\x1b[?25l"
	leave = "\x1b[?25h\x1b[?1049l"
)

// frame is a text drawn from the top of a screen of so many rows, each line cleared behind
// itself and the rest of the screen too. What has no room is left out above the last two
// lines, which say what the day came to and what is next.
func frame(text string, rows int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if most := rows - 1; rows > 4 && len(lines) > most {
		lines = append(append(lines[:most-3:most-3], "…"), lines[len(lines)-2:]...)
	}
	return "\x1b[H" + strings.Join(lines, "\x1b[K\r\n") + "\x1b[K\r\n\x1b[J"
}

// leave gives the terminal back, and leaves the last board on it.
func (w *watcher) leave() {
	fmt.Fprint(w.out, leave)
	_ = w.board.At(w.now()).Text(w.out, w.style()) // the terminal may be gone
}

// rowsOf is how many rows a terminal has; 0 where it does not say.
func rowsOf(out io.Writer) int {
	f, ok := out.(*os.File)
	if !ok {
		return 0
	}
	_, rows, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return rows
}
