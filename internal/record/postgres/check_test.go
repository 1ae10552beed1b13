package postgres_test

import (
	"errors"
	"strings"
	"testing"

	"torve/internal/record"
)

// found asks what Check says of a partition with three events, after a program that speaks
// SQL has done something with it.
func found(t *testing.T, unguarded bool, texts ...string) error {
	t.Helper()
	dsn := fresh(t)
	l := plainly(t, dsn)
	add(t, l, note(t, "1"), note(t, "2"), note(t, "3"))
	if err := l.Check(t.Context(), part); err != nil {
		t.Fatal(err)
	}
	by := raw{connect(t, dsn), part}
	if unguarded {
		texts = append([]string{"ALTER TABLE event DISABLE TRIGGER USER", "ALTER TABLE partition DISABLE TRIGGER USER"}, texts...)
	}
	for _, text := range texts {
		if err := by.Exec(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	if unguarded {
		if err := by.Guard(); err != nil {
			t.Fatal(err)
		}
	}
	return l.Check(t.Context(), part)
}

func TestCheckAsksThatTheEventsEndWhereTheCounterSays(t *testing.T) {
	for text, want := range map[string]string{
		"DELETE FROM event WHERE seq = 3":                                  "R2 is broken at event 3: the partition's counter says it, and the last event is 2",
		"DELETE FROM event":                                                "R2 is broken at event 3: the partition's counter says it, and the last event is 0",
		"UPDATE partition SET seq = 2, hash = prev":                        "R2 is broken at event 3: it is more than the partition's counter says, which is 2",
		"DELETE FROM partition":                                            "R2 is broken at event 3: it is more than the partition's counter says, which is 0",
		"UPDATE partition SET hash = prev":                                 "R3 is broken at event 3: the partition's counter has another hash",
		"UPDATE partition SET seq = 2, hash = repeat('ab', 32)":            "R3 is broken at event 2: the partition's counter has another hash",
		"UPDATE event SET task = 'T-0009' WHERE seq = 3":                   "R6 is broken at event 3",
		"UPDATE event SET hash = prev, prev = hash WHERE seq IN (2, 3)":    "R3 is broken at event 2",
		"UPDATE event SET body = body || '\\x20' WHERE seq = 1":            "R3 is broken at event 1",
		"UPDATE event SET seq = seq + 10, id = id || seq WHERE seq = 2":    "R2 is broken at event 3",
		"INSERT INTO partition (partition) VALUES ('another'), ('others')": "",
	} {
		err := found(t, true, text)
		var broken *record.Broken
		if want != "" && (!errors.As(err, &broken) || !strings.HasPrefix(err.Error(), want)) || want == "" && err != nil {
			t.Errorf("after %s check says %v, and should %q", text, err, want)
		}
	}
}

func TestCheckAsksThatTheGuardsAreAsTheyWereMade(t *testing.T) {
	for _, c := range []struct {
		name  string
		texts []string
	}{
		{"trigger event_append_only", []string{"ALTER TABLE event DISABLE TRIGGER event_append_only"}},
		{"trigger event_append_only", []string{
			"CREATE OR REPLACE TRIGGER event_append_only BEFORE DELETE ON event FOR EACH STATEMENT EXECUTE FUNCTION torve_append_only()",
			"ALTER TABLE event ENABLE ALWAYS TRIGGER event_append_only",
		}},
		{"trigger event_next", []string{"ALTER TABLE event ENABLE TRIGGER event_next"}},
		{"trigger event_counted", []string{"DROP TRIGGER event_counted ON event"}},
		{"trigger partition_forward", []string{"ALTER TABLE partition DISABLE TRIGGER ALL"}},
		{"trigger proposal_next", []string{"DROP TRIGGER proposal_next ON proposal"}},
		{"function torve_append_only", []string{
			"CREATE OR REPLACE FUNCTION torve_append_only() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
		}},
		{"function torve_counter_true", []string{"ALTER FUNCTION torve_counter_true() SET search_path = pg_temp"}},
		{"function torve_event_next", []string{"ALTER FUNCTION torve_event_next() RESET search_path"}},
		{"function torve_append_only", []string{"ALTER FUNCTION torve_append_only() SET session_replication_role = replica"}},
		{"trigger event_carries", []string{"DROP TRIGGER event_carries ON event"}},
		{"trigger proposal_carried", []string{"ALTER TABLE proposal DISABLE TRIGGER proposal_carried"}},
	} {
		err := found(t, false, c.texts...)
		var broken *record.Broken
		if !errors.As(err, &broken) || broken.Rule != "R1" || !strings.Contains(err.Error(), c.name) {
			t.Errorf("after %v check says %v", c.texts, err)
		}
	}
}
