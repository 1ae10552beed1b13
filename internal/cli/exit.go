package cli

import (
	"errors"
	"fmt"
	"strings"
)

// Outcome is how a verb ended; each has one exit code, here and nowhere else.
type Outcome int

// The outcomes. Their order is the order of the table.
const (
	Done Outcome = iota
	LawSaidNo
	NeedsPerson
	Usage
	Infrastructure
	Limit
	Interrupted
)

// exits is the one table of exit codes; help and docs/exit-codes.md are made from it.
var exits = []struct {
	Outcome Outcome
	Code    int
	Word    string // as the last line of help has it
	Means   string
}{
	{Done, 0, "done", "done; a read worked, whatever it found"},
	{LawSaidNo, 1, "refused", "the law said no (`gate`), or carriers differ (`verify`)"},
	{NeedsPerson, 2, "needs a person", "a task of this run needs a person, or is accepted and blocked"},
	{Usage, 3, "usage", "usage or configuration: the command, a contract or a setting is wrong"},
	{Infrastructure, 4, "broken", "infrastructure: nothing was judged"},
	{Limit, 5, "a limit", "a limit of the run ended it"},
	{Interrupted, 130, "stopped", "interrupted"},
}

// Code is the process's exit code.
func (o Outcome) Code() int {
	for _, e := range exits {
		if e.Outcome == o {
			return e.Code
		}
	}
	return 4
}

// ExitTable is docs/exit-codes.md's table.
func ExitTable() string {
	var b strings.Builder
	b.WriteString("| code | word | means |\n|---|---|---|\n")
	for _, e := range exits {
		fmt.Fprintf(&b, "| %d | %s | %s |\n", e.Code, e.Word, e.Means)
	}
	return b.String()
}

func exitLine() string {
	words := make([]string, len(exits))
	for i, e := range exits {
		words[i] = fmt.Sprintf("%d %s", e.Code, e.Word)
	}
	return "exit: " + strings.Join(words, " ")
}

// fault is an error with what a person may do about it and the code it ends with.
type fault struct {
	doing   string // what was being done
	err     error
	hint    string // the exact command or edit
	outcome Outcome
}

func (f *fault) Error() string {
	if f.doing == "" {
		return f.err.Error()
	}
	return f.doing + ": " + f.err.Error()
}

func (f *fault) Unwrap() error { return f.err }

// usage is a fault of the command, a contract or a setting.
func usage(doing, hint, format string, a ...any) error {
	return &fault{doing: doing, err: fmt.Errorf(format, a...), hint: hint, outcome: Usage}
}

// broken is a fault of what torve stands on.
func broken(doing, hint string, err error) error {
	if err == nil {
		return nil
	}
	var f *fault
	if errors.As(err, &f) {
		return err
	}
	return &fault{doing: doing, err: err, hint: hint, outcome: Infrastructure}
}

// ended is returned by a verb that printed its answer and ends with a code other than 0.
type ended struct{ outcome Outcome }

func (e ended) Error() string { return fmt.Sprintf("ended with %d", e.outcome.Code()) }

func end(o Outcome) error {
	if o == Done {
		return nil
	}
	return ended{o}
}
