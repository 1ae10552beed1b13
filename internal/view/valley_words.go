package view

import (
	"fmt"
	"strings"
	"unicode"

	"torve/internal/sim"
	"torve/internal/village"
)

// compass are the headings, by number: 0 is east, and they go round by the south.
var compass = [16]string{"E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW", "N", "NNE", "NE", "ENE"}

// arrows are the eight that a font has, from east by the south; a heading between two gets
// the further one.
var arrows = [8]string{"→", "↘", "↓", "↙", "←", "↖", "↑", "↗"}

// plainArrows are the same without a font's help.
var plainArrows = [8]string{">", `\`, "v", "/", "<", `\`, "^", "/"}

func (s Style) arrow(heading int) string {
	i := (heading + 1) / 2 % len(arrows)
	if s.ASCII {
		return plainArrows[i]
	}
	return arrows[i]
}

// minutesOf is a tick of the day in minutes.
func minutesOf(hour int) int { return hour * 24 * 60 / village.Day }

// clockOf is a tick of the day as a clock shows it.
func clockOf(hour int) string {
	m := minutesOf(hour)
	return fmt.Sprintf("%02d:%02d", m/60, m%60)
}

var hours = [12]string{"twelve", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"}

// past are the twelfths of an hour; of those behind the half the next hour is named.
var past = [12]string{
	"", "five past", "ten past", "quarter past", "twenty past", "twenty-five past",
	"half past", "twenty-five to", "twenty to", "quarter to", "ten to", "five to",
}

// hourOf is a tick of the day as people say it, to the five minutes that have begun.
func hourOf(hour int) string {
	m := minutesOf(hour)
	h, part := m/60, m%60/5
	named := h
	if part > 6 {
		named++
	}
	switch {
	case part == 0 && h == 0:
		return "midnight"
	case part == 0 && h == 12:
		return "noon"
	case part == 0:
		return hours[h%12] + " " + partOfDay(h)
	}
	return past[part] + " " + hours[named%12] + " " + partOfDay(h)
}

func partOfDay(h int) string {
	switch {
	case h < 5, h >= 22:
		return "at night"
	case h < 12:
		return "in the morning"
	case h < 18:
		return "in the afternoon"
	}
	return "in the evening"
}

func cellOf(c sim.Coord) string { return fmt.Sprintf("%d,%d", c.X, c.Y) }

// called is a body's name, or what it is and which one.
func called(name, kind string, id sim.EntityID) string {
	if name != "" {
		return name
	}
	return fmt.Sprintf("%s %d", kind, id)
}

// letters gives each body a letter of its own: a great one of its name, or a small one of
// its kind; where all of them are taken, the last digit of its id.
func (v Valley) letters() map[sim.EntityID]string {
	taken, of := map[rune]bool{}, map[sim.EntityID]string{}
	for _, b := range v.Bodies {
		word := strings.ToUpper(b.Name)
		if word == "" {
			word = strings.ToLower(b.Kind)
		}
		of[b.ID] = fmt.Sprint(int(b.ID) % 10)
		for _, r := range word {
			if r < unicode.MaxASCII && unicode.IsLetter(r) && !taken[r] {
				taken[r], of[b.ID] = true, string(r)
				break
			}
		}
	}
	return of
}
