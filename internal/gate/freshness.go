package gate

import (
	"fmt"

	"torve/internal/seam"
)

// freshness asks whether the place is still the one that was asked about.
func freshness(p Proposal, r Reading, stale int) seam.Verdict {
	no := func(format string, a ...any) seam.Verdict {
		return seam.Refused(seam.OnFreshness, fmt.Sprintf(format, a...))
	}
	switch {
	case !p.Bound():
		return seam.Accepted()
	case !r.OnTarget:
		return no("asked at %s, which is no longer on %s", Short(p.Base), target(r))
	case r.InForce == "":
		return no("minted as %s, and no contract is in force", Short(p.Digest))
	case r.InForce != p.Digest:
		return no("minted as %s, and the contract in force is %s", Short(p.Digest), Short(r.InForce))
	case len(r.Conflicts) > 0:
		return no("%s has changed since and does not merge", conflicting(p, r.Conflicts))
	case stale > 0 && r.Since > stale:
		return no("asked at %s, and %s touched its scope since: the cap is %d", Short(p.Base), commits(r.Since, "have"), stale)
	case len(r.Unlanded) > 0:
		return no("the task depends on %s, which is not landed", r.Unlanded[0])
	}
	return seam.Accepted()
}

// conflicting names the first change, in the proposal's order, that does not merge.
func conflicting(p Proposal, paths []string) string {
	in := make(map[string]bool, len(paths))
	for _, path := range paths {
		in[path] = true
	}
	for i, ch := range p.Changes {
		if in[ch.Path] {
			return fmt.Sprintf("change %d names %s, which", i+1, quoted(ch.Path))
		}
	}
	return quoted(paths[0])
}

func target(r Reading) string {
	if r.Target == "" {
		return "the target"
	}
	return r.Target
}

// commits is a number of commits with the verb that agrees with it.
func commits(n int, verb string) string {
	switch {
	case n == 1 && verb == "have":
		return "1 commit has"
	case verb == "":
		return counted(n, "commit")
	}
	return counted(n, "commit") + " " + verb
}

func sawFreshness(p Proposal, r Reading, stale int) string {
	if !p.Bound() {
		return ""
	}
	s := commits(r.Since, "") + " touched its scope since, "
	if stale == 0 {
		return s + "and there is no cap"
	}
	return s + fmt.Sprintf("the cap is %d", stale)
}
