package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"torve/internal/answer"
	"torve/internal/contract"
	"torve/internal/git"
	"torve/internal/landing"
	"torve/internal/record"
	"torve/internal/strictyaml"
)

// errorDocument is the one form of an error with --json.
type errorDocument struct {
	Schema string `json:"schema"`
	Error  string `json:"error"`
	Hint   string `json:"hint"`
	Code   int    `json:"code"`
}

// reportError prints an error in its one form, text or JSON, and gives the exit code.
func reportError(w io.Writer, err error, asJSON bool) int {
	var e ended
	if errors.As(err, &e) {
		return e.outcome.Code()
	}
	why, hint, outcome := explain(err)
	if asJSON {
		writeJSON(w, errorDocument{"torve/error/v1", why, hint, outcome.Code()})
		return outcome.Code()
	}
	fmt.Fprintf(w, "torve: error: %s\n", why)
	if hint != "" {
		fmt.Fprintf(w, "torve: hint: %s\n", hint)
	}
	return outcome.Code()
}

// explain gives an error's words, its hint and how the run ended; the sentinels of
// the other packages get their hint here, once.
func explain(err error) (why, hint string, outcome Outcome) {
	why, outcome = strings.TrimSpace(err.Error()), Infrastructure
	var f *fault
	if errors.As(err, &f) {
		hint, outcome = f.hint, f.outcome
	}
	var bad *strictyaml.Error
	var not *answer.NotAllowed
	var attested *landing.NotAllowed
	switch {
	case errors.As(err, &not):
		return why, not.Hint, Usage
	case errors.As(err, &attested):
		return why, attested.Hint, Usage
	case errors.As(err, &bad):
		return why, first(hint, bad.Hint), Usage
	case errors.Is(err, git.ErrNoRepository):
		return why, first(hint, "git init"), Usage
	case errors.Is(err, git.ErrUnborn):
		return why, first(hint, `git commit --allow-empty -m "First commit"`), Usage
	case errors.Is(err, git.ErrShallow):
		return why, first(hint, "git fetch --unshallow"), outcome
	case errors.Is(err, record.ErrElsewhere):
		return why, first(hint, "name another one in .torve/config.yaml: record: {partition: NAME}"), Usage
	}
	return why, hint, outcome
}

func first(a ...string) string {
	for _, s := range a {
		if s != "" {
			return s
		}
	}
	return ""
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// isTerminal reports whether w is a terminal that a person looks at.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// ids checks that each argument is a task id, before anything is opened.
func ids(verb string, args []string) error {
	for _, a := range args {
		if !contract.ValidID(a) {
			return usage(verb, "torve status", "%q is no task id, such as T-0001", a)
		}
	}
	return nil
}
