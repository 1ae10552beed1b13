package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"torve/internal/attempt"
	"torve/internal/contract"
	"torve/internal/git"
	"torve/internal/view"
	"torve/internal/workload"
)

func (a *app) gateCmd() *cobra.Command {
	var base, task string
	var prove bool
	c := &cobra.Command{
		Use:   "gate",
		Short: "the six checks on this tree: by hand, in CI, for an agent",
		Long: "the six checks on this tree: by hand, in CI, for an agent. The contract is that of --task, else " +
			"of the commit's trailer, else of the branch's name, else none: then the repository's own law is " +
			"asked and nothing else. Exit 1 is a no.",
		Example: `    torve gate
    torve gate --base origin/main --task T-0007`,
		Args: noArgs("gate"),
		RunE: func(c *cobra.Command, _ []string) error {
			if prove {
				return a.runProve()
			}
			return a.runGate(c.Context(), base, task)
		},
	}
	c.Flags().StringVar(&base, "base", "", "compare with `REV` (default: where it left the target)")
	c.Flags().StringVar(&task, "task", "", "ask under the contract of task `ID`")
	c.Flags().BoolVar(&prove, "prove", false, "break each check on purpose and show that it refuses")
	return c
}

func (a *app) runGate(ctx context.Context, base, task string) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	if s.repo.Worktree == "" {
		return usage("gate", "git worktree add ../work && cd ../work", "a bare repository has no tree to ask about")
	}
	h := attempt.HereOptions{Repo: s.repo, Dir: s.repo.Worktree, Settings: s.attemptSettings(), Now: a.now}
	given, inside, err := attempt.Given(s.repo.Worktree, a.env)
	if err != nil {
		return broken("reading what this attempt was given", "", err)
	}
	if inside && task == "" && base == "" { // an agent asks before it stops
		h.Given, h.Cheap = given, true
	} else if err := s.gateContract(ctx, &h, base, task); err != nil {
		return err
	}
	got, err := attempt.Here(ctx, h)
	if err != nil {
		return broken("asking the gate", "", err)
	}
	a.printGate(got, h.Cheap)
	if got.Judged.Verdict.OK {
		return nil
	}
	return end(LawSaidNo)
}

var idInBranch = regexp.MustCompile(`[A-Z]+-[0-9A-Za-z]+`)

// gateContract finds the base and the contract: --task, else the trailer of HEAD, else
// the branch's name, else none. The contract is the minted one, else the file at the base.
func (s *session) gateContract(ctx context.Context, h *attempt.HereOptions, base, task string) error {
	if base == "" {
		base = s.cfg.Target
	}
	if _, _, err := s.repo.Head(ctx); err != nil {
		return doing("gate", err)
	}
	merged, err := s.repo.Run(ctx, "merge-base", "HEAD", base)
	if err != nil {
		return usage("gate", "torve gate --base REV", "there is no common base of HEAD and %s", base)
	}
	h.Base = strings.TrimSpace(merged)
	named := task != ""
	if task == "" {
		if task, err = s.guessTask(ctx, h.Base); err != nil || task == "" {
			return err
		}
	} else if err := ids("gate", []string{task}); err != nil {
		return err
	}
	if found, err := s.mintedContract(ctx, h, task); err != nil || found {
		return err
	}
	data, err := s.repo.File(ctx, h.Base, contract.PathOf(task))
	if errors.Is(err, git.ErrNotFound) {
		if !named {
			return nil // a branch may be called anything
		}
		return usage("gate", "torve status", "no contract of %s is in the record or at %s", task, view.Short(h.Base))
	}
	if err != nil {
		return broken("reading the contract", "", err)
	}
	c, err := contract.Parse(contract.PathOf(task), data)
	if err != nil {
		return err
	}
	h.Contract = &c
	return nil
}

func (s *session) guessTask(ctx context.Context, base string) (string, error) {
	head, err := s.repo.ReadCommit(ctx, "HEAD")
	if err != nil {
		return "", broken("reading HEAD", "", err)
	}
	if t := head.Trailers()["Torve-Task"]; t != "" && head.ID != base {
		return t, nil
	}
	return idInBranch.FindString(s.branch(ctx)), nil
}

// mintedContract takes the contract in force from the record, where there is one. It needs no
// target: a clone of one branch has none.
func (s *session) mintedContract(ctx context.Context, h *attempt.HereOptions, task string) (bool, error) {
	if err := s.openRead(ctx); err != nil || s.log == nil {
		return false, err
	}
	b, err := s.ours(ctx)
	if err != nil {
		return false, err
	}
	t, ok := b.Tasks[task]
	if !ok || t.Digest == "" {
		return false, nil
	}
	h.Contract, h.Rows = &t.Contract, t.Rows
	return true, nil
}

var gloss = map[string]string{
	"shape": "is it what was asked for", "verb": "is each change of an allowed kind",
	"grounding": "does it name only what it was given", "law": "scope, secrets, tests, decisions",
	"reach": "does it apply, do the tests pass", "freshness": "is the place still the same",
}

func (a *app) printGate(got attempt.HereResult, cheap bool) {
	about := "no contract: the repository's own law"
	if c := got.Contract; c != nil {
		about = c.ID + "  " + c.Title
	}
	lead := fmt.Sprintf("this tree against %.7s · ", got.Base)
	a.tell("%s%s\n", lead, a.style().Cut(about, a.style().Width-len(lead)))
	for i, ans := range got.Judged.Answers {
		a.tell("%s", a.answerLine(i+1, ans, got.NotAsked[ans.Check]))
	}
	a.tell("")
	switch {
	case !got.Judged.Verdict.OK:
		a.tell("%s", a.style().Paint("refused")+strings.TrimPrefix(a.wrapped("", got.Judged.Verdict.String(), 0), "refused"))
	case cheap:
		a.tell("the first four say yes; the tests and the place are asked when you end")
	case got.Contract == nil:
		a.tell("yes to all that was asked; what no contract asks was not")
	default:
		a.tell("%s", a.style().Paint("accepted"))
	}
}

// answerLine is one answer; what was not asked is said and is never a yes.
func (a *app) answerLine(n int, ans workload.Answer, notAsked string) string {
	notAsked = strings.TrimPrefix(notAsked, "no contract: ")
	lead := fmt.Sprintf("  %d %-10s ", n, ans.Check)
	said := fmt.Sprintf("%-4s ", ans.Said)
	text := ans.Note
	switch {
	case ans.Said == workload.NotAsked:
		text = "not asked (" + first(notAsked, gloss[ans.Check]) + ")"
	case strings.Contains(ans.Note, "not asked"): // the note says it itself
	case notAsked != "":
		text += "; not asked: " + notAsked
	}
	wrapped := a.wrapped(lead+said, text, len(lead+said))
	return lead + a.style().Paint(said) + strings.TrimPrefix(wrapped, lead+said)
}
