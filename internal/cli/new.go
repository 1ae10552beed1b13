package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"torve/internal/agent"
	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/failpoint"
	"torve/internal/gate"
	"torve/internal/process"
	"torve/internal/strictyaml"
	"torve/internal/view"
)

// draft is what new and run are asked for.
type draft struct {
	title, agent, spec           string
	allow, deny, accept, depends []string
	edit, commit                 bool
	verb, typed                  string // new or run, and the flags that were given, as a shell takes them
}

func (d *draft) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&d.allow, "allow", nil, "a `GLOB` of where the work may touch (repeat it)")
	f.StringArrayVar(&d.deny, "deny", nil, "a `GLOB` that it may not touch; it wins")
	f.StringArrayVar(&d.accept, "accept", nil, "a `COMMAND` that must exit 0 (repeat it)")
	f.StringArrayVar(&d.depends, "depends-on", nil, "a `TASK` that must have landed")
	f.StringVar(&d.agent, "agent", "", "`NAME` of an adapter, or adapter@model")
	f.StringVar(&d.spec, "spec", "", "the `SPEC` whose decisions it inherits")
}

func (a *app) newCmd() *cobra.Command {
	var d draft
	c := &cobra.Command{
		Use:   `new "title"`,
		Short: "write a contract that is valid as written",
		Example: `    torve new "Answer 404 for an unknown order" --allow 'orders/**' --edit
    torve new "Check the ZIP" --allow 'post/**' --accept 'make test' --commit`,
		Args: oneArg("new", "a title", `torve new "what you want" --allow 'where/**'`),
		RunE: func(c *cobra.Command, args []string) error {
			d.title, d.verb, d.typed = args[0], "new", typed(c, nil)
			return a.runNew(c.Context(), d)
		},
	}
	d.flags(c)
	c.Flags().BoolVar(&d.edit, "edit", false, "open it in your editor")
	c.Flags().BoolVar(&d.commit, "commit", false, "commit it")
	return c
}

func (a *app) runNew(ctx context.Context, d draft) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	id, path, err := s.writeContract(ctx, d)
	if err != nil {
		return err
	}
	a.say("wrote %s", path)
	if d.edit {
		if err := a.editFile(ctx, s.root(), path); err != nil {
			return err
		}
	}
	c, err := s.readContract(path)
	if err != nil {
		return err
	}
	a.sayHolds(c)
	s.sayMissing(c)
	if !d.commit {
		a.next(fmt.Sprintf("git add .torve && git commit -m %q && torve dispatch", "Ask for "+id))
		return nil
	}
	if err := s.commitContract(ctx, id, path); err != nil {
		return err
	}
	failpoint.Hit(failpoint.NewCommitted)
	a.say("committed on %s", s.branch(ctx))
	a.next(s.afterCommit(ctx))
	return nil
}

// sayHolds says the two rules of a contract that people are surprised by later.
func (a *app) sayHolds(c contract.Contract) {
	if c.Scope.Everything() {
		a.say("scope is everything: nothing runs beside it. Narrow it with --allow")
	}
	named := gate.TestGlobs(c)
	switch {
	case c.Tests == "change":
		a.say("tests may change: the contract says so")
	case len(named) > 0:
		a.say("%s", a.wrapped("", "tests may change: scope.allow names "+joined(named), 2))
	default:
		a.say("tests are kept: none may be lost")
	}
}

// sayMissing says what the contract names and this repository does not have yet.
func (s *session) sayMissing(c contract.Contract) {
	name := first(c.Agent.At(1), s.cfg.Agent.Default)
	_, err := agent.Find(name, s.agents(), process.Look)
	switch {
	case name == "":
		s.a.say("%s", s.a.wrapped("note: ", "no agent is set for it: --agent, or agent: {default: "+s.lone()+"} in "+configFile, 6))
	case err != nil:
		s.a.say("%s", s.a.wrapped("note: ", "no agent "+name+" is set here yet, and mint refuses it until there is one", 6))
	}
	if len(c.Acceptance)+len(s.cfg.Acceptance) == 0 {
		s.a.say("%s", s.a.wrapped("note: ", "nothing says when it is done: give it an acceptance line, or it is refused", 6))
	}
}

// writeContract makes the contract of a draft and writes its file.
func (s *session) writeContract(ctx context.Context, d draft) (id, path string, err error) {
	if err := s.mayWrite(d); err != nil {
		return "", "", err
	}
	for range 100 { // two people may ask for the next id at once: the file is made exclusively
		if id, err = s.nextID(ctx); err != nil {
			return "", "", err
		}
		c := d.contract(id)
		path = contract.PathOf(id)
		text := contract.Render(c)
		if _, err := contract.Parse(path, text); err != nil {
			return "", "", badDraft(err)
		}
		wrote, err := writeNew(s.root(), path, string(text))
		if err != nil {
			return "", "", broken("writing "+path, "", err)
		}
		if wrote {
			failpoint.Hit(failpoint.NewWritten)
			return id, path, writeSchemas(s.root())
		}
	}
	return "", "", broken("finding a free id", "", errors.New("a hundred ids in a row were taken"))
}

// mayWrite refuses a draft that could not come into force, before a file is written.
func (s *session) mayWrite(d draft) error {
	if err := s.need("new"); err != nil {
		return err
	}
	if err := s.outside("new"); err != nil {
		return err
	}
	if s.root() == "" {
		return usage("new", "git worktree add ../work && cd ../work", "a bare repository has no work tree to write a contract into")
	}
	if len(d.accept) == 0 && len(s.cfg.Acceptance) == 0 && !d.edit {
		return usage(d.verb, fmt.Sprintf("torve %s %q%s --accept 'the command that must pass'", d.verb, d.title, d.typed),
			"nothing would say when it is done: %s has no acceptance, and no --accept is given", configFile)
	}
	return nil
}

// badDraft says what is wrong with what was asked for: its file is not there to look at.
func badDraft(err error) error {
	var bad *strictyaml.Error
	if errors.As(err, &bad) {
		return usage("new", bad.Hint, "%s", bad.Why)
	}
	return err
}

// contract is the draft as a contract, with the defaults of what it does not say.
func (d draft) contract(id string) contract.Contract {
	c := contract.Default()
	c.ID, c.Title, c.Spec, c.DependsOn = id, d.title, d.spec, d.depends
	c.Scope = contract.Scope{Allow: d.allow, Deny: d.deny}
	c.Acceptance = d.accept
	if len(c.Scope.Allow) == 0 {
		c.Scope.Allow = []string{"**"}
	}
	if d.agent != "" {
		c.Agent = contract.Agents{d.agent}
	}
	return c
}

// nextID is free on every local and remote branch, in the work tree and in the record.
func (s *session) nextID(ctx context.Context) (string, error) {
	var taken []string
	if out, err := s.repo.Run(ctx, "log", "--all", "--no-renames", "--diff-filter=A", "--name-only", "--format=", "--", ".torve/tasks"); err == nil {
		for line := range strings.Lines(out) {
			taken = append(taken, idIn(strings.TrimSpace(line)))
		}
	}
	entries, err := os.ReadDir(filepath.Join(s.root(), ".torve", "tasks"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", broken("listing .torve/tasks", "", err)
	}
	for _, e := range entries {
		taken = append(taken, e.Name())
	}
	if err := s.openRead(ctx); err != nil {
		return "", err
	}
	if s.log == nil {
		return contract.NextID(taken), nil
	}
	b, err := s.ours(ctx)
	if err != nil {
		return "", err
	}
	for id := range b.Tasks {
		taken = append(taken, id)
	}
	return contract.NextID(taken), nil
}

// idIn is the task id in .torve/tasks/<id>/...
func idIn(path string) string {
	parts := strings.Split(path, "/")
	if len(parts) < 3 {
		return ""
	}
	return parts[2]
}

func (s *session) readContract(path string) (contract.Contract, error) {
	data, err := os.ReadFile(filepath.Join(s.root(), path))
	if err != nil {
		return contract.Contract{}, broken("reading "+path, "", err)
	}
	return contract.Parse(path, data)
}

// commitContract commits one contract file and nothing else that is staged.
func (s *session) commitContract(ctx context.Context, id, path string) error {
	if _, err := s.identity(ctx); err != nil {
		return err
	}
	if _, err := s.repo.Run(ctx, "add", "--", path); err != nil {
		return broken("adding "+path, "", err)
	}
	failpoint.Hit(failpoint.NewAdded)
	_, err := s.repo.Run(ctx, "commit", "--quiet", "-m", "Ask for "+id, "--", path)
	return broken("committing "+path, "git commit -m \"Ask for "+id+"\" -- "+path, err)
}

func (s *session) branch(ctx context.Context) string {
	b, _, err := s.repo.Head(ctx)
	if err != nil || b == "" {
		return "a detached HEAD"
	}
	return b
}

// afterCommit is what brings a contract that was just committed here to the target,
// and runs it.
func (s *session) afterCommit(ctx context.Context) string {
	branch, commit, err := s.repo.Head(ctx)
	steps := []string{}
	if err == nil && branch != s.cfg.Target {
		steps = append(steps, board.Merge(s.cfg.Target, first(branch, view.Short(commit)), s.repo.Elsewhere(ctx, s.cfg.Target)))
	}
	if s.cfg.Landing.Push != "" {
		steps = append(steps, "git push "+s.cfg.Landing.Push+" "+s.cfg.Target)
	}
	return strings.Join(append(steps, "torve dispatch"), " && ")
}

// editFile opens a file in the person's editor and waits for it.
func (a *app) editFile(ctx context.Context, root, path string) error {
	editor := first(a.env("VISUAL"), a.env("EDITOR"))
	if editor == "" {
		if process.Look("vi") == "" {
			return usage("editing "+path, "EDITOR=nano "+a.typed(), "no editor is named, and there is no vi")
		}
		editor = "vi"
	}
	argv := []string{"/bin/sh", "-c", editor + ` "$1"`, "sh", filepath.Join(root, path)}
	exit, err := process.Interactive(ctx, argv, root, process.Person(), a.in, a.out, a.err)
	if err == nil && exit != 0 {
		return usage("editing "+path, "torve mint", "%s exited %d; the file stays as it is", editor, exit)
	}
	return broken("editing "+path, "", err)
}
