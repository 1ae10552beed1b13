package cli

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/truth"
	"torve/internal/view"
)

func (a *app) findingsCmd() *cobra.Command {
	var task string
	var all bool
	c := &cobra.Command{
		Use:   "findings",
		Short: "what reviews found, by severity; findings add, findings close",
		Long:  "the ledger of review findings, .torve/findings.jsonl: what is open, the gravest first; it is read from the file whatever record is named, and it only grows",
		Args:  noArgs("findings"),
		RunE:  func(c *cobra.Command, _ []string) error { return a.runFindings(c.Context(), task, all) },
	}
	c.Flags().StringVar(&task, "task", "", "only those of `TASK`")
	c.Flags().BoolVar(&all, "all", false, "the closed ones too")
	c.AddCommand(a.findingsAddCmd(), a.findingsCloseCmd())
	return c
}

func (a *app) runFindings(ctx context.Context, task string, all bool) error {
	if task != "" {
		if err := ids("findings", []string{task}); err != nil {
			return err
		}
	}
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	o := s.viewOptions()
	o.Only, o.All = task, all
	doc, err := view.Findings(o)
	if err != nil {
		return broken("reading the findings", "", err)
	}
	return a.answer(doc, doc.Faults)
}

func (a *app) findingsAddCmd() *cobra.Command {
	f := carrier.Finding{State: carrier.FindingOpen}
	var at string
	c := &cobra.Command{
		Use:   `add "claim"`,
		Short: "add a finding to the ledger",
		Example: `    torve findings add "the check is lost" --task T-0007 --severity major
    torve findings add "no test" --task T-0007 --severity minor --at seam.go:42`,
		Args: oneArg("findings add", "a claim", `torve findings add --task T-0007 --severity major "..."`),
		RunE: func(c *cobra.Command, args []string) error {
			f.Claim = noSecrets(args[0])
			return a.addFinding(c.Context(), f, at)
		},
	}
	c.Flags().StringVar(&f.Task, "task", "", "the `TASK` whose work it is about")
	c.Flags().StringVar(&f.Severity, "severity", "", "how grave it is, a `WORD`: minor, major or blocker")
	c.Flags().StringVar(&at, "at", "", "where: `PATH:LINE`, or PATH")
	c.Flags().IntVar(&f.Attempt, "attempt", 0, "at which attempt `N` one looked; else the last")
	c.Flags().StringVar(&f.Commit, "commit", "", "at which `COMMIT` one looked; else the attempt's")
	return c
}

func (a *app) addFinding(ctx context.Context, f carrier.Finding, at string) error {
	const verb = "findings add"
	s, r, who, err := a.ledgers(ctx, verb, f.Task)
	if err != nil {
		return err
	}
	f.At, f.By = a.now(), who
	f.Path, f.Line = placeOf(at)
	if f.Path != "" {
		f.Path = s.fromHere(f.Path)
	}
	if err := s.looked(ctx, r, &f); err != nil {
		return err
	}
	f.ID = carrier.FindingID(f)
	l, err := s.findings(verb)
	if err != nil {
		return err
	}
	if was, there := l.Find(f.ID); there && was.State == carrier.FindingOpen {
		a.say("%s is open already, by %s", f.ID, was.By)
		a.next("torve findings --task " + f.Task)
		return nil
	}
	if err := s.append(verb, carrier.AppendFinding(s.ledger("findings.jsonl"), f)); err != nil {
		return err
	}
	a.say("%s  %s  %s  %s", f.ID, f.Severity, f.Task, f.Place())
	a.next("torve findings --task " + f.Task)
	return nil
}

// looked fills in which attempt and which commit a finding is about, where nobody named
// them: the landed work, else the newest that is kept, else none.
func (s *session) looked(ctx context.Context, r *truth.Reading, f *carrier.Finding) error {
	if f.Attempt != 0 || f.Commit != "" {
		return nil
	}
	w, err := view.Look(ctx, r, s.viewOptions(), f.Task)
	if isUnknown(err) {
		return nil // nothing was done yet: the finding is about the task
	}
	if err != nil {
		return broken("looking at the work", "", err)
	}
	f.Commit, f.Attempt = w.To, w.Attempt
	return nil
}

func (a *app) findingsCloseCmd() *cobra.Command {
	var fixed, dismissed bool
	var why string
	c := &cobra.Command{
		Use:     "close ID",
		Short:   "close a finding: --fixed, or --dismissed --why",
		Example: `    torve findings close F-1a2b3c4 --dismissed --why "it is meant so"`,
		Args:    oneArg("findings close", "the id of a finding", "torve findings"),
		RunE: func(c *cobra.Command, args []string) error {
			if fixed == dismissed {
				return usage("findings close", "torve findings close "+args[0]+" --fixed", "it is either --fixed or --dismissed")
			}
			state := carrier.FindingFixed
			if dismissed {
				state = carrier.FindingDismissed
			}
			return a.closeFinding(c.Context(), args[0], state, noSecrets(why))
		},
	}
	c.Flags().BoolVar(&fixed, "fixed", false, "it was mended")
	c.Flags().BoolVar(&dismissed, "dismissed", false, "it was none; say --why")
	c.Flags().StringVar(&why, "why", "", "a `LINE`: why it is closed")
	return c
}

func (a *app) closeFinding(ctx context.Context, id, state, why string) error {
	const verb = closes
	s, _, who, err := a.ledgers(ctx, verb, "")
	if err != nil {
		return err
	}
	l, err := s.findings(verb)
	if err != nil {
		return err
	}
	was, there := l.Find(id)
	switch {
	case !there:
		return usage(verb, "torve findings --all", "no finding is called %s", id)
	case was.State == state:
		a.say("%s is %s already, by %s", id, state, was.ClosedBy)
		a.next("torve findings")
		return nil
	}
	row := carrier.Finding{At: a.now(), ID: id, Task: was.Task, By: who, State: state, Why: why}
	if err := s.append(verb, carrier.AppendFinding(s.ledger("findings.jsonl"), row)); err != nil {
		return err
	}
	a.say("%s is %s", id, state)
	a.next("torve findings")
	return nil
}

// ledgers opens what a ledger's writer needs: who writes, and, where a task is asked for,
// that any carrier knows it.
func (a *app) ledgers(ctx context.Context, verb, task string) (*session, *truth.Reading, string, error) {
	s, err := a.open(ctx)
	if err != nil {
		return nil, nil, "", err
	}
	if err := cmp.Or(s.need(verb), s.outside(verb)); err != nil {
		return nil, nil, "", err
	}
	if s.ledger("") == "" {
		return nil, nil, "", usage(verb, "git worktree add", "a bare repository has no work tree to keep a ledger in")
	}
	if home := filepath.Dir(s.ledger("x")); !isFolder(home) {
		return nil, nil, "", usage(verb, "git -C "+board.Quoted(s.repo.Main)+" switch "+s.cfg.Target, "the ledgers stand in the main work tree, and there is no %s there now", home)
	}
	p, err := s.identity(ctx)
	if err != nil || verb == closes {
		return s, nil, p.Email, err
	}
	if err := ids(verb, []string{task}); err != nil {
		return nil, nil, "", err
	}
	_, r, err := a.read(ctx)
	if err == nil && !r.Settled(task).Known() {
		err = usage(verb, "torve status", "%s: no carrier knows this task", task)
	}
	return s, r, p.Email, err
}

// findings reads the ledger for a verb that adds to it. Lines that do not read are told,
// and hinder nobody: the ledger only grows.
func (s *session) findings(verb string) (carrier.Findings, error) {
	l, faults, err := carrier.ReadFindings(s.ledger("findings.jsonl"))
	for _, f := range faults {
		s.a.warn("%v", f)
	}
	return l, broken(verb, "", err)
}

// append is what a ledger's writer came to: a row that it would not take is the person's.
func (s *session) append(verb string, err error) error {
	if err == nil || isDisk(err) {
		return broken(verb, "", err)
	}
	return usage(verb, "torve "+verb+" --help", "%v", err)
}

// closes is the one writer that names a finding and no task.
const closes = "findings close"

func isFolder(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}

// placeOf reads PATH:LINE, or PATH.
func placeOf(at string) (path string, line int) {
	if i := strings.LastIndexByte(at, ':'); i > 0 {
		if n, err := strconv.Atoi(at[i+1:]); err == nil && n > 0 {
			return at[:i], n
		}
	}
	return at, 0
}
