package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"torve/internal/record"
	"torve/internal/view"
)

// boards are what a watcher sees, one a look; after the last it stays.
func boards(counts ...int) func(context.Context) (view.StatusAnswer, record.Seq, error) {
	at := 0
	return func(context.Context) (view.StatusAnswer, record.Seq, error) {
		n := counts[min(at, len(counts)-1)]
		at++
		return view.StatusAnswer{Counts: map[string]int{"landed": n}, Faults: []view.Fault{{Error: strings.Repeat("x", n)}}}, record.Seq(at), nil
	}
}

// watched runs a watcher over looks and draws, and gives what it wrote.
func watched(t *testing.T, live bool, rows int, look func(context.Context) (view.StatusAnswer, record.Seq, error), looks, draws int) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	poll, draw, done := make(chan time.Time), make(chan time.Time), make(chan error)
	var out bytes.Buffer
	var from []record.Seq
	w := &watcher{
		out: &out, live: live, rows: func() int { return rows }, now: noon, style: func() view.Style { return view.Style{Width: 80} }, look: look,
		follow: func(_ context.Context, seq record.Seq) <-chan struct{} { from = append(from, seq); return nil },
	}
	go func() { done <- w.run(ctx, poll, draw) }()
	for range looks {
		poll <- noon()
	}
	for range draws {
		draw <- noon()
	}
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if len(from) != looks+1 || from[0] != 2 {
		t.Errorf("where there is no record yet each look asks for it anew: %v", from)
	}
	return out.String()
}

func TestABoardIsPrintedAgainOnlyWhenItIsAnotherWhereThereIsNoTerminal(t *testing.T) {
	out := watched(t, false, 0, boards(1, 1, 1, 2, 2, 3), 6, 3)
	if n := strings.Count(out, "broken (1)"); n != 3 || strings.Contains(out, "\x1b") {
		t.Errorf("%d boards in %q", n, out)
	}
}

func TestABoardThatReadsTheSameIsNotPrintedAgain(t *testing.T) {
	at := 0
	out := watched(t, false, 0, func(context.Context) (view.StatusAnswer, record.Seq, error) {
		at++
		return view.StatusAnswer{Tasks: []view.Row{{ID: "T-0001", State: "queued", Host: strings.Repeat("h", at)}}}, record.Seq(at), nil
	}, 3, 0)
	if n := strings.Count(out, "next (1)"); n != 1 {
		t.Errorf("%d boards in %q", n, out)
	}
}

func TestATerminalIsDrawnInPlaceAndGivenBack(t *testing.T) {
	out := watched(t, true, 40, boards(1, 2), 1, 2)
	begin, rest, _ := strings.Cut(out, leave)
	if !strings.HasPrefix(begin, enter) || strings.Count(begin, "\x1b[H") < 2 || strings.Count(out, enter) != 1 || strings.Contains(rest, "\x1b") || !strings.Contains(rest, "broken (1)") {
		t.Errorf("%q", out)
	}
}

func TestAFrameHasNoMoreLinesThanTheScreen(t *testing.T) {
	text := strings.Repeat("line\n", 30) + "9 attempts today\nnext: torve status\n"
	for _, rows := range []int{10, 24, 32, 33, 34, 80} {
		drawn := strings.TrimSuffix(strings.TrimPrefix(frame(text, rows), "\x1b[H"), "\x1b[J")
		lines := strings.Split(strings.TrimSuffix(drawn, "\r\n"), "\r\n")
		if len(lines) > rows-1 || !strings.HasPrefix(lines[len(lines)-1], "next: ") || (rows < 33) != strings.Contains(drawn, "…") {
			t.Errorf("%d rows: %d lines, %q", rows, len(lines), drawn)
		}
		for _, l := range lines {
			if !strings.HasSuffix(l, "\x1b[K") {
				t.Errorf("%q leaves what stood behind it", l)
			}
		}
	}
	if got := frame(text, 0); strings.Count(got, "\r\n") != 32 {
		t.Errorf("a terminal that does not say its size: %q", got)
	}
}

func TestAWatchThatCannotLookAnyMoreSaysSoAndGivesTheTerminalBack(t *testing.T) {
	var out bytes.Buffer
	broke := errors.New("the record is damaged")
	n := 0
	w := &watcher{out: &out, live: true, rows: func() int { return 24 }, now: noon, style: func() view.Style { return view.Style{} },
		look: func(context.Context) (view.StatusAnswer, record.Seq, error) {
			if n++; n > 1 {
				return view.StatusAnswer{}, 0, broke
			}
			return view.StatusAnswer{}, 0, nil
		}, follow: func(context.Context, record.Seq) <-chan struct{} {
			moved := make(chan struct{}, 1)
			moved <- struct{}{}
			return moved
		}}
	if err := w.run(t.Context(), nil, nil); !errors.Is(err, broke) || !strings.Contains(out.String(), leave) {
		t.Errorf("%v, %q", err, out.String())
	}
}
