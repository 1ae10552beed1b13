package cli

import (
	"context"
	"fmt"
	"strings"

	"torve/internal/truth"
	"torve/internal/upkeep"
	"torve/internal/view"
)

// sections of the doctor's screen: what matters most first.
var sections = []struct {
	level upkeep.Level
	title string
}{
	{upkeep.Missing, "missing"}, {upkeep.Odd, "odd"}, {upkeep.Note, "good to know"}, {upkeep.OK, "in order"},
}

// diagnosis prints what was found: nothing but a line where all is well.
func (a *app) diagnosis(e *examined) {
	title := first(string(e.s.named.partition), e.s.name()) + "  " + e.s.cfg.Target
	if e.head != "" {
		title += " " + view.Short(e.head)
	}
	a.tell("%s", title)
	next, faults := "", 0
	for _, sec := range sections {
		if sec.level == upkeep.OK && !a.verbose {
			continue
		}
		list := of(e.list, sec.level)
		if len(list) == 0 {
			continue
		}
		a.tell("")
		a.tell("%s (%d)", sec.title, len(list))
		for _, f := range list {
			a.finding(f)
			if sec.level > upkeep.Note {
				faults++
				if isCommand(f.Fix) {
					next = first(next, f.Fix)
				}
			}
		}
	}
	a.tell("")
	switch notes := len(of(e.list, upkeep.Note)); {
	case faults == 0 && notes > 0:
		a.tell("beside that nothing is missing here, and nothing is odd")
	case faults == 0:
		a.tell("nothing is missing here, and nothing is odd")
	}
	if e.s.cfgErr == nil {
		a.tell("not asked  whether record, files and git agree: torve verify asks")
	}
	a.tell("walls      none: the agent runs as you, and only its worktree is its own")
	a.disk(e.disk, e.s.store)
	if next != "" {
		a.tell("")
		a.next(next)
	}
}

func of(list []upkeep.Finding, l upkeep.Level) []upkeep.Finding {
	var out []upkeep.Finding
	for _, f := range list {
		if f.Level == l {
			out = append(out, f)
		}
	}
	return out
}

func (a *app) finding(f upkeep.Finding) {
	a.tell("%s", a.wrapped(fmt.Sprintf("  %-10s ", f.About), f.Says, 13))
	if f.Fix != "" {
		a.say("             → %s", f.Fix)
	}
}

// disk says what torve takes here, the largest worktrees by name.
func (a *app) disk(d upkeep.Disk, st store) {
	kept := "record " + (d.Record + d.Wal).String()
	if st.dsn != "" {
		kept = "record in " + shared
	}
	text := fmt.Sprintf("%s, caches %s, %s in %s", kept, d.Caches, d.Worktrees, view.Count(len(d.Rooms), "worktree"))
	if d.Refs > 0 {
		text += fmt.Sprintf(", %s holding %s alone", view.Count(d.Refs, "kept ref"), d.Objects)
	}
	a.tell("%s", a.wrapped("disk       ", text, 11))
	const most = 5
	var rooms []string
	for i, r := range d.Rooms {
		if i == most && !a.verbose {
			rooms = append(rooms, fmt.Sprintf("%d more", len(d.Rooms)-most))
			break
		}
		rooms = append(rooms, r.Name+" "+r.Size.String())
	}
	if len(rooms) > 0 {
		a.tell("%s", a.wrapped("worktrees  ", joined(rooms), 11))
	}
}

// runFootprint lists what torve wrote, and the commands that remove it.
func (a *app) runFootprint(ctx context.Context) error {
	s, err := a.lenient(ctx)
	if err != nil {
		return err
	}
	e := &examined{s: s}
	rd := e.carriers(ctx)
	home := s.home()
	prints, err := home.Footprint(ctx, rd)
	if err != nil {
		return broken("listing what torve wrote", "", err)
	}
	if len(prints) == 0 {
		a.tell("torve wrote nothing here that is not committed")
	} else {
		a.tell("what torve wrote here, beside what is committed")
	}
	for _, p := range prints {
		size := ""
		if p.Size > 0 {
			size = p.Size.String()
		}
		a.tell("%s", strings.TrimRight(fmt.Sprintf("  %-9s %10s  %s", p.What, size, p.At), " "))
		a.tell("%s", a.wrapped("                        ", p.Note, 24))
	}
	if kept := home.Committed(ctx); len(kept) > 0 {
		a.tell("")
		a.tell("%s", a.wrapped("committed, and yours: ", joined(kept), 2))
		a.tell("No key of git's configuration, no hook and no file of git's own was written.")
	}
	if len(prints) > 0 {
		a.removal(prints, home, rd)
	}
	a.sharedFootprint(s, rd)
	return nil
}

// removal prints the commands that remove what stands on this machine.
func (a *app) removal(prints []upkeep.Print, home upkeep.Home, rd *truth.Reading) {
	a.tell("")
	a.tell("to remove all of it, kept work that never landed too (torve recover), in this")
	a.tell("order:")
	if rd != nil {
		if id := home.Runs(rd); id != "" {
			a.tell("(%s is running: torve stop %s)", id, id)
		}
	}
	a.tell("")
	said := map[string]bool{}
	for _, p := range prints {
		for _, c := range p.Undo {
			if !said[c] {
				said[c] = true
				a.tell("      %s", c)
			}
		}
	}
}
