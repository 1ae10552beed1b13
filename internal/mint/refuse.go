package mint

import (
	"fmt"
	"strings"

	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/spec"
)

// refusal says why a contract that reads well does not come into force.
func (p *pass) refusal(c contract.Contract) Result {
	for _, ask := range []func(contract.Contract) Result{p.alike, p.ring, p.unknownDependency, p.specification, p.acceptance, p.agent} {
		if res := ask(c); res.Outcome != "" {
			return res
		}
	}
	return Result{}
}

func refused(hint, format string, args ...any) Result {
	return Result{Outcome: Refused, Why: fmt.Sprintf(format, args...), Hint: hint}
}

// alike refuses an id that another task has in other letters: refs, folders and files are
// named by it, and there are file systems to which the two are one. Of two new ones one
// comes into force.
func (p *pass) alike(c contract.Contract) Result {
	if t := p.r.Settled(c.ID).Board(); t != nil && t.Digest != "" {
		return Result{}
	}
	taken := ""
	for _, other := range p.folded[strings.ToLower(c.ID)] {
		s := p.r.Settled(other)
		_, committed := p.r.Contracts[other]
		switch {
		case other == c.ID:
		case s.Landing() != nil || s.Board() != nil || s.Host() != nil:
			taken = other
		case taken == "" && committed && other < c.ID:
			taken = other
		}
	}
	if taken == "" {
		return Result{}
	}
	return refused("give it another id", "its id is that of %s in other letters, and a file system may take the two for one", taken)
}

// folded are the ids that any carrier knows, by their letters in lower case.
func folded(ids []string) map[string][]string {
	all := map[string][]string{}
	for _, id := range ids {
		low := strings.ToLower(id)
		all[low] = append(all[low], id)
	}
	return all
}

func (p *pass) ring(c contract.Contract) Result {
	ring := p.rings[c.ID]
	if ring == nil {
		return Result{}
	}
	return refused("take one depends_on out of the circle", "its dependencies go in a circle: %s", strings.Join(ring, " → "))
}

// cycles finds the circles among what has not landed: as the target's contracts
// have it, and as the record has it where the target holds none.
func (p *pass) cycles() map[string][]string {
	deps := map[string][]string{}
	for id, t := range p.r.Board.Tasks {
		if t.Digest != "" && t.State != board.Withdrawn && !p.r.Landed(id) {
			deps[id] = t.Contract.DependsOn
		}
	}
	for id, f := range p.r.Contracts {
		if !p.r.Landed(id) {
			deps[id] = f.Contract.DependsOn
		}
	}
	rings := map[string][]string{}
	for ring := contract.Cycle(deps); ring != nil; ring = contract.Cycle(deps) {
		for _, id := range ring {
			rings[id] = ring
			delete(deps, id)
		}
	}
	return rings
}

// unknownDependency refuses an id that nothing anywhere knows: no landing could
// ever satisfy it. One that is known and not on the target is waited for.
func (p *pass) unknownDependency(c contract.Contract) Result {
	for _, id := range append(append([]string{}, c.DependsOn...), c.Targets...) {
		if !p.r.Settled(id).Known() && len(p.away[id]) == 0 {
			return refused("write its contract first, or name another under depends_on or targets",
				"it names %s, and no landing, record, branch or file here knows that task", id)
		}
	}
	return Result{}
}

// specification asks that what binds the task can be read: a LOCKED row of any
// accepted specification might.
func (p *pass) specification(c contract.Contract) Result {
	if e := p.corpus.fault; e != nil {
		return Result{Outcome: Broken, Why: e.Error(), Hint: e.Hint}
	}
	if c.Spec == "" {
		return Result{}
	}
	s, there := p.corpus.find(c.Spec)
	switch {
	case !there:
		return refused("commit it on "+p.r.Target+", or leave spec out", "its specification %s is not on %s", c.Spec, p.r.Target)
	case s.Status != spec.Accepted:
		return refused("status: accepted in "+s.File, "its specification %s is %s, and only an accepted one is inherited from", c.Spec, s.Status)
	}
	return Result{}
}

// acceptance asks for some line that says when the work is done. A review lands nothing.
func (p *pass) acceptance(c contract.Contract) Result {
	if c.Workload != "code" || c.Role == "review" || len(c.Acceptance) > 0 || len(p.Repository) > 0 {
		return Result{}
	}
	return refused(`acceptance: ["go test ./..."] in it, or in .torve/config.yaml`,
		"it has no acceptance line, and the repository has none")
}

func (p *pass) agent(c contract.Contract) Result {
	if p.Known == nil {
		return Result{}
	}
	for _, name := range c.Agent {
		if err := p.Known(name); err != nil {
			return refused("torve agents", "its agent %s: %v", name, err)
		}
	}
	return Result{}
}
