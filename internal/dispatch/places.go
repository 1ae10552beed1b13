package dispatch

import (
	"context"
	"strings"
	"sync"
)

// places keep how many of an agent run at once in a run (agents.<name>.slots). A task
// holds at most one, for the agent of its present attempt.
type places struct {
	most func(agent string) int // 0: any number
	mu   sync.Mutex
	by   map[string]chan struct{} // by agent: as many tokens as it may run
	held map[string]string        // task → agent
}

// queue is the agent's channel of tokens; nil when it has no limit.
func (p *places) queue(agent string) chan struct{} {
	if p.most == nil || p.most(agent) <= 0 {
		return nil
	}
	if p.by == nil {
		p.by = map[string]chan struct{}{}
	}
	if p.by[agent] == nil {
		p.by[agent] = make(chan struct{}, p.most(agent))
	}
	return p.by[agent]
}

// try takes a place for a task, if there is one free now.
func (p *places) try(task, agent string) bool {
	p.free(task)
	agent = entry(agent)
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.queue(agent)
	if q == nil {
		return true
	}
	select {
	case q <- struct{}{}:
		p.keep(task, agent)
		return true
	default:
		return false
	}
}

// take waits for a place; false when it was stopped before there was one.
func (p *places) take(ctx context.Context, task, agent string, stops ...<-chan struct{}) bool {
	agent = entry(agent)
	p.mu.Lock()
	had, q := p.held[task], p.queue(agent)
	p.mu.Unlock()
	if had == agent {
		return true
	}
	p.free(task)
	if q == nil {
		return true
	}
	ctx, cancel := either(ctx, stops...)
	defer cancel()
	select {
	case q <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keep(task, agent)
	return true
}

func (p *places) keep(task, agent string) {
	if p.held == nil {
		p.held = map[string]string{}
	}
	p.held[task] = agent
}

// free gives a task's place back.
func (p *places) free(task string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if agent, had := p.held[task]; had {
		delete(p.held, task)
		<-p.by[agent]
	}
}

// entry is the name that settings know an agent by: without its model.
func entry(agent string) string {
	name, _, _ := strings.Cut(agent, "@")
	return name
}

// either is a context that ends when one of the channels is closed, too.
func either(ctx context.Context, stops ...<-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	for _, stop := range stops {
		if stop == nil {
			continue
		}
		go func() {
			select {
			case <-stop:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	return ctx, cancel
}
