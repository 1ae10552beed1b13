package decide

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"torve/internal/lang"
	"torve/internal/sim"
)

// page is where a run prints, and what the bodies on it are called. The first error of a
// write is kept, and nothing is written behind it.
type page struct {
	w     io.Writer
	err   error
	names map[sim.EntityID]string
}

// line prints one line.
func (p *page) line(format string, a ...any) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, strings.TrimRight(fmt.Sprintf(format, a...), " ")+"\n")
	}
}

func (p *page) lines(all []string) {
	for _, l := range all {
		p.line("%s", l)
	}
}

func (p *page) blank() { p.line("") }

// called is a body by its number and its name.
func (p *page) called(id sim.EntityID) string {
	if name := p.names[id]; name != "" {
		return fmt.Sprintf("%d %s", id, name)
	}
	return strconv.Itoa(int(id))
}

func (p *page) calledAll(ids []sim.EntityID) string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = p.called(id)
	}
	return orNobody(strings.Join(all, ", "))
}

func orNobody(names string) string {
	if names == "" {
		return "nobody"
	}
	return names
}

func cell(c sim.Coord) string { return fmt.Sprintf("%d,%d", c.X, c.Y) }

// braced is a set as the ledger has it.
func braced(ids []string) string { return "{" + strings.Join(ids, ",") + "}" }

// cut keeps a text within a column.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-3]) + "..."
}

// shown is another's text, a model's above all, as a terminal may be shown it: what is no
// printable character is written as an escape.
func shown(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if unicode.IsPrint(r) && (r != utf8.RuneError || size > 1) {
			b.WriteRune(r)
		} else {
			quoted := strconv.QuoteToASCII(text[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[size:]
	}
	return b.String()
}

// orDash is what stands in a column that says nothing.
func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// digits is a digest as people see it.
func digits(digest string) string {
	return digest[:min(len(digest), 16)]
}

// Authored is what stands for a model in a recording that none made.
const Authored = "authored"

// voice is the words for whose an answer is: a model's, or whoever wrote the recording's.
type voice struct{ answered, wrote, reason, answer, words string }

func voiceOf(a lang.Answer) voice {
	if a.Model == Authored {
		return voice{
			answered: "what the recording answers, authored: no model wrote it:",
			wrote:    "authored: no model wrote it",
			reason:   "reason, authored, read by nothing",
			answer:   "authored, kept whatever they are",
		}
	}
	return voice{
		answered: "what the model answered, which yours will differ from:",
		wrote:    "which a model wrote and yours will differ from",
		reason:   "reason, a model's, read by nothing",
		answer:   "the model's, kept whatever they are",
	}
}
