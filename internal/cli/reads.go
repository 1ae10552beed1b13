package cli

import (
	"bytes"
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"torve/internal/process"
	"torve/internal/record"
	"torve/internal/truth"
	"torve/internal/view"
)

// answerer is what every reading verb prints: one document, or text for people.
type answerer interface {
	Text(w io.Writer, s view.Style) error
}

func (a *app) print(doc answerer) error {
	if a.json {
		return writeJSON(a.out, doc)
	}
	return a.write(doc.Text)
}

// write prints what a document writes for people.
func (a *app) write(form func(io.Writer, view.Style) error) error {
	var text bytes.Buffer
	if err := form(&text, a.style()); err != nil {
		return err
	}
	_, err := io.WriteString(a.out, unsecret(a.again(text.String())))
	return err
}

func (s *session) viewOptions() view.Options {
	from := view.From{Partition: string(s.named.partition), NamedBy: s.named.by, Store: s.store.word()}
	switch {
	case s.a.files:
		from.Why = "--files asks for them"
	case s.empty:
		if from.Empty = true; s.store.dsn != "" {
			from.At = s.where()
		}
	case s.named.partition == "" && s.a.env("TORVE_DSN") != "":
		from.Why = "TORVE_DSN names a store, and no partition is named"
	}
	return view.Options{
		Repo: s.repo, Now: s.a.now(), Shared: s.cfg.Scope.Shared, Source: from,
		Manual: s.cfg.Landing.Mode == "manual", Name: s.name(), Bare: s.cfgErr != nil, Path: s.fromHere, Push: s.cfg.Landing.Push,
		Telemetry: s.telemetry(), Findings: s.ledger("findings.jsonl"), Feedback: s.ledger("feedback.jsonl"),
		Brief: !s.a.json, Zone: time.Local, Died: s.died, Runs: s.runs,
		Here: s.stationHere().MadeHere, Leases: s.leases(), Log: s.log, Apart: s.apart(),
	}
}

// accountOptions are viewOptions for a report of what attempts came to: where the files were
// asked for, the record is counted beside them. One that does not answer hinders no file.
func (s *session) accountOptions(ctx context.Context) view.Options {
	if !s.a.files || s.named.partition == "" {
		return s.viewOptions()
	}
	beside, err := s.beside(ctx)
	o := s.viewOptions()
	if o.Beside = beside; err != nil {
		o.Unasked = unsecret(err.Error())
	}
	return o
}

// besidesAnswers is how long a store may take to answer who asked for files.
const besidesAnswers = 3 * time.Second

// beside reads the record beside the files; it stays open, as a reading may go on reading.
func (s *session) beside(ctx context.Context) (*truth.Reading, error) {
	soon, cancel := context.WithTimeout(ctx, besidesAnswers)
	defer cancel()
	if err := s.openOld(soon); err != nil || s.log == nil {
		return nil, err
	}
	return s.gather(ctx, false)
}

// statusFlags are what status was asked to leave out, to answer, and to go on with.
type statusFlags struct{ mine, check, watch, all bool }

func (a *app) statusCmd() *cobra.Command {
	var f statusFlags
	c := &cobra.Command{
		Use:   "status [task]",
		Short: "what needs you, what runs, what waits and why, what landed",
		Args:  taskArgs("status", 0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case f.watch && a.json:
				return usage("status", "torve status --json", "--watch prints many boards, and --json is one document")
			case f.watch && f.check:
				return usage("status", "torve status --check", "--watch goes on, and --check answers once")
			case len(args) == 1 && !a.json && !f.watch && !f.check:
				return a.runWhy(c.Context(), args[0])
			}
			return a.runStatus(c.Context(), first(args...), f)
		},
	}
	c.Flags().BoolVar(&f.mine, "mine", false, "only what I own: my address is git's user.email")
	c.Flags().BoolVar(&f.check, "check", false, "exit 2 when something waits on a person")
	c.Flags().BoolVar(&f.watch, "watch", false, "stay, and show the board whenever it changes; Ctrl-C ends it")
	c.Flags().BoolVar(&f.all, "all", false, "no section is cut")
	return c
}

func (a *app) runStatus(ctx context.Context, only string, f statusFlags) error {
	look := func(ctx context.Context) (view.StatusAnswer, record.Seq, error) { return a.board(ctx, only, f) }
	if f.watch {
		return a.watchStatus(ctx, look)
	}
	doc, _, err := look(ctx)
	if err != nil {
		return err
	}
	if err := a.answer(doc, doc.Faults); err != nil {
		return err
	}
	if f.check && doc.NeedsPerson() {
		return end(NeedsPerson)
	}
	return nil
}

// board reads the board, and says which event was the last in it.
func (a *app) board(ctx context.Context, only string, f statusFlags) (view.StatusAnswer, record.Seq, error) {
	s, r, err := a.reading(ctx, (*session).followed)
	if err != nil {
		return view.StatusAnswer{}, 0, err
	}
	o := s.viewOptions()
	o.Only, o.All = only, f.all
	if only != "" && !r.Settled(only).Known() {
		return view.StatusAnswer{}, 0, usage("status", "torve status", "%s: no carrier knows this task", only)
	}
	if f.mine {
		p, err := s.identity(ctx)
		if err != nil {
			return view.StatusAnswer{}, 0, err
		}
		o.Mine = p.Email
	}
	doc, err := view.Status(ctx, r, o)
	var last record.Seq
	if r.Board != nil {
		last = r.Board.Seq
	}
	return doc, last, broken("reading the board", "", err)
}

func (a *app) landingsCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "landings",
		Short: "what landed, from git alone",
		Args:  noArgs("landings"),
		RunE:  func(c *cobra.Command, _ []string) error { return a.runLandings(c.Context()) },
	}
}

// runLandings needs nothing but git: no record is opened.
func (a *app) runLandings(ctx context.Context) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	r, err := s.landed(ctx)
	if err != nil {
		return err
	}
	doc, err := view.Landings(ctx, r, s.viewOptions())
	if err != nil {
		return broken("reading the landings", "", err)
	}
	if err := a.print(doc); err != nil {
		return err
	}
	if len(doc.Faults) > 0 {
		return end(Usage)
	}
	return nil
}

func (a *app) whyCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "why task|path|path:line|commit",
		Short: "who asked for this task, file, line or commit, and what was said",
		Example: `    torve why T-0007
    torve why internal/law/seam.go:42
    torve why 4e1f0aa
    torve why S-0001/D-3`,
		Args: oneArg("why", "a task, path, path:line, commit or decision", "torve why README.md:1"),
		RunE: func(c *cobra.Command, args []string) error { return a.runWhy(c.Context(), args[0]) },
	}
}

func (a *app) runWhy(ctx context.Context, subject string) error {
	s, r, err := a.readBoard(ctx)
	if err != nil {
		return err
	}
	doc, err := view.Why(ctx, r, s.viewOptions(), subject)
	if err != nil {
		return broken("why", "", err)
	}
	return a.answer(doc, doc.Faults)
}

// fromHere gives a path as the repository knows it, when it is named from a subfolder.
func (s *session) fromHere(typed string) string {
	if inside, err := s.repo.PathFrom(s.a.dir, typed); err == nil {
		return inside
	}
	return typed
}

func (a *app) diffCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "diff task",
		Short: "the kept or landed work",
		Args:  taskArgs("diff", 1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.runDiff(c.Context(), args[0])
		},
	}
}

func (a *app) runDiff(ctx context.Context, task string) error {
	s, w, err := a.look(ctx, task)
	if err != nil {
		return err
	}
	out, done := a.pager(ctx, s.root())
	err = s.repo.Patch(ctx, out, w.From, w.To, a.color())
	done()
	return broken("showing the work of "+task, w.Command, err)
}

func (a *app) showCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "show task",
		Short: "which ref holds the work, and the one command to look at it",
		Args:  taskArgs("show", 1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			_, w, err := a.look(c.Context(), args[0])
			if err != nil {
				return err
			}
			a.tell("%s  %s  %s", w.Task, w.Kind, first(w.Ref, view.Short(w.To)))
			if w.Note != "" {
				a.tell("%s", w.Note)
			}
			a.tell("next: %s", w.Command)
			return nil
		},
	}
}

func (a *app) look(ctx context.Context, task string) (*session, view.Work, error) {
	s, r, err := a.readBoard(ctx)
	if err != nil {
		return nil, view.Work{}, err
	}
	w, err := view.Look(ctx, r, s.viewOptions(), task)
	return s, w, broken("looking at the work", "", err)
}

// pager is the person's pager on a terminal, else stdout itself.
func (a *app) pager(ctx context.Context, dir string) (io.Writer, func()) {
	if !isTerminal(a.out) {
		return a.out, func() {}
	}
	command := first(a.env("GIT_PAGER"), a.env("PAGER"), "less -FRX")
	if process.Look(strings.Fields(command)[0]) == "" {
		return a.out, func() {}
	}
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err := process.Interactive(ctx, []string{"/bin/sh", "-c", command}, dir, process.Person(), r, a.out, a.err)
		r.CloseWithError(err) // a pager that was quit ends the writer, too
	}()
	return w, func() { w.Close(); <-done }
}

func (a *app) logCmd() *cobra.Command {
	return &cobra.Command{
		Use:    "log",
		Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			return usage("log", "torve landings", "there is no verb log: did you mean landings, why, or note?")
		},
	}
}
