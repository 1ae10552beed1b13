package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"torve/internal/audit"
	"torve/internal/board"
	"torve/internal/view"
)

func (a *app) verifyCmd() *cobra.Command {
	var repair bool
	c := &cobra.Command{
		Use:   "verify",
		Short: "whether the record, the files and git agree",
		Long: "whether the record, the files and git agree: the record's invariants, what was kept, what landed, and what " +
			"is rendered from the record. Names every difference and the next command; exits 1 when there is one. Without " +
			"a record the landings are asked of git alone. --repair mends what decides nothing for you, and asks again.",
		Args: noArgs("verify"),
		RunE: func(c *cobra.Command, _ []string) error { return a.runVerify(c.Context(), repair) },
	}
	c.Flags().BoolVar(&repair, "repair", false, "mend what decides nothing for you")
	return c
}

// verifyDocument is what verify answers; it grows and nothing in it is renamed.
type verifyDocument struct {
	Schema      string             `json:"schema"`
	Sources     view.Sources       `json:"sources"`
	Counts      audit.Counts       `json:"counts"`
	Asked       []audit.Asked      `json:"asked"`
	Differences []audit.Difference `json:"differences"`
	Notes       []string           `json:"notes"`
	Repaired    []audit.Mended     `json:"repaired"`
}

func (a *app) runVerify(ctx context.Context, repair bool) error {
	s, err := a.openToVerify(ctx, repair)
	if err != nil {
		return err
	}
	from, err := s.audited(ctx, repair)
	if err != nil {
		return err
	}
	found, err := audit.Verify(ctx, from)
	if err != nil {
		return broken("verify", "", err)
	}
	mended := []audit.Mended{}
	if repair && found.Repairable() > 0 {
		mended, err = audit.Repair(ctx, found, audit.Hands{Observe: s.observe})
		for _, m := range mended {
			a.say("%s", a.labelled("mended", "", m.Did))
		}
		if err != nil {
			return broken("verify --repair", "", err)
		}
		if from, err = s.audited(ctx, repair); err != nil {
			return err
		}
		if found, err = audit.Verify(ctx, from); err != nil {
			return broken("verify", "", err)
		}
	}
	return a.verified(s, found, mended)
}

// verified prints what was found, and ends with 1 where something differs.
func (a *app) verified(s *session, found audit.Report, mended []audit.Mended) error {
	if a.json {
		doc := verifyDocument{
			Schema: "torve/verify/v1", Sources: s.verifySources(found), Counts: found.Counts,
			Asked: found.Asked, Differences: found.Differences, Notes: found.Notes, Repaired: mended,
		}
		if err := writeJSON(a.out, doc); err != nil {
			return err
		}
	} else {
		a.tellVerified(found)
	}
	if !found.Clean() {
		return end(LawSaidNo)
	}
	return nil
}

// openToVerify opens the record to read, or to write where a repair may have to: none is
// ever made here.
func (a *app) openToVerify(ctx context.Context, repair bool) (*session, error) {
	s, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	if repair {
		if err := s.outside("verify --repair"); err != nil {
			return nil, err
		}
	}
	if repair && a.files {
		return nil, s.durable("verify --repair")
	}
	if repair && s.named.partition != "" {
		st, err := a.store()
		if err == nil && st.dsn == "" {
			_, err = os.Stat(s.recordFile())
		}
		if err == nil {
			return a.openToWrite(ctx, "verify --repair")
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, broken("opening the record", "", err)
		}
	}
	return s, s.openRead(ctx)
}

// audited is where the carriers are, the target's head as it is now (fresh) or as last seen.
func (s *session) audited(ctx context.Context, fresh bool) (audit.Sources, error) {
	find := s.seen
	if fresh {
		find = s.head
	}
	head, err := find(ctx)
	if err != nil {
		return audit.Sources{}, err
	}
	from := audit.Sources{
		Sources: s.sources(head), Telemetry: s.telemetry(), Root: s.attemptSettings().Root,
		Host: s.host(), Alive: lives, Now: s.a.now(),
	}
	switch {
	case s.a.files:
		from.NoRecord = "--files asks for git and files alone"
	case s.named.partition == "":
		from.NoRecord = "no partition of a record is named"
	}
	return from, nil
}

// observe records the landings that git holds and the record does not.
func (s *session) observe(ctx context.Context, b *board.Board) ([]string, error) {
	lander, err := s.lander(ctx)
	if err != nil {
		return nil, err
	}
	return lander.Repair(ctx, b)
}

// verifySources names the carrier of what was counted.
func (s *session) verifySources(found audit.Report) view.Sources {
	record := view.Source{Carrier: "record", Partition: string(s.named.partition), NamedBy: s.named.by, Store: s.store.word()}
	out := view.Sources{
		"landings":  {Carrier: "git", Rows: found.Counts.Landings},
		"telemetry": {Carrier: "files", Rows: found.Counts.Rows},
	}
	if found.Recorded {
		for name, rows := range map[string]int{
			"tasks": found.Counts.Tasks, "attempts": found.Counts.Attempts, "events": found.Counts.Events,
		} {
			record.Rows = rows
			out[name] = record
		}
	}
	return out
}
