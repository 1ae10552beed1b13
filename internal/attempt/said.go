package attempt

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"

	"torve/internal/carrier"
	"torve/internal/record"
	"torve/internal/workload"
)

// said is the agent's own account of an attempt: its report, with what it noted in
// the spool beside it. It is checked and never believed.
type said struct {
	raw    []byte          // for the gate; nil when nothing was said
	report *carrier.Report // nil when nothing was said, or not in the shape asked for
	ours   bool            // it answers for this task
}

// sizes past which an account is no account.
const (
	reportCap = 1 << 20
	noteCap   = 64 << 10
)

// account reads what was left in the room and adds the notes to the report.
func (s *Station) account(ctx context.Context, r *room, tree, task string, n int) (said, error) {
	raw, err := readCapped(r.report(), reportCap)
	if err != nil {
		return said{}, fmt.Errorf("reading the agent's report: %w", err)
	}
	notes, err := s.notes(r, task, n)
	if err != nil {
		return said{}, err
	}
	return s.judgeAccount(ctx, raw, notes, tree, task)
}

// judgeAccount puts report and notes together. A report that is broken goes to the
// gate as it is: shape refuses it, and the notes are recorded all the same.
func (s *Station) judgeAccount(ctx context.Context, raw []byte, notes []carrier.Divergence, tree, task string) (said, error) {
	rep := &carrier.Report{Task: task, LeansOn: []string{}, Divergences: []carrier.Divergence{}}
	if raw != nil {
		g, c := workload.Report(raw, s.resolver(ctx, tree))
		if g == nil || g.Fault != "" || c == nil {
			return said{raw: raw, report: &carrier.Report{Task: task, Divergences: notes}, ours: true}, nil
		}
		rep = c
	}
	if raw == nil && len(notes) == 0 {
		return said{}, nil
	}
	ours := rep.Task == task
	if ours {
		for _, d := range notes {
			if !slices.Contains(rep.Divergences, d) {
				rep.Divergences = append(rep.Divergences, d)
			}
		}
		rep.Halted = rep.Halted || slices.ContainsFunc(notes, func(d carrier.Divergence) bool { return d.Action == "halted" })
	} else {
		rep.Halted = false // shape says whose report it is
	}
	whole, err := json.Marshal(rep)
	if err != nil {
		return said{}, fmt.Errorf("putting the agent's report together: %w", err)
	}
	return said{raw: whole, report: rep, ours: ours}, nil
}

// notes reads the spool: one entry a line. A line that is none is told and left out.
func (s *Station) notes(r *room, task string, n int) ([]carrier.Divergence, error) {
	raw, err := readCapped(r.spool(), reportCap)
	if err != nil {
		return nil, fmt.Errorf("reading the agent's notes: %w", err)
	}
	var out []carrier.Divergence
	broken := 0
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, noteCap)
	for at := 1; lines.Scan(); at++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		d, err := note(lines.Bytes())
		if err != nil {
			if broken++; broken <= mostTold {
				s.note("warn", task, n, fmt.Sprintf("line %d of the agent's notes is left out: %v", at, err))
			}
			continue
		}
		out = append(out, d)
	}
	if broken > mostTold {
		s.note("warn", task, n, fmt.Sprintf("%d lines more of the agent's notes are left out", broken-mostTold))
	}
	if err := lines.Err(); err != nil {
		s.note("warn", task, n, fmt.Sprintf("the agent's notes end early: %v", err))
	}
	return out, nil
}

// mostTold is how many lines that are no note are told one by one.
const mostTold = 3

// note is one entry of the spool, strictly.
func note(line []byte) (carrier.Divergence, error) {
	var d carrier.Divergence
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		return d, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return d, errors.New("something follows the entry")
	}
	return d, whole(d)
}

// whole asks that an entry has what the record asks of one.
func whole(d carrier.Divergence) error { return fact(d, nil).Validate() }

// readCapped reads a regular file up to a size; nil when there is none. What is
// larger is cut, so that what reads it refuses it.
func readCapped(path string, most int64) ([]byte, error) {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return []byte("not a file"), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// facts are the entries as the record takes them: the grade is the minted one, and
// secrets are masked. What a report for another task says is nobody's word.
func (a said) facts(rows []record.Row) []record.Payload {
	if a.report == nil || !a.ours {
		return nil
	}
	var out []record.Payload
	for _, d := range a.report.Divergences {
		if f := fact(d, rows); f.Validate() == nil {
			out = append(out, f)
		}
	}
	return out
}

func fact(d carrier.Divergence, rows []record.Row) record.Divergence {
	f := record.Divergence{
		Decision: masked(d.Decision), Claim: masked(d.Claim), Evidence: masked(d.Evidence),
		Action: d.Action, Why: masked(d.Why), Proposal: masked(d.Proposal),
	}
	for _, r := range rows {
		if r.ID == d.Decision {
			f.Grade = r.Grade
		}
	}
	return f
}

// summary is the agent's own sentence.
func (a said) summary() string {
	if a.report == nil || !a.ours {
		return ""
	}
	return masked(oneLine(a.report.Summary))
}

var placed = regexp.MustCompile(`^(.+?):([0-9]{1,9})(?:[^0-9].*)?$`)

// pointed reads a path:line; what follows the number is the executor's own words.
func pointed(evidence string) (file string, line int, ok bool) {
	m := placed.FindStringSubmatch(oneLine(evidence))
	if m == nil {
		return "", 0, false
	}
	line, err := strconv.Atoi(m[2])
	return m[1], line, err == nil
}
