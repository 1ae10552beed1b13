package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"torve/internal/seam"
)

// Unlisted is what an entry cites when no document lists the decision.
const Unlisted = "unlisted"

// grounding asks whether the proposal names only what it could know when it was
// asked. An added path is no identity and is not asked about, but no path may
// leave the tree.
func grounding(p Proposal) seam.Verdict {
	for i, ch := range p.Changes {
		if why := leaves(ch); why != "" {
			return seam.Refused(seam.OnGrounding, fmt.Sprintf("change %d: %s leaves the tree: %s", i+1, quoted(ch.Path), why))
		}
		if does, asked := acts[ch.Verb]; asked && !p.given(ch) {
			return seam.Refused(seam.OnGrounding, fmt.Sprintf("change %d %s %s, which is not in %s", i+1, does, quoted(ch.Path), p.set()))
		}
	}
	return cited(p)
}

// acts is what a verb does to a path that must be there.
var acts = map[string]string{Modify: "modifies", Delete: "deletes", Mode: "changes the mode of"}

func (p Proposal) given(ch Change) bool {
	if p.Pack != nil {
		return p.Pack[ch.Path]
	}
	return ch.InBase
}

// set names the grounding set that was stored with the proposal.
func (p Proposal) set() string {
	if p.Pack != nil {
		return "the pack it was given (" + names(allQuoted(slices.Sorted(maps.Keys(p.Pack)))) + ")"
	}
	return "the tree it was given (" + Short(p.Base) + ")"
}

// cited asks that every decision and dependency that the report leans on was given.
func cited(p Proposal) seam.Verdict {
	if p.Report == nil {
		return seam.Accepted()
	}
	known := make(map[string]bool, len(p.Known)+len(p.Rows))
	for _, id := range p.Known {
		known[id] = true
	}
	for _, r := range p.Rows {
		known[r.ID] = true
	}
	no := func(who, id string) seam.Verdict {
		return seam.Refused(seam.OnGrounding, fmt.Sprintf("%s %s, which was not given to it (given: %s)",
			who, oneLine(id), names(slices.Sorted(maps.Keys(known)))))
	}
	for _, id := range p.Report.LeansOn {
		if !known[id] {
			return no("the report leans on", id)
		}
	}
	for i, e := range p.Report.Entries {
		if e.Decision != Unlisted && !known[e.Decision] {
			return no(fmt.Sprintf("entry %d cites", i+1), e.Decision)
		}
	}
	return seam.Accepted()
}

// leaves is why a change's path is not one inside the tree; empty when it is.
func leaves(ch Change) string {
	switch {
	case ch.Escapes != "":
		return ch.Escapes
	case ch.Path == "":
		return "it is empty"
	case strings.HasPrefix(ch.Path, "/"):
		return "it begins at the root"
	case strings.ContainsRune(ch.Path, 0):
		return "it holds a zero byte"
	}
	for part := range strings.SplitSeq(ch.Path, "/") {
		switch {
		case part == "" || part == "." || part == "..":
			return fmt.Sprintf("it goes through %q", part)
		case gitFolder(part):
			return "it goes into git's own folder"
		}
	}
	return ""
}

// gitFolder knows the names that some file system takes for .git.
func gitFolder(part string) bool {
	part = strings.ToLower(strings.TrimRight(part, ". "))
	return part == ".git" || part == "git~1"
}

// most names that one sentence prints.
const mostNames = 12

// names joins at most twelve and says how many more there are.
func names(all []string) string {
	if len(all) == 0 {
		return "nothing"
	}
	if len(all) <= mostNames {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:mostNames], ", "), len(all)-mostNames)
}

// Short is the first seven of an object id or digest, as people see it.
func Short(id string) string {
	if len(id) > 7 {
		return id[:7]
	}
	return id
}

func sawGrounding(p Proposal) string {
	if p.Pack != nil {
		return "all in the pack it was given"
	}
	return "all in the tree it was given"
}
