package sqlite

import (
	"path/filepath"
	"testing"
)

func TestEveryCommitOfTheWriterIsSyncedToTheDisk(t *testing.T) {
	opened, err := Open(t.Context(), filepath.Join(t.TempDir(), "record.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	l := opened.(*Log)
	w := <-l.write
	defer func() { l.write <- w }()
	for pragma, want := range map[string]string{"synchronous": "2", "journal_mode": "wal", "busy_timeout": "60000", "trusted_schema": "0"} {
		var is string
		if err := w.conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&is); err != nil || is != want {
			t.Errorf("%s is %s, %v; %s is wanted", pragma, is, err, want)
		}
	}
}
