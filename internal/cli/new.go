package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"torve/internal/contract"
	"torve/internal/process"
)

// draft is what new and run are asked for.
type draft struct {
	title, agent, spec           string
	allow, deny, accept, depends []string
	edit, commit                 bool
}

func (d *draft) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&d.allow, "allow", nil, "a glob of where the work may touch (repeat it)")
	f.StringArrayVar(&d.deny, "deny", nil, "a glob that it may not touch; it wins")
	f.StringArrayVar(&d.accept, "accept", nil, "a command that must exit 0 (repeat it)")
	f.StringArrayVar(&d.depends, "depends-on", nil, "a task that must have landed")
	f.StringVar(&d.agent, "agent", "", "adapter or adapter@model")
	f.StringVar(&d.spec, "spec", "", "the spec whose decisions it inherits")
}

func (a *app) newCmd() *cobra.Command {
	var d draft
	c := &cobra.Command{
		Use:   `new "title"`,
		Short: "write a contract that is valid as written",
		Args:  oneArg("new", `torve new "what you want" --allow 'where/**'`),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.noJSON("new"); err != nil {
				return err
			}
			d.title = args[0]
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
	if d.commit {
		if err := s.commitContract(ctx, id, path); err != nil {
			return err
		}
		a.say("committed it on %s", s.branch(ctx))
		a.say("next: %s", s.afterCommit(ctx))
		return nil
	}
	a.say("next: git add .torve && git commit -m \"Ask for %s\" && torve dispatch", id)
	return nil
}

// sayHolds says the two rules of a contract that people are surprised by later.
func (a *app) sayHolds(c contract.Contract) {
	if c.Scope.Everything() {
		a.say("scope is everything: nothing runs beside it. Narrow it with --allow")
	}
	if c.Tests == "change" {
		a.say("tests may change")
	} else if a.verbose || c.Scope.Everything() {
		a.say("tests are kept: none may be lost")
	}
}

// writeContract makes the contract of a draft and writes its file.
func (s *session) writeContract(ctx context.Context, d draft) (id, path string, err error) {
	if err := s.need("new"); err != nil {
		return "", "", err
	}
	if s.root() == "" {
		return "", "", usage("new", "run it in a worktree", "a bare repository has no work tree to write a contract into")
	}
	if len(d.accept) == 0 && len(s.cfg.Acceptance) == 0 && !d.edit {
		return "", "", usage("new", fmt.Sprintf("torve new %q --accept 'the command that must pass'", d.title),
			"nothing would say when it is done: %s has no acceptance, and no --accept is given", configFile)
	}
	for range 100 { // two people may ask for the next id at once: the file is made exclusively
		if id, err = s.nextID(ctx); err != nil {
			return "", "", err
		}
		c := d.contract(id)
		path = contract.PathOf(id)
		text := contract.Render(c)
		if _, err := contract.Parse(path, text); err != nil {
			return "", "", err
		}
		wrote, err := writeNew(s.root(), path, string(text))
		if err != nil {
			return "", "", broken("writing "+path, "", err)
		}
		if wrote {
			return id, path, writeSchemas(s.root())
		}
	}
	return "", "", broken("finding a free id", "", errors.New("a hundred ids in a row were taken"))
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
	if s.log != nil {
		for e, err := range s.log.Read(ctx, s.named.partition, 1) {
			if err != nil {
				return "", broken("reading the record", "", err)
			}
			taken = append(taken, e.Task)
		}
		s.log.Close()
		s.log = nil // read-only: a verb that goes on to write opens it anew
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
		steps = append(steps, "git switch "+s.cfg.Target, "git merge "+first(branch, short(commit)))
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
			return usage("editing "+path, "export EDITOR=...", "no editor is named")
		}
		editor = "vi"
	}
	argv := []string{"/bin/sh", "-c", editor + ` "$1"`, "sh", filepath.Join(root, path)}
	exit, err := process.Interactive(ctx, argv, root, os.Environ(), a.in, a.out, a.err)
	if err == nil && exit != 0 {
		err = fmt.Errorf("%s exited %d", editor, exit)
	}
	return broken("editing "+path, "", err)
}

func (a *app) runCmd() *cobra.Command {
	var d draft
	o := dispatchFlags{}
	c := &cobra.Command{
		Use:   `run "title"`,
		Short: "new, commit and dispatch in one, for a small job",
		Args:  oneArg("run", `torve run "Answer 404" --allow 'orders/**'`),
		RunE: func(c *cobra.Command, args []string) error {
			d.title = args[0]
			return a.runRun(c.Context(), d, o)
		},
	}
	d.flags(c)
	return c
}

func (a *app) runRun(ctx context.Context, d draft, o dispatchFlags) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	if b := s.branch(ctx); b != s.cfg.Target && s.cfgErr == nil {
		return usage("run", "git switch "+s.cfg.Target, "it commits the contract here, on %s, and work lands on %s", b, s.cfg.Target)
	}
	id, path, err := s.writeContract(ctx, d)
	if err != nil {
		return err
	}
	if err := s.commitContract(ctx, id, path); err != nil {
		return err
	}
	a.say("asked for %s, committed on %s", id, s.cfg.Target)
	return a.runDispatch(ctx, o, []string{id})
}
