package attempt

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"torve/internal/contract"
	"torve/internal/record"
)

// The files beside a worktree, in the folder that $TORVE_REPORT stands in.
const (
	SpoolName = "spool.jsonl" // what `torve note` adds: one entry a line
	givenName = "given.json"  // what the attempt was given
)

// Assignment is what an attempt was asked under: the minted contract, its rows and
// its base. From inside an attempt there is no way to the record, so it stands there.
type Assignment struct {
	Contract contract.Contract
	Digest   string
	Rows     []record.Row
	Base     string
	Made     []string // what setup and copy made: none of its changes
	Report   string   // where the report may be left
}

// written is the assignment in its file; the contract in its canonical form.
type written struct {
	Contract json.RawMessage `json:"contract"`
	Digest   string          `json:"digest"`
	Rows     []record.Row    `json:"rows"`
	Base     string          `json:"base"`
	Made     []string        `json:"made"`
}

// give writes it.
func (r *run) give() error {
	t := r.job.Task
	data, err := json.Marshal(written{Contract: t.Contract.Canonical(), Digest: t.Digest, Rows: t.Rows, Base: r.room.Base, Made: r.room.Setup})
	if err != nil {
		return fmt.Errorf("encoding what the attempt is given: %w", err)
	}
	if err := replace(filepath.Join(r.room.side, givenName), data); err != nil {
		return fmt.Errorf("writing what the attempt is given: %w", err)
	}
	return nil
}

// Given reads what the attempt that this process runs in was given; inside is false
// when it runs in none, or in another work tree than the attempt's.
func Given(worktree string, env func(string) string) (a *Assignment, inside bool, err error) {
	report := env("TORVE_REPORT")
	if report == "" || env("TORVE_TASK") == "" {
		return nil, false, nil
	}
	side := filepath.Dir(report)
	if here, err := sameFolder(worktree+".d", side); err != nil || !here {
		return nil, false, err
	}
	data, err := os.ReadFile(filepath.Join(side, givenName))
	if err != nil {
		return nil, false, fmt.Errorf("reading what the attempt was given: %w", err)
	}
	var w written
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, false, fmt.Errorf("reading what the attempt was given: %w", err)
	}
	c, err := contract.Decode(w.Contract)
	if err != nil {
		return nil, false, fmt.Errorf("reading the contract that the attempt was given: %w", err)
	}
	return &Assignment{Contract: c, Digest: w.Digest, Rows: w.Rows, Base: w.Base, Made: w.Made, Report: report}, true, nil
}

// sameFolder reports whether two paths lead to one folder.
func sameFolder(a, b string) (bool, error) {
	x, err := os.Stat(a)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	y, err := os.Stat(b)
	if err != nil {
		return false, fmt.Errorf("looking for the attempt's folder: %w", err)
	}
	return os.SameFile(x, y), nil
}
