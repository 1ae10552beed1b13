package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"torve/internal/attempt"
	"torve/internal/dispatch"
	"torve/internal/view"
)

// progress prints what happens while a run lasts: lines that stay, on stdout, and
// on a terminal one live line with the elapsed time, on stderr.
type progress struct {
	a      *app
	mu     sync.Mutex
	active map[string]running // by task
	said   map[string]string  // the last refusal of a task; dispatch notes come one at a time
	drawn  bool
	based  bool // the base of this run was told
	begun  bool // what holds for the whole run was told
	done   chan struct{}
	once   sync.Once
	live   bool
}

type running struct {
	text  string
	since time.Time
	limit time.Duration // how long its agent may take; 0: no limit, or not an agent's run
	began time.Time     // when that began
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
	for _, task := range slices.Sorted(maps.Keys(p.active)) {
		r := p.active[task]
		e := p.a.now().Sub(r.since)
		parts = append(parts, fmt.Sprintf("%s %s %d:%02d", task, r.text, int(e.Minutes()), int(e.Seconds())%60))
	}
	if len(parts) == 0 {
		return
	}
	s := p.a.style()
	fmt.Fprintf(p.a.err, "\r\x1b[K%s", s.Print(s.Cut(strings.Join(parts, " · "), s.Width-1)))
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

// line prints a line that stays.
func (p *progress) line(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.a.say("%s", text)
}

// about prints what became of a task.
func (p *progress) about(word, task, text string) {
	p.line(p.a.labelled(word, task, text))
}

func (p *progress) warn(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.a.warn("%s", text)
}

func (p *progress) set(task string, r running) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.text == "" {
		delete(p.active, task)
		return
	}
	r.since = p.a.now()
	if r.began = r.since; r.limit == 0 {
		r.limit, r.began = p.active[task].limit, p.active[task].began
	}
	p.active[task] = r
}

// stillRuns says what the first Ctrl-C lets finish; empty where nothing runs.
func (p *progress) stillRuns() string {
	p.mu.Lock()
	n := len(p.active)
	p.mu.Unlock()
	if n == 0 {
		return ""
	}
	return "; what runs may finish" + p.atMost() + ". Ctrl-C again stops it, its tree kept"
}

// atMost says how long what runs may take: the longest that an agent has left, in whole
// minutes.
func (p *progress) atMost() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var most time.Duration
	for _, r := range p.active {
		if r.limit > 0 {
			most = max(most, r.limit-p.a.now().Sub(r.began))
		}
	}
	if most <= 0 {
		return ""
	}
	return ", at most " + view.Took((most + time.Minute - 1).Truncate(time.Minute)) + " an agent"
}

// attempt takes an attempt's notes.
func (p *progress) attempt(n attempt.Note) {
	switch n.Kind {
	case "base": // of the first head; the later ones are told where they are red
		p.mu.Lock()
		told := p.based
		p.based = true
		p.mu.Unlock()
		if !told || p.a.verbose {
			p.line(p.a.labelled("base", "", n.Text))
		}
	case "warn":
		p.warn(strings.TrimSpace(n.Task + " " + n.Text))
	case "flaky":
		p.about(n.Kind, n.Task, n.Text)
	default:
		if n.Kind != "started" { // dispatch has said it, and more
			p.set(n.Task, running{text: n.Text})
		}
		if p.a.verbose {
			p.about(n.Kind, n.Task, n.Text)
		}
	}
}

// dispatch takes a run's notes.
func (p *progress) dispatch(n dispatch.Note) {
	if !n.Until.IsZero() {
		n.Text += ", until " + p.a.style().Until(n.Until, p.a.now())
	}
	switch n.Kind {
	case "minted": // as mint printed it
		p.line(n.Text)
		return
	case "warn":
		p.warn(strings.TrimSpace(n.Task + " " + n.Text))
		return
	case "started":
		p.set(n.Task, running{text: n.Text, limit: n.Limit})
		return
	}
	p.set(n.Task, running{})
	switch n.Kind {
	case "refused":
		p.said[n.Task] = n.Text
	case "escalated": // the refusal that led to it has said why
		if _, why, _ := strings.Cut(n.Text, ": "); why != "" && strings.HasSuffix(p.said[n.Task], why) {
			return
		}
		reason, detail, _ := strings.Cut(n.Text, ": ")
		n.Kind, n.Text = "needs you", strings.ReplaceAll(reason, "_", " ")+": "+detail
	case "landed":
		p.line(p.a.labelled(n.Kind, n.Task, n.Text) + landedWith(n.Out))
		return
	case "waits": // a red base is one fact of the run
		if p.said[""] == n.Text {
			return
		}
		p.said[""] = n.Text
	case "ready":
		n.Kind = "accepted"
	}
	p.about(n.Kind, n.Task, n.Text)
}

// landedWith says what a landing came to: its checks, its time and its cost; of work
// that was kept and asked again that no agent ran.
func landedWith(o dispatch.Outcome) string {
	switch {
	case o.ID == "":
		return ""
	case o.Attempts == 0:
		return "   6 of 6   no agent was needed"
	}
	return fmt.Sprintf("   6 of 6   %s   %s", lasted(o), first(cost(o), "cost unknown"))
}

// lasted is how long the agents of a task ran; unknown is said and never zero.
func lasted(o dispatch.Outcome) string {
	if o.Seconds == nil {
		return "time unknown"
	}
	return view.Took(time.Duration(*o.Seconds * float64(time.Second)))
}

// cost is what a task of this run cost; unknown is said and never zero.
func cost(o dispatch.Outcome) string {
	switch {
	case o.USD == nil && o.Unknown > 0:
		return "cost unknown"
	case o.USD == nil:
		return ""
	case o.Unknown > 0:
		return fmt.Sprintf("$%.2f + %s unknown", *o.USD, view.Count(o.Unknown, "attempt"))
	}
	return fmt.Sprintf("$%.2f", *o.USD)
}

func lines(l []string) string { return strings.Join(l, "\n") }

// at gives what the gate ran on the tree that a head is.
func (p *passed) at(head string) []ranLine {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []ranLine
	for _, r := range p.runs[head] {
		out = append(out, ranLine{r.Line, r.Why, r.Flaky})
	}
	return out
}

type ranLine struct {
	line, why string
	flaky     bool
}
