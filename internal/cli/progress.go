package cli

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"torve/internal/attempt"
	"torve/internal/dispatch"
)

// progress prints what happens while a run lasts: lines that stay, on stdout, and
// on a terminal one live line with the elapsed time, on stderr.
type progress struct {
	a      *app
	mu     sync.Mutex
	active map[string]running // by task
	said   map[string]string  // the last refusal of a task; dispatch notes come one at a time
	drawn  bool
	done   chan struct{}
	once   sync.Once
	live   bool
}

type running struct {
	text  string
	since time.Time
}

func newProgress(a *app) *progress {
	p := &progress{a: a, active: map[string]running{}, said: map[string]string{}, done: make(chan struct{})}
	p.live = isTerminal(a.err) && !a.quiet && !a.json
	if p.live {
		go p.tick()
	}
	return p
}

func (p *progress) tick() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-t.C:
			p.mu.Lock()
			p.draw()
			p.mu.Unlock()
		}
	}
}

// draw writes the live line; the lock is held.
func (p *progress) draw() {
	var parts []string
	for task, r := range p.active {
		e := p.a.now().Sub(r.since)
		parts = append(parts, fmt.Sprintf("%s %s %d:%02d", task, r.text, int(e.Minutes()), int(e.Seconds())%60))
	}
	if len(parts) == 0 {
		return
	}
	fmt.Fprintf(p.a.err, "\r\x1b[K%s", cut(strings.Join(parts, " · "), 79))
	p.drawn = true
}

// clear takes the live line away; the lock is held.
func (p *progress) clear() {
	if p.drawn {
		fmt.Fprint(p.a.err, "\r\x1b[K")
		p.drawn = false
	}
}

func (p *progress) close() {
	p.once.Do(func() {
		close(p.done)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.clear()
		p.live = false
	})
}

func (p *progress) line(kind, task, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	if kind == "" {
		p.a.say("%s", text)
		return
	}
	p.a.say("%s", wrap(fmt.Sprintf("%-9s %s", kind, strings.TrimSpace(task+"  "+text)), 80, 18))
}

func (p *progress) set(task, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if text == "" {
		delete(p.active, task)
		return
	}
	p.active[task] = running{text, p.a.now()}
}

// attempt takes an attempt's notes.
func (p *progress) attempt(n attempt.Note) {
	switch n.Kind {
	case "base":
		p.line("base", "", n.Text)
	case "warn":
		p.mu.Lock()
		p.clear()
		p.a.warn("%s", strings.TrimSpace(n.Task+" "+n.Text))
		p.mu.Unlock()
	default:
		p.set(n.Task, n.Text)
		if p.a.verbose {
			p.line(n.Kind, n.Task, n.Text)
		}
	}
}

// dispatch takes a run's notes.
func (p *progress) dispatch(n dispatch.Note) {
	switch n.Kind {
	case "worst", "minted":
		p.line("", n.Task, n.Text)
	case "warn":
		p.mu.Lock()
		p.clear()
		p.a.warn("%s", strings.TrimSpace(n.Task+" "+n.Text))
		p.mu.Unlock()
	case "started":
		p.set(n.Task, n.Text)
	case "refused":
		p.set(n.Task, "")
		p.said[n.Task] = n.Text
		p.line(n.Kind, n.Task, n.Text)
	case "escalated": // the refusal that led to it has said why
		p.set(n.Task, "")
		if _, why, _ := strings.Cut(n.Text, ": "); why == "" || !strings.HasSuffix(p.said[n.Task], why) {
			p.line("needs you", n.Task, n.Text)
		}
	case "landed":
		p.set(n.Task, "")
		p.line(n.Kind, n.Task, n.Text+landedWith(n.Out))
	default:
		p.set(n.Task, "")
		p.line(n.Kind, n.Task, n.Text)
	}
}

// landedWith says what a landing came to: its checks, its time and its cost.
func landedWith(o dispatch.Outcome) string {
	if o.ID == "" {
		return ""
	}
	return fmt.Sprintf("   6 of 6   %s   %s", took(time.Duration(o.Seconds*float64(time.Second))), cost(o))
}

// at gives what the gate ran on the tree that a head is.
func (p *passed) at(head string) []ranLine {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []ranLine
	for _, r := range p.runs[head] {
		out = append(out, ranLine{r.Line, r.Why})
	}
	return out
}

type ranLine struct{ line, why string }
