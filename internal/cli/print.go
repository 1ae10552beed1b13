package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"torve/internal/board"
	"torve/internal/process"
	"torve/internal/view"
)

// say prints a line for people on stdout, unless --quiet or --json leave it out.
func (a *app) say(format string, args ...any) {
	if !a.quiet {
		a.tell(format, args...)
	}
}

// tell prints a line that --quiet does not leave out: an answer, or what needs a person.
func (a *app) tell(format string, args ...any) {
	if !a.json {
		text := strings.TrimRight(fmt.Sprintf(format, args...), " ")
		fmt.Fprintln(a.out, unsecret(a.style().Print(a.again(text))))
	}
}

// unsecret is a text without what reaches the record: what a server, a program or a file
// says may repeat it.
func unsecret(text string) string {
	return passwordInURL.ReplaceAllString(string(process.Masked([]byte(text), nil)), "$1***@")
}

// passwordInURL finds the password of a dsn that nobody named as one.
var passwordInURL = regexp.MustCompile(`(postgres(?:ql)?://[^\s:/@]*:)[^\s/@]+@`)

// wrapped is a text behind a lead, within the width, its further lines indented. A
// command goes by say, and is never broken.
func (a *app) wrapped(lead, text string, indent int) string {
	return strings.Join(a.style().Lines(lead, text, indent), "\n")
}

// labelled is a line of a run: a state word of nine columns, painted, the task that it is
// about, and a text that goes on below itself.
func (a *app) labelled(word, task, text string) string {
	lead, indent := fmt.Sprintf("%-9s ", word), 10
	if task != "" {
		lead, indent = lead+task+"  ", 18
	}
	return a.style().Paint(word) + strings.TrimPrefix(a.wrapped(lead, text, indent), word)
}

// next prints the one command to paste.
func (a *app) next(command string) { a.say("next: %s", command) }

// warn prints a line beside the answer, on stderr.
func (a *app) warn(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintln(a.err, unsecret(a.style().Print("torve: "+fmt.Sprintf(format, args...))))
	}
}

// style is how text is written here: as wide as the terminal, at most 100 columns.
func (a *app) style() view.Style {
	return view.Style{Width: a.width(), ASCII: !a.utf8(), Color: a.color(), Zone: time.Local, Below: a.below()}
}

func (a *app) width() int {
	if f, ok := a.out.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w >= 40 {
			return min(w, 100)
		}
	}
	return 80
}

// below reports whether the command runs in a folder below the work tree's top.
func (a *app) below() bool {
	return a.s != nil && a.s.repo != nil && a.s.fromHere(".torve") != ".torve"
}

// color reports whether stdout is a terminal on which nobody has switched colour off.
func (a *app) color() bool {
	return isTerminal(a.out) && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb"
}

// utf8 reports whether the locale says that characters beyond ASCII may be printed.
func (a *app) utf8() bool {
	locale := strings.ToLower(first(a.env("LC_ALL"), a.env("LC_CTYPE"), a.env("LANG")))
	return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
}

// confirm asks a person, or takes --yes; without a terminal and without it, it refuses.
func (a *app) confirm(verb, question string) error {
	if a.yes {
		return nil
	}
	if !isTerminal(a.in) {
		return usage(verb, a.typed()+" --yes", "it asks before it acts, and there is no terminal to ask on")
	}
	fmt.Fprintf(a.err, "%s [y/N] ", question)
	var reply string
	if _, err := fmt.Fscanln(a.in, &reply); err != nil && !errors.Is(err, io.EOF) {
		reply = ""
	}
	if r := strings.ToLower(strings.TrimSpace(reply)); r == "y" || r == "yes" {
		return nil
	}
	return usage(verb, "", "not confirmed, and nothing was done")
}

// typed is the command as the person typed it; of a dsn no more than the form in which
// nobody else reads it.
func (a *app) typed() string {
	words := []string{"torve"}
	for i, w := range a.args {
		flag, value, joined := strings.Cut(w, "=")
		switch {
		case joined && slices.Contains(dsnFlags, flag) && !isFile(value):
			w = flag + "=@FILE"
		case i > 0 && slices.Contains(dsnFlags, a.args[i-1]) && !isFile(w):
			w = "@FILE"
		}
		words = append(words, board.Quoted(w))
	}
	return strings.Join(words, " ")
}

// isTerminal reports whether w is a terminal that a person looks at.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// writeJSON prints one document, with nothing in it that reaches the record.
func writeJSON(w io.Writer, v any) error {
	doc, err := encoded(v)
	if err != nil {
		return err
	}
	_, err = w.Write(process.Masked(doc, nil))
	return err
}

func encoded(v any) ([]byte, error) {
	var doc bytes.Buffer
	enc := json.NewEncoder(&doc)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return doc.Bytes(), err
}

func joined(a []string) string { return strings.Join(a, ", ") }

func first(a ...string) string {
	for _, s := range a {
		if s != "" {
			return s
		}
	}
	return ""
}

// isCommand reports whether a hint can be pasted.
func isCommand(hint string) bool {
	for _, program := range []string{"git ", "torve ", "${EDITOR", "pg_isready ", "createdb ", "createuser "} {
		if strings.HasPrefix(hint, program) {
			return true
		}
	}
	return false
}
