package attempt

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"torve/internal/process"
)

// baseMemory is what the bases said in this process: one run a tree and its lines,
// however many workers ask.
type baseMemory struct {
	mu   sync.Mutex
	asks map[string]*baseAsk
}

// baseAsk is one question to a base; done is closed when it is answered.
type baseAsk struct {
	done chan struct{}
	red  *BaseRed
	err  error
}

// once asks a question that nobody has asked, or waits for who asks it now. An
// answer that could not be taken is not kept: whoever waited asks again.
func (m *baseMemory) once(ctx context.Context, key string, ask func() (*BaseRed, error)) (*BaseRed, error) {
	for {
		a, ours := m.join(key)
		if ours {
			return m.answer(key, a, ask)
		}
		select {
		case <-a.done:
		case <-ctx.Done():
			return nil, cause(ctx)
		}
		if a.err == nil {
			return a.red, nil
		}
	}
}

func (m *baseMemory) join(key string) (a *baseAsk, ours bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asks == nil {
		m.asks = map[string]*baseAsk{}
	}
	if a, there := m.asks[key]; there {
		return a, false
	}
	m.asks[key] = &baseAsk{done: make(chan struct{})}
	return m.asks[key], true
}

func (m *baseMemory) answer(key string, a *baseAsk, ask func() (*BaseRed, error)) (*BaseRed, error) {
	defer close(a.done)
	a.err = fmt.Errorf("asking the base did not come to an end") // stands when ask panics
	defer func() {
		if a.err != nil {
			m.mu.Lock()
			delete(m.asks, key)
			m.mu.Unlock()
		}
	}()
	a.red, a.err = ask()
	return a.red, a.err
}

// askBase asks the base, in the attempt's own worktree, what the contract says
// about it. Nil is that the agent may be paid.
func (r *run) askBase(ctx context.Context) (*BaseRed, error) {
	tree, err := r.Repo.TreeID(ctx, r.room.Base)
	if err != nil {
		return nil, fmt.Errorf("reading the base's tree: %w", err)
	}
	own := r.job.Task.Contract.Acceptance
	switch r.job.Task.Contract.Base {
	case "any":
		return nil, nil
	case "red":
		return r.askOnce(ctx, "red", tree, own, r.ownFail)
	}
	red, err := r.askOnce(ctx, "green", tree, r.Settings.Acceptance, r.repositoryPasses)
	if red != nil || err != nil {
		return red, err
	}
	for _, row := range r.job.Task.Rows { // a row's check is an acceptance line too
		if row.Check != "" {
			own = append(own[:len(own):len(own)], row.Check)
		}
	}
	rest := slices.DeleteFunc(slices.Clone(own), func(line string) bool { return slices.Contains(r.Settings.Acceptance, line) })
	return r.askOnce(ctx, "start", tree, rest, r.ownStart)
}

// askOnce is one question a tree and its lines; the answer names this attempt's base.
func (r *run) askOnce(ctx context.Context, what, tree string, lines []string, ask func(context.Context, []string) (*BaseRed, error)) (*BaseRed, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	key := strings.Join(slices.Concat([]string{what, tree}, r.Settings.Setup, []string{""}, lines), "\x00")
	red, err := r.bases.once(ctx, key, func() (*BaseRed, error) { return ask(ctx, lines) })
	if red == nil || err != nil {
		return nil, err
	}
	named := *red
	named.Head = r.room.Base
	return &named, nil
}

// repositoryPasses asks the repository's own acceptance.
func (r *run) repositoryPasses(ctx context.Context, lines []string) (*BaseRed, error) {
	took, flaky := 0.0, ""
	for i, line := range lines {
		t, err := r.try(ctx, r.room, r.room.SetupTree, line, i > 0, r.job.Task.ID, r.job.N)
		if err != nil {
			return nil, err
		}
		if t.Why != "" {
			return &BaseRed{Line: line, Why: t.because(), Mend: r.mend(line, t.res)}, nil
		}
		if t.Flaky {
			flaky += "; flaky: " + flakily(t.Ran)
		}
		took += t.Seconds
	}
	r.note("base", r.job.Task.ID, r.job.N, fmt.Sprintf("%s %s: acceptance passes, %s%s", r.Settings.Target, short(r.room.Base), seconds(time.Duration(took*float64(time.Second))), flaky))
	return nil, nil
}

// ownStart asks that each of the contract's own lines can start: they need not pass yet.
func (r *run) ownStart(ctx context.Context, lines []string) (*BaseRed, error) {
	for _, line := range lines {
		t, err := r.once(ctx, r.room, r.room.SetupTree, line, r.job.Task.ID, r.job.N)
		if err != nil {
			return nil, err
		}
		if cannotStart(t.res) {
			return &BaseRed{Own: true, Line: r.job.named(line, r.Settings.Acceptance), Why: t.because(), Mend: r.mend(line, t.res)}, nil
		}
	}
	return nil, nil
}

// ownFail asks that the contract's own lines do not all pass, which proves that
// they test the change; and that none of them fails by not being there.
func (r *run) ownFail(ctx context.Context, lines []string) (*BaseRed, error) {
	failed, flaky := false, ""
	for i, line := range lines {
		t, err := r.try(ctx, r.room, r.room.SetupTree, line, i > 0, r.job.Task.ID, r.job.N)
		if err != nil {
			return nil, err
		}
		if cannotStart(t.res) {
			return &BaseRed{Own: true, Line: r.job.named(line, r.Settings.Acceptance), Why: t.because(), Mend: r.mend(line, t.res)}, nil
		}
		if t.Flaky {
			flaky += "; flaky: " + flakily(t.Ran)
		}
		failed = failed || t.Why != ""
	}
	if failed {
		return nil, nil
	}
	return &BaseRed{
		Own: true, Line: strings.Join(lines, "; "), Why: "passed, and the contract says base: red" + flaky,
		Mend: "write a line that fails until the work is done, or base: green in the contract",
	}, nil
}

// cannotStart is a line that could not begin: its program is missing or cannot be
// executed, or its script is not in the package.
func cannotStart(res process.Result) bool {
	return res.End == process.Exited && (res.Exit == 126 || res.Exit == 127 || res.Exit != 0 && missingScript(res.Output))
}

// missingScript knows how package runners say that a script is not there.
func missingScript(output []byte) bool {
	text := strings.ToLower(string(output))
	for _, said := range []string{"missing script:", "no rule to make target", "err_pnpm_no_script", "couldn't find a script named"} {
		if strings.Contains(text, said) {
			return true
		}
	}
	return false
}
