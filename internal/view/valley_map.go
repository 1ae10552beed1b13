package view

import (
	"fmt"
	"strings"

	"torve/internal/sim"
)

// tufts draw what stands on a cell, from bare ground to all that can stand there.
var tufts = [7]string{"    ", ".   ", ". . ", "' . ", "' ' ", "\" ' ", "\" \" "}

// waves draw water: every second row is shifted.
var waves = [2]string{"~ ~ ", " ~ ~"}

// Colours of a terminal with 256 of them: the ground behind a cell and the ink upon it, by
// what stands there; of water; and the ink of a body.
var (
	grounds = [len(tufts)]string{"48;5;94;38;5;136", "48;5;94;38;5;136", "48;5;100;38;5;142", "48;5;100;38;5;142", "48;5;64;38;5;106", "48;5;64;38;5;106", "48;5;22;38;5;34"}
	water   = "48;5;25;38;5;74"
)

const bodyInk = ";1;38;5;231"

// chart is the valley on its way to a screen.
type chart struct {
	Style
	v     Valley
	wide  int // columns of a cell: 4, 2 or 1
	lead  int // columns of the numbers on the left
	named map[sim.EntityID]string
	on    map[sim.Coord][]ValleyBody
}

func newChart(v Valley, s Style) *chart {
	c := &chart{Style: s, v: v, wide: 4, lead: Width(fmt.Sprint(len(v.Rows)-1)) + 3, named: v.letters(), on: map[sim.Coord][]ValleyBody{}}
	for c.wide > 1 && c.across() > s.Width {
		c.wide /= 2
	}
	for _, b := range v.Bodies {
		c.on[b.Cell] = append(c.on[b.Cell], b)
	}
	return c
}

// across is how many columns it takes.
func (c *chart) across() int {
	if len(c.v.Rows) == 0 {
		return c.lead
	}
	return c.lead + c.wide*len(c.v.Rows[0])
}

// lines are the numbers of the columns, and the rows with theirs.
func (c *chart) lines() []string {
	out := []string{c.numbers()}
	for y := range c.v.Rows {
		var b strings.Builder
		fmt.Fprintf(&b, "%*d  ", c.lead-2, y)
		for x := range c.v.Rows[y] {
			b.WriteString(c.cell(sim.Coord{X: x, Y: y}))
		}
		out = append(out, b.String())
	}
	return out
}

// numbers are those of the columns, as many as have room.
func (c *chart) numbers() string {
	if len(c.v.Rows) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", c.lead))
	every := 4 / c.wide
	for x := 0; x < len(c.v.Rows[0]); x += every {
		fmt.Fprintf(&b, "%-*d", c.wide*every, x)
	}
	return b.String()
}

// cell draws a cell, and who stands on it.
func (c *chart) cell(at sim.Coord) string {
	back, text := water, waves[at.Y%2]
	if c.v.Rows[at.Y][at.X] != '~' {
		level := c.level(at)
		back, text = grounds[level], tufts[level]
	}
	who := c.who(c.on[at])
	return c.ink(back+bodyInk, who) + c.ink(back, text[Width(who):c.wide])
}

// level is how much stands on a cell, as a place in tufts: the first only where there is
// nothing left, the last only where little is missing.
func (c *chart) level(at sim.Coord) int {
	if c.v.Most <= 0 {
		return 0
	}
	share := c.v.Crop[at.Y][at.X] / c.v.Most
	return min(max(int(share*float64(len(tufts)-1)+0.5), 0), len(tufts)-1)
}

// who draws the bodies of a cell: each with the arrow of its heading where there is room,
// else the letters alone, else how many there are, else that there are many.
func (c *chart) who(bodies []ValleyBody) string {
	arrowed, letters := "", ""
	for _, b := range bodies {
		arrowed += c.named[b.ID] + c.arrow(b.Heading)
		letters += c.named[b.ID]
	}
	for _, text := range []string{arrowed, letters, fmt.Sprint(len(bodies))} {
		if Width(text) <= c.wide {
			return text
		}
	}
	return "*"
}

// ink colours a text, where there is colour.
func (s Style) ink(code, text string) string {
	if !s.Color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// legend says what the marks are, each of them as it is drawn, and how many grams they stand for.
func (c *chart) legend() []string {
	const full = len(tufts) - 1
	tuft := func(level int) string { return c.ink(grounds[level], fmt.Sprintf("%-4s", tufts[level][:c.wide])) }
	out := []string{
		c.ink(water, waves[0]) + "  water",
		tuft(full) + "  grass, about " + c.grams(c.drawnAt(full)),
		tuft(full/2) + "  about " + c.grams(c.drawnAt(full/2)),
		tuft(1) + "  about " + c.grams(c.drawnAt(1)),
	}
	if len(c.v.Bodies) > 0 {
		b := c.v.Bodies[0]
		mark := c.named[b.ID] + c.arrow(b.Heading)
		out = append(out, c.ink(grounds[full]+bodyInk, mark)+c.ink(grounds[full], tufts[full][2:])+"  "+clean(called(b.Name, b.Kind, b.ID))+", looking "+b.Looks)
	}
	if c.wide < len(tufts[0]) {
		return append(out, "one mark a cell")
	}
	return append(out, "two marks a cell add up:", fmt.Sprintf(". %s, ' %s, \" %s", c.grams(1), c.grams(2), c.grams(3)))
}

// drawnAt is what stands on a cell that is drawn as a level, in shares of all there can be
// as tufts has them. Where a cell has room for its first mark alone, two levels look alike.
func (c *chart) drawnAt(level int) float64 {
	if c.wide < len(tufts[0]) {
		return float64((level+1)/2*2) - 0.5
	}
	return float64(level)
}

// grams is a number of such shares for people.
func (c *chart) grams(shares float64) string {
	return fmt.Sprintf("%.0f g", shares*c.v.Most/float64(len(tufts)-1))
}
