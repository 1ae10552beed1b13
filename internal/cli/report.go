package cli

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"torve/internal/answer"
	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/dispatch"
	"torve/internal/git"
	"torve/internal/landing"
	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/strictyaml"
	"torve/internal/view"
)

// errorDocument is the one form of an error with --json.
type errorDocument struct {
	Schema string `json:"schema"`
	Error  string `json:"error"`
	Hint   string `json:"hint"`
	Code   int    `json:"code"`
}

// fail prints an error in its one form on stderr, text or JSON, and gives the exit code.
func (a *app) fail(err error) int {
	var e ended
	switch {
	case errors.As(err, &e):
		return e.outcome.Code()
	case errors.Is(err, syscall.EPIPE): // whoever read has read enough
		return Done.Code()
	}
	why, hint, outcome := explain(err)
	hint = first(hint, a.s.later(err))
	why, hint = unsecret(why), unsecret(strings.TrimPrefix(a.again("hint: "+hint), "hint: "))
	if a.json {
		writeJSON(a.err, errorDocument{"torve/error/v1", why, hint, outcome.Code()})
		return outcome.Code()
	}
	text := "torve: error: " + why
	if hint != "" {
		text += "\ntorve: hint: " + hint
	}
	fmt.Fprintln(a.err, a.style().Print(text))
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
	if store := new(postgres.Fault); errors.As(err, &store) {
		why = store.Error() // it says it all
	}
	var bad *strictyaml.Error
	var not *answer.NotAllowed
	var attested *landing.NotAllowed
	var unknown *view.Unknown
	switch {
	case errors.As(err, &not):
		return why, not.Hint, Usage
	case errors.As(err, &attested):
		return why, attested.Hint, Usage
	case errors.As(err, &unknown):
		return why, unknown.Hint, Usage
	case errors.As(err, &bad):
		return why, first(hint, bad.Hint), Usage
	case errors.Is(err, answer.ErrGoesOn):
		return why, first(hint, "torve status"), outcome
	case errors.Is(err, dispatch.ErrUnknown): // wrapped as what broke, which it is not
		return why, first(hint, "torve status"), Usage
	case errors.Is(err, git.ErrNoRepository):
		return why, first(hint, "git init"), Usage
	case errors.Is(err, git.ErrUnborn):
		return why, first(hint, `git commit --allow-empty -m "First commit"`), Usage
	case errors.Is(err, git.ErrShallow):
		return why, first(hint, "git fetch --unshallow"), outcome
	case errors.Is(err, record.ErrElsewhere), errors.Is(err, record.ErrBench):
		return why, first(hint, "name another one in .torve/config.yaml: record: {partition: NAME}"), Usage
	case strings.Contains(why, "dubious ownership"): // git's safe.directory has no code of its own
		return why, first(hint, "git config --global --add safe.directory "+board.Quoted(dubious(why))), Usage
	}
	return why, hint, outcome
}

// dubious is the folder that git refuses to look into.
func dubious(why string) string {
	_, rest, _ := strings.Cut(why, "repository at '")
	dir, _, found := strings.Cut(rest, "'")
	if !found {
		return "."
	}
	return dir
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
