package view

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"
)

// Figures are what some attempts came to. Money stands under the source that named it and
// is never added across sources; what is unknown is counted and never zero.
type Figures struct {
	Attempts       int      `json:"attempts"`
	Landed         int      `json:"landed"`
	Refused        int      `json:"refused"`
	Reported       *float64 `json:"reported"` // USD; null: none of it is known so
	Estimated      *float64 `json:"estimated"`
	Notional       *float64 `json:"notional"`
	Unknown        int      `json:"unknown"` // attempts whose cost nobody knows
	TokensIn       *int64   `json:"tokens_in"`
	TokensOut      *int64   `json:"tokens_out"`
	TokensUnknown  int      `json:"tokens_unknown"` // attempts that did not say all of their tokens
	Seconds        *float64 `json:"seconds"`        // awake time
	SecondsUnknown int      `json:"seconds_unknown"`
}

// add counts one attempt in.
func (f *Figures) add(e tried) {
	n := e.counted()
	f.Attempts, f.Landed, f.Refused = f.Attempts+e.attempts, f.Landed+e.landed, f.Refused+e.refused
	switch column := f.column(e.source); {
	case e.usd != nil && column != nil:
		*column = sum(*column, e.usd)
	default:
		f.Unknown += n
	}
	f.TokensIn, f.TokensOut = sum(f.TokensIn, e.in), sum(f.TokensOut, e.out)
	if e.in == nil || e.out == nil {
		f.TokensUnknown += n
	}
	f.Seconds = sum(f.Seconds, e.seconds)
	if e.seconds == nil {
		f.SecondsUnknown += e.attempts
	}
}

// column is where money of a source stands; nil for one that is none.
func (f *Figures) column(source string) **float64 {
	switch source {
	case "reported":
		return &f.Reported
	case "estimated":
		return &f.Estimated
	case "notional":
		return &f.Notional
	}
	return nil
}

// sum adds what is known; two unknowns are unknown. Amounts are decimal: what adding them in
// binary leaves behind the ninth place is no part of any.
func sum[N int64 | float64](a, b *N) *N {
	if b == nil {
		return a
	}
	total := *b
	if a != nil {
		total += *a
	}
	if f, ok := any(&total).(*float64); ok {
		*f = math.Round(*f*1e9) / 1e9
	}
	return &total
}

// tokens is in and out together, of what was said.
func (f Figures) tokens() *int64 { return sum(f.TokensIn, f.TokensOut) }

// usd is the one figure that may stand for all of it: nil and unknown where any part is.
// Mixed sources stand under the weakest of them.
func (f Figures) usd() (*float64, string) {
	var total *float64
	source := "unknown"
	for _, name := range []string{"reported", "estimated", "notional"} {
		if part := *f.column(name); part != nil {
			total, source = sum(total, part), name
		}
	}
	if f.Unknown > 0 || total == nil {
		return nil, "unknown"
	}
	return total, source
}

// byCost orders figures by what is known of their cost, the most first. The order alone
// is made of figures that are never shown added.
func byCost(a, b Figures) int {
	known := func(f Figures) (all float64) {
		for _, name := range []string{"reported", "estimated", "notional"} {
			if part := *f.column(name); part != nil {
				all += *part
			}
		}
		return all
	}
	return cmp.Or(cmp.Compare(known(b), known(a)), cmp.Compare(b.Attempts, a.Attempts))
}

// priced is what is known of the cost, each source by its name, and how much is not.
func (f Figures) priced() string {
	var parts []string
	for _, name := range []string{"reported", "estimated", "notional"} {
		if part := *f.column(name); part != nil {
			parts = append(parts, fmt.Sprintf("$%.2f %s", *part, name))
		}
	}
	if f.Unknown > 0 {
		parts = append(parts, Count(f.Unknown, "attempt")+" of unknown cost")
	}
	return strings.Join(parts, ", ")
}

// cells are the columns of a table of figures, as people read them: - is not known, and
// + that some did not say.
func (f Figures) cells() []string {
	return []string{
		fmt.Sprint(f.Attempts), fmt.Sprint(f.Landed), fmt.Sprint(f.Refused),
		dollars(f.Reported), dollars(f.Estimated), dollars(f.Notional), fmt.Sprint(f.Unknown),
		atLeast(shortCount(f.tokens()), f.TokensUnknown), atLeast(shortTime(f.Seconds), f.SecondsUnknown),
	}
}

// partial reports whether a figure of it stands for less than all.
func (f Figures) partial() bool {
	return f.tokens() != nil && f.TokensUnknown > 0 || f.Seconds != nil && f.SecondsUnknown > 0
}

// heads are the names of the columns, in the order of cells.
var heads = []string{"tried", "landed", "refused", "reported", "estimated", "notional", "unknown", "tokens", "awake"}

func dollars(usd *float64) string {
	if usd == nil {
		return "-"
	}
	return money(usd)
}

func atLeast(text string, unknown int) string {
	if text != "-" && unknown > 0 {
		return text + "+"
	}
	return text
}

// shortCount is a number in at most five columns: 940, 12.9k, 1.2M.
func shortCount(n *int64) string {
	switch {
	case n == nil:
		return "-"
	case *n < 1000:
		return fmt.Sprint(*n)
	case *n < 999_950:
		return fmt.Sprintf("%.1fk", float64(*n)/1e3)
	case *n < 999_950_000:
		return fmt.Sprintf("%.1fM", float64(*n)/1e6)
	}
	return fmt.Sprintf("%.1fG", float64(*n)/1e9)
}

// shortTime is a time for a column: 8s, 9m14s, 1h47m.
func shortTime(s *float64) string {
	if s == nil {
		return "-"
	}
	switch n := int(seconds(*s).Round(time.Second).Seconds()); {
	case n == 0 && *s > 0:
		return "<1s"
	case n < 60:
		return fmt.Sprintf("%ds", n)
	case n < 3600:
		return fmt.Sprintf("%dm%02ds", n/60, n%60)
	default:
		return fmt.Sprintf("%dh%02dm", n/3600, n/60%60)
	}
}
