package cli

import (
	"fmt"
	"slices"
	"strings"

	"torve/internal/audit"
)

// tellVerified prints one line when all agrees, else each difference with who differ and
// what is next.
func (a *app) tellVerified(found audit.Report) {
	if found.Clean() {
		a.tell("%s", a.wrapped("verify: ", verifyCounts(found)+": "+agree(found), 8))
		a.tellNotes(found)
		return
	}
	a.tell("%s", a.wrapped("verify: ", count(len(found.Differences), "difference", "differences")+" in "+verifyCounts(found), 8))
	a.tell("")
	for _, d := range found.Differences {
		a.tellDifference(d)
	}
	a.tell("")
	a.tellNotes(found)
	switch n := found.Repairable(); {
	case n > 0:
		a.say("%d of %s can be mended without you", n, count(len(found.Differences), "difference", "differences"))
		a.next(verifyRepair)
	case isCommand(found.Differences[0].Next):
		a.next(found.Differences[0].Next)
	}
}

// tellDifference prints what differs, between whom, and what is next: a command is not cut.
func (a *app) tellDifference(d audit.Difference) {
	question, _, _ := strings.Cut(d.Kind, ".")
	lead := fmt.Sprintf("  %-6s  ", d.Subject)
	a.tell("%s", a.wrapped(lead, fmt.Sprintf("%s (%s): %s", question, joined(d.Carriers), d.Says), 10))
	switch {
	case isCommand(d.Next):
		a.tell("          → %s", d.Next)
	case d.Next != "":
		a.tell("%s", a.wrapped("          → ", d.Next, 12))
	}
}

const verifyRepair = "torve verify --repair"

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func verifyCounts(found audit.Report) string {
	c := found.Counts
	landings := count(c.Landings, "landing", "landings")
	if !found.Recorded {
		return landings
	}
	return joined([]string{
		count(c.Tasks, "task", "tasks"), count(c.Attempts, "attempt", "attempts"), landings, count(c.Events, "event", "events"),
	})
}

func agree(found audit.Report) string {
	if !found.Recorded {
		return "what git holds agrees"
	}
	return "record, files and git agree"
}

// tellNotes prints what is true and no difference, and what was not asked and why.
func (a *app) tellNotes(found audit.Report) {
	for _, n := range found.Notes {
		a.say("%s", a.wrapped("note: ", n, 6))
	}
	var whys []string
	not := map[string][]string{}
	for _, q := range found.Asked {
		if q.NotAsked == "" {
			continue
		}
		if !slices.Contains(whys, q.NotAsked) {
			whys = append(whys, q.NotAsked)
		}
		not[q.NotAsked] = append(not[q.NotAsked], q.Question)
	}
	for _, why := range whys {
		a.say("%s", a.wrapped("not asked: ", why+": "+joined(not[why]), 11))
	}
}
