package spec

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"torve/internal/strictyaml"
)

var columns = []string{"Id", "Grade", "Decision", "Paths", "Check"}

type reader struct {
	file string
	body []byte
	seen map[string]int // row id → line
	rows []Decision
}

// decisions reads every table under "## Decisions". What looks like one and is
// not is an error: a row that nobody reads binds nobody.
func decisions(file string, body []byte) ([]Decision, error) {
	r := &reader{file: file, body: body, seen: map[string]int{}, rows: []Decision{}}
	doc := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(body))
	inside := false
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level <= 2 {
				inside = n.Level == 2 && strings.EqualFold(strings.TrimSpace(r.raw(n)), "Decisions")
			}
		case *tables.Table:
			if !inside {
				continue
			}
			if err := r.table(n); err != nil {
				return nil, err
			}
		default:
			if at := r.unread(n); inside && at != nil {
				return nil, r.fault(r.line(at), "begin it at the margin, with | --- | for each column below the header",
					"this does not read as a table of decisions")
			}
		}
	}
	return r.rows, nil
}

// unread finds what is written as a table and stands where none is read: without
// its line of dashes, indented, or inside a list. A fenced block is an example.
func (r *reader) unread(n ast.Node) (at ast.Node) {
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		_, table := n.(*tables.Table)
		_, fenced := n.(*ast.FencedCodeBlock)
		switch {
		case !entering || at != nil || n.Type() != ast.TypeBlock:
			return ast.WalkSkipChildren, nil
		case table || !fenced && strings.HasPrefix(strings.TrimSpace(r.raw(n)), "|"):
			at = n
		}
		return ast.WalkContinue, nil
	})
	return at
}

func (r *reader) table(t *tables.Table) error {
	for n := t.FirstChild(); n != nil; n = n.NextSibling() {
		cells := []string{}
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, strings.TrimSpace(strings.ReplaceAll(r.raw(c), `\|`, "|")))
		}
		line := r.line(n)
		if _, header := n.(*tables.TableHeader); header {
			if !slices.EqualFunc(cells, columns, strings.EqualFold) {
				return r.fault(line, "the columns are "+strings.Join(columns, ", "), "the columns are %s", strings.Join(cells, ", "))
			}
			continue
		}
		if got := r.cellsAt(line); got > len(columns) {
			return r.fault(line, `write \| for a bar inside a cell`, "the row has %d cells, and there are %d columns", got, len(columns))
		}
		if err := r.row(cells, line); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) row(cells []string, line int) error {
	d := Decision{ID: cells[0], Grade: cells[1], Text: cells[2], Paths: globs(cells[3]), Check: uncoded(cells[4]), Line: line}
	first, again := r.seen[d.ID]
	switch {
	case !rowID.MatchString(d.ID):
		return r.fault(line, "write it like D-3", "row id %q is not one", d.ID)
	case again:
		return r.fault(line, "give it the next number that is free", "%s is given twice: at line %d and at line %d", d.ID, first, line)
	case !slices.Contains(grades, d.Grade):
		return r.fault(line, "the grades are LOCKED, ASSUMED, OPEN", "%s: grade %q is not known", d.ID, d.Grade)
	case d.Text == "":
		return r.fault(line, "say what is decided, or asked", "%s decides nothing", d.ID)
	case d.Grade == Locked && len(d.Paths) == 0:
		return r.fault(line, `name the paths it holds for; everything is written **`, "%s is LOCKED and names no paths", d.ID)
	}
	r.seen[d.ID] = line
	r.rows = append(r.rows, d)
	return nil
}

// raw is a block's own text as it stands in the file: a glob's stars are no emphasis.
func (r *reader) raw(n ast.Node) string {
	if n.Type() != ast.TypeBlock {
		return ""
	}
	var b strings.Builder
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		b.Write(segment.Value(r.body))
	}
	return b.String()
}

func (r *reader) line(n ast.Node) int {
	at := n.Pos()
	if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
		at = n.Lines().At(0).Start
	}
	at = max(0, min(at, len(r.body)))
	return bytes.Count(r.body[:at], []byte("\n")) + 1
}

// cellsAt counts the cells of a row as it is written: the table's reader drops
// those beyond the last column without a word.
func (r *reader) cellsAt(line int) int {
	rows := strings.SplitN(string(r.body), "\n", line+1)
	if line > len(rows) {
		return 0
	}
	row := strings.TrimSpace(strings.ReplaceAll(rows[line-1], `\|`, "  "))
	row = strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|")
	return strings.Count(row, "|") + 1
}

func (r *reader) fault(line int, hint, format string, args ...any) error {
	return &strictyaml.Error{File: r.file, Line: line, Col: 1, Why: fmt.Sprintf(format, args...), Hint: hint}
}

// globs are parted by commas or spaces; each may stand in backticks, and one
// with a space in it must.
func globs(cell string) []string {
	list := []string{}
	for i, part := range strings.Split(cell, "`") {
		if i%2 == 1 {
			list = append(list, strings.TrimSpace(part))
			continue
		}
		list = append(list, strings.FieldsFunc(part, func(c rune) bool { return c == ',' || c == ' ' || c == '\t' })...)
	}
	return slices.DeleteFunc(list, func(g string) bool { return g == "" })
}

// uncoded takes the backticks off a command.
func uncoded(cell string) string {
	if len(cell) > 1 && cell[0] == '`' && cell[len(cell)-1] == '`' {
		return strings.TrimSpace(strings.Trim(cell, "`"))
	}
	return cell
}
