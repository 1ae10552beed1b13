package attempt

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"torve/internal/carrier"
	"torve/internal/gate"
)

// AddNote writes one entry to the spool of the attempt whose report may be left at
// the path given ($TORVE_REPORT). The host imports it when the attempt ends: the
// room of an attempt has no way to the record.
func AddNote(report string, d carrier.Divergence) error {
	if err := whole(d); err != nil {
		return err
	}
	if d.Decision == gate.Unlisted && d.Proposal == "" && d.Action != "halted" {
		return errors.New("a decision that no document lists is noted with a proposal: what should it say")
	}
	line, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("encoding the note: %w", err)
	}
	f, err := os.OpenFile(roomOf(report).spool(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("opening the attempt's notes: %w", err)
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		f.Close()
		return fmt.Errorf("writing the note: %w", err)
	}
	return f.Close()
}
