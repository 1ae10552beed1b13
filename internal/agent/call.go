package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// longest is what one argument may hold: the kernel's 128 KiB, and its end.
const longest = 128<<10 - 1

// The ways in which a prompt is handed over.
const (
	byFile  = "file"
	byStdin = "stdin"
	byArg   = "arg"
)

// call is one way to start the program.
type call struct {
	argv  []string
	stdin io.Reader
}

// call fills the command in. A prompt that does not fit an argument goes by stdin where
// the program is known to read it there; else it is an error that says what to set.
func (p *program) call(a Ask) (call, error) {
	argv, way := p.argv(), p.way()
	misfit := ""
	if slices.ContainsFunc(argv, func(arg string) bool { return strings.Contains(arg, "{prompt}") }) {
		misfit = unfit(a.Prompt, argv)
	}
	if way == byArg && misfit != "" {
		if !p.pipes() {
			return call{}, fmt.Errorf("the prompt of %d bytes cannot be an argument: %s; set prompt: stdin or prompt: file", len(a.Prompt), misfit)
		}
		argv, way = p.kind.piped, byStdin
	}
	if p.way() == byStdin && p.pipes() {
		argv = p.kind.piped
	}
	c := call{argv: p.fill(argv, a)}
	if way == byStdin {
		c.stdin = bytes.NewReader(a.Prompt)
	}
	return c, nil
}

// argv is what is run, before it is filled in.
func (p *program) argv() []string {
	if len(p.set.Run) > 0 {
		return p.set.Run
	}
	return p.kind.run
}

// pipes reports whether the program is known to take its prompt on stdin: a built-in
// that runs as it stands in the table.
func (p *program) pipes() bool { return len(p.set.Run) == 0 && len(p.kind.piped) > 0 }

// way is how the prompt is handed over.
func (p *program) way() string {
	switch {
	case p.set.Prompt != "":
		return p.set.Prompt
	case names(p.argv(), "{prompt}"):
		return byArg
	}
	return byFile
}

// fill puts the values in, each once: a prompt that holds {dir} stays as it is.
func (p *program) fill(argv []string, a Ask) []string {
	with := strings.NewReplacer("{prompt}", string(a.Prompt), "{prompt_file}", a.PromptFile, "{dir}", a.Dir, "{model}", p.model)
	var out []string
	for _, arg := range argv {
		out = append(out, with.Replace(arg))
	}
	if p.model != "" && len(p.set.Run) == 0 {
		for _, arg := range p.kind.model {
			out = append(out, with.Replace(arg))
		}
	}
	return append(out, p.set.Args...)
}

// unfit is why the prompt cannot be an argument; "" when it can.
func unfit(prompt []byte, argv []string) string {
	room := longest
	for _, arg := range argv {
		if strings.Contains(arg, "{prompt}") {
			room = min(room, longest-len(arg)+len("{prompt}"))
		}
	}
	switch {
	case len(prompt) > room:
		return fmt.Sprintf("it holds at most %d bytes", room)
	case bytes.IndexByte(prompt, 0) >= 0:
		return "it holds no zero byte"
	case bytes.HasPrefix(prompt, []byte("-")) && slices.Contains(argv, "{prompt}"):
		return "it begins with a dash and would be taken for an option"
	}
	return ""
}

// fault is what is wrong with the entry; nil when nothing is.
func (p *program) fault() error {
	switch {
	case len(p.argv()) == 0:
		return fmt.Errorf("it has no run; %s", example(p.name))
	case p.set.Prompt != "" && !slices.Contains([]string{byFile, byStdin, byArg}, p.set.Prompt):
		return fmt.Errorf("prompt: %s is none of file, stdin, arg", p.set.Prompt)
	case p.way() == byArg && !names(p.argv(), "{prompt}"):
		return errors.New("prompt: arg needs a {prompt} in its run")
	case p.way() == byFile && names(p.argv(), "{prompt}"):
		return errors.New("its run has a {prompt}, and prompt: file hands over none; write {prompt_file} or prompt: arg")
	case p.asked && !p.takesModel():
		return fmt.Errorf("it cannot be told to use %s: there is no {model} in its run", p.model)
	}
	return nil
}

// takesModel reports whether a model that is asked for reaches the program.
func (p *program) takesModel() bool {
	if len(p.set.Run) > 0 {
		return names(p.set.Run, "{model}") || names(p.kind.set, "{model}")
	}
	return len(p.kind.model) > 0 || names(p.kind.set, "{model}")
}

// names reports whether an argument holds the word.
func names(argv []string, word string) bool {
	return slices.ContainsFunc(argv, func(arg string) bool { return strings.Contains(arg, word) })
}
