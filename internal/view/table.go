package view

import (
	"slices"
	"strings"
)

// leastLabel is how many columns a label has beside its figures, before these move closer.
const leastLabel = 6

// table prints rows of figures under their names, right aligned. A column that says
// nothing in any row is left out when it may be; a label that has no room beside its
// figures stands on a line of its own above them.
type table struct {
	heads  []string
	may    []string // columns that may be left out
	labels []string
	cells  [][]string
}

func (t *table) add(label string, cells []string) {
	t.labels, t.cells = append(t.labels, clean(label)), append(t.cells, cells)
}

func (t table) print(p *page) {
	shown, widths := t.columns()
	most, gap := p.Width-2, "  "
	for _, w := range widths {
		most -= w + len(gap)
	}
	if most < leastLabel {
		most, gap = most+len(widths), " "
	}
	room := 0
	for _, l := range t.labels {
		if w := Width(l); w <= most {
			room = max(room, w)
		}
	}
	p.line("%s", figures(strings.Repeat(" ", room+2), gap, shown, widths, t.heads))
	for i, cells := range t.cells {
		lead := "  " + p.Pad(t.labels[i], room)
		if Width(t.labels[i]) > room {
			p.line("  %s", p.Cut(t.labels[i], p.Width-2))
			lead = strings.Repeat(" ", room+2)
		}
		p.line("%s", figures(lead, gap, shown, widths, cells))
	}
}

// columns are the places of the columns that are printed, and how wide each is.
func (t table) columns() (shown, widths []int) {
	for c, head := range t.heads {
		said, width := false, Width(head)
		for _, cells := range t.cells {
			said, width = said || cells[c] != "-", max(width, Width(cells[c]))
		}
		if said || !slices.Contains(t.may, head) {
			shown, widths = append(shown, c), append(widths, width)
		}
	}
	return shown, widths
}

// figures are one row of a table behind its lead.
func figures(lead, gap string, shown, widths []int, cells []string) string {
	var b strings.Builder
	b.WriteString(lead)
	for i, c := range shown {
		b.WriteString(gap + strings.Repeat(" ", widths[i]-Width(cells[c])) + cells[c])
	}
	return b.String()
}
