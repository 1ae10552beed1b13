package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"torve/internal/view"
	"torve/internal/village"
)

// What torve world goes by.
const (
	worldAt    = 1400                   // the tick that is drawn when none is named
	worldYears = 10                     // how far it is looked ahead
	worldSpeed = 1000                   // times as fast as the world lives, at most
	worldFrame = 100 * time.Millisecond // how long a tick of the world is, and a picture stays
	worldHour  = village.Day / 24
)

// worldLast is the last tick that may be named.
const worldLast = worldYears * 365 * village.Day

// worldFlags are where to look, and whether to stay.
type worldFlags struct {
	at, until, speed int
	follow           bool
}

func (a *app) worldCmd() *cobra.Command {
	var f worldFlags
	c := &cobra.Command{
		Use:   "world",
		Short: "draw the valley that torve carries, and who lives in it",
		Example: `    torve world --at 2900
    torve world --follow --speed 20
    torve world --follow --until 3600 > day.txt`,
		Args: worldArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if !c.Flags().Changed("until") {
				f.until = worldLast
			}
			return a.runWorld(c, f)
		},
	}
	c.Flags().IntVar(&f.at, "at", worldAt, "the `TICK` to draw: an hour of the valley has 150, a day 3600")
	c.Flags().BoolVar(&f.follow, "follow", false, "live on from there, in place on a terminal; Ctrl-C ends it. Elsewhere a picture an hour, and --until says where to end")
	c.Flags().IntVar(&f.speed, "speed", 1, "with --follow, live `N` times as fast: 1 is 10 ticks a second")
	c.Flags().IntVar(&f.until, "until", 0, "with --follow, the `TICK` to end at")
	return c
}

// worldArgs takes none: a tick has a flag.
func worldArgs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "torve world"
	if _, err := strconv.Atoi(args[0]); err == nil {
		hint += " --at " + args[0]
	}
	return usage("world", hint, "it takes no argument, and %q is given", args[0])
}

// runWorld needs no repository, and reads nothing but what torve carries.
func (a *app) runWorld(c *cobra.Command, f worldFlags) error {
	if err := a.asksFolder(); err != nil {
		return err
	}
	r, err := village.New()
	if err != nil {
		return broken("reading the valley", "", err)
	}
	if err := a.asksWorld(c, f, r.Tick()); err != nil {
		return err
	}
	if f.follow {
		return a.followWorld(c.Context(), r, f)
	}
	if err := a.liveTo(c.Context(), r, f.at); err != nil {
		return err
	}
	v := still(r, "")
	if v.Next, err = a.worldNext(r); err != nil {
		return err
	}
	return a.print(v)
}

// asksWorld refuses what was asked where it cannot be shown; first is the world's first tick.
func (a *app) asksWorld(c *cobra.Command, f worldFlags, first int) error {
	set := c.Flags().Changed
	switch {
	case f.at < first:
		return usage("world", fmt.Sprintf("torve world --at %d", first), "--at %d: the world begins at tick %d, six in the morning of its first day", f.at, first)
	case f.at > worldLast:
		return usage("world", fmt.Sprintf("torve world --at %d", worldLast), "--at %d: it is lived tick by tick, and no further than %d years: tick %d", f.at, worldYears, worldLast)
	case f.speed < 1 || f.speed > worldSpeed:
		return usage("world", "torve world --follow --speed 10", "--speed %d: it may be 1 to %d", f.speed, worldSpeed)
	case f.until < f.at || f.until > worldLast:
		return usage("world", fmt.Sprintf("torve world --follow --at %d --until %d", f.at, min(f.at+worldHour, worldLast)), "--until %d: it may be tick %d to %d", f.until, f.at, worldLast)
	case !f.follow && (set("until") || set("speed")):
		return usage("world", "torve world --follow"+typed(c, nil), "--until and --speed are for --follow")
	case !f.follow:
		return nil
	case a.json:
		return usage("world", "torve world --json", "--follow prints many pictures, and --json is one document")
	case !a.onTerminal() && !set("until"):
		return usage("world", fmt.Sprintf("torve world --follow --at %d --until %d", f.at, min(f.at+village.Day, worldLast)), "--follow has no end of its own where nothing can be drawn in place; --until names one")
	}
	return nil
}

// onTerminal reports whether a picture can be drawn in place.
func (a *app) onTerminal() bool { return isTerminal(a.out) && a.env("TERM") != "dumb" }

// still is the picture of a boundary, with the digest of the state and what to do next.
func still(r *village.Roster, next string) view.Valley {
	v := view.ValleyOf(r)
	v.Digest = r.Digest()
	v.Foot = fmt.Sprintf("Nobody steers them: habit alone. State %s, the same bytes on every machine.", view.Short(v.Digest))
	v.Next = "next: " + next
	return v
}

// Living many ticks on is done in parts, and what takes long says how far it is.
const (
	worldPart  = 10_000
	worldQuiet = time.Second            // before it says so
	worldTells = 100 * time.Millisecond // and from then on
)

// liveTo lives on to a tick. A terminal is told how far it is when that takes long.
func (a *app) liveTo(ctx context.Context, r *village.Roster, to int) error {
	from, due, told := r.Tick(), a.now().Add(worldQuiet), false
	for r.Tick() < to {
		if err := r.Run(min(r.Tick()+worldPart, to)); err != nil {
			return broken("living on", "", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if now := a.now(); isTerminal(a.err) && !a.quiet && now.After(due) {
			due, told = now.Add(worldTells), true
			fmt.Fprintf(a.err, "\r\x1b[Kliving on: day %d of %d, %d %%", r.Tick()/village.Day+1, to/village.Day+1, (r.Tick()-from)*100/(to-from))
		}
	}
	if told {
		fmt.Fprint(a.err, "\r\x1b[K")
	}
	return nil
}
