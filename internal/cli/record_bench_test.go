package cli

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/record"
	"torve/internal/record/recordtest"
	"torve/internal/record/sqlite"
)

// bench gives the shop's record the rows of a bench under another partition.
func (s *stage) bench(p record.Partition) {
	s.t.Helper()
	l, err := sqlite.Open(s.t.Context(), filepath.Join(s.Dir, ".git", "torve", "record.db"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.(record.Ledger).Propose(s.t.Context(), p, recordtest.Plan("Ander", 1400), recordtest.Plan("Mose", 1900)); err != nil {
		s.t.Fatal(err)
	}
	if err := l.(record.Memories).Remember(s.t.Context(), p, record.Memory{Villager: "Ander", Tick: 1404, Register: record.Saw, Text: "Mose on 9,6"}); err != nil {
		s.t.Fatal(err)
	}
}

func TestABenchIsNotMovedByItsEventsAndTakesNone(t *testing.T) {
	s := shop(t)
	s.ends(0, "new", "A lamp", "--allow", "orders/**", "--commit")
	s.ends(0, "mint")
	s.bench("world")
	for typed, says := range map[string]string{
		"record copy --partition world --to ../there.db":  "record copy: world has no event: the partition is a bench's, whose rows are carried by no event",
		"record export --partition world ../there.jsonl":  "record export: world has no event: the partition is a bench's",
		"record copy --to embedded --as world":            "record copy: world takes no event: the partition is a bench's",
		"mint --partition world":                          "world takes no event: the partition is a bench's",
		"record copy --partition nobody --to ../there.db": "nobody has no event: there is nothing to take",
	} {
		r := s.torve(strings.Fields(typed)...)
		if r.code != 3 || !strings.Contains(r.err, says) || !strings.Contains(r.err, "hint: ") {
			t.Errorf("%s: %d, %s%s", typed, r.code, r.out, r.err)
		}
	}
	for _, p := range []string{"world", "acme/shop"} {
		if r := s.torve("verify", "--partition", p); r.code != 0 {
			t.Errorf("verify of %s: %d, %s%s", p, r.code, r.out, r.err)
		}
	}
	s.store(func(db *sql.DB) {
		s.without(db, words("memory_no_update"), func() { s.exec(db, "UPDATE memory SET villager = ''") })
	})
	if r := s.ends(1, "verify", "--partition", "world"); !strings.Contains(strings.Join(strings.Fields(r.out), " "), "row 1 of the table memory is not whole") {
		t.Errorf("it says %s", r.out)
	}
	s.ends(0, "verify")
}
