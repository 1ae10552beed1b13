package recordtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"torve/internal/record"
)

func saw(villager string, tick int64) record.Memory {
	return record.Memory{Villager: villager, Tick: tick, Register: record.Saw, Text: "Mose on 9,6"}
}

func did(villager string, tick int64) record.Memory {
	return record.Memory{Villager: villager, Tick: tick, Register: record.Did, Text: "ate 13 parcels on 8,3"}
}

func memoryOf(t testing.TB, l record.Memories, p record.Partition, villager string) []record.Memory {
	t.Helper()
	var all []record.Memory
	for m, err := range l.Memories(context.Background(), p, villager) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

// remembers asks that a partition's memory is those rows, of all and of each villager, and
// that check agrees.
func remembers(t testing.TB, l bench, p record.Partition, want []record.Memory) {
	t.Helper()
	of := map[string][]record.Memory{"": nil, "nobody": nil}
	for i, m := range want {
		m.ID = int64(i + 1)
		of[""], of[m.Villager] = append(of[""], m), append(of[m.Villager], m)
	}
	for villager, want := range of {
		if got := memoryOf(t, l, p, villager); !slices.Equal(got, want) {
			t.Errorf("of %q there are\n%.1000v\nand not\n%.1000v", villager, got, want)
		}
	}
	sound(t, l, p)
}

func remembersRows(t *testing.T, d Driver) {
	l := benches(t, d)
	ctx := context.Background()
	given := []record.Memory{
		saw("Ander", 1404), did("Ander", 1404), saw("Halla", 0), did("Mose", 1<<40),
		{ID: 77, Villager: "Æ'\"\\;--", Tick: 7, Register: record.Saw, Text: "NULL, {\"a\"}\n店 \u2028 \\x00"},
		{Villager: "Halla \xe9", Tick: 8, Register: record.Did, Text: "said \xff\x00"},
	}
	ok(t, l.Remember(ctx, benchPart, given[0]))
	ok(t, l.Remember(ctx, benchPart, given[1:]...))
	ok(t, l.Remember(ctx, "another", given[3]))
	given[5].Villager, given[5].Text = `Halla \xe9`, `said \xff\x00` // what no column of text holds is written out
	remembers(t, l, benchPart, given)
	remembers(t, l, "another", given[3:4])
	remembers(t, l, "nobody's", nil)
	n, err := d.Raw(t, l, benchPart).Count("SELECT count(*) FROM memory WHERE partition = 'world' AND register = 'saw' AND text = 'Mose on 9,6' AND tick < 1405")
	if err != nil || n != 2 {
		t.Errorf("%d rows are found by SQL, %v", n, err)
	}
}

func pagesMemory(t *testing.T, d Driver) {
	l := benches(t, d)
	var given []record.Memory
	for i := range record.PageRows + 10 {
		given = append(given, saw(fmt.Sprint("V", i%3), int64(i)))
	}
	ok(t, l.Remember(context.Background(), benchPart, given...))
	remembers(t, l, benchPart, given)
	n := 0
	for _, err := range l.Memories(context.Background(), benchPart, "") {
		if n++; err != nil || n == 2 {
			break // and nothing is held
		}
	}
	ok(t, l.Remember(context.Background(), benchPart, did("V1", 1)))
}

// copyMemory is SQL that adds a row like the one of id 1 under another id.
func copyMemory(id int) string {
	return fmt.Sprintf(`INSERT INTO memory (partition, id, villager, tick, register, text)
		SELECT partition, %d, villager, tick, register, text FROM memory WHERE id = 1`, id)
}

func guardsBench(t *testing.T, d Driver) {
	l := benches(t, d)
	events := night(t)
	add(t, l, part, events...)
	rows := []record.Proposal{Plan("Ander", 1400), Plan("Mose", 1400)}
	propose(t, l, benchPart, rows...)
	memories := []record.Memory{saw("Ander", 1), did("Mose", 2)}
	ok(t, l.Remember(context.Background(), benchPart, memories...))
	raw := d.Raw(t, l, benchPart)
	for _, text := range []string{
		"UPDATE memory SET text = ''", "UPDATE memory SET id = 9 WHERE id = 2", "DELETE FROM memory WHERE id = 2", "DELETE FROM memory",
		copyMemory(2), copyMemory(9), copyMemory(0),
		strings.Replace(copyMemory(1), "SELECT partition", "SELECT 'acme/shop'", 1), // which has events
		strings.Replace(copyMemory(3), "register, text FROM", "'thought', text FROM", 1),
		"DELETE FROM proposal WHERE partition = 'world'", "UPDATE proposal SET tick = 1 WHERE partition = 'world'",
		"INSERT INTO event (partition, seq, id, kind, task, claim, body, prev, hash) SELECT 'world', seq, id, kind, task, claim, body, prev, hash FROM event WHERE seq = 1",
	} {
		if raw.Exec(text) == nil {
			t.Errorf("the store took %s", text)
		}
	}
	holdsProposed(t, l, benchPart, rows)
	remembers(t, l, benchPart, memories)
	holdsRows(t, l, part, events)
}

// brokenBench makes a bench's rows others than a bench writes; R7 must name the row.
func brokenBench(t *testing.T, d Driver) {
	for text, says := range map[string]string{
		"DELETE FROM proposal WHERE partition = 'world' AND id = 2":                                "row 3 of the table proposal follows row 1",
		"DELETE FROM proposal WHERE partition = 'world' AND id = 1":                                "row 2 of the table proposal follows row 0",
		"UPDATE proposal SET model = '' WHERE partition = 'world' AND id = 2":                      "row 2 of the table proposal is not whole: row.model is empty",
		"UPDATE proposal SET verdict = 'refused' WHERE partition = 'world' AND id = 3":             "row 3 of the table proposal is not whole: row: refused, and no check",
		"UPDATE proposal SET tokens_in = -1 WHERE partition = 'world' AND id = 3":                  "row 3 of the table proposal is not whole: row.tokens_in is below zero",
		"DELETE FROM memory WHERE id = 2":                                                          "row 3 of the table memory follows row 1",
		copyMemory(0):                                                                              "row 0 of the table memory follows row 0",
		copyMemory(9):                                                                              "row 9 of the table memory follows row 3",
		"UPDATE memory SET villager = '' WHERE id = 3":                                             "row 3 of the table memory is not whole: memory.villager is empty",
		"UPDATE memory SET tick = -1 WHERE id = 1":                                                 "row 1 of the table memory is not whole: memory.tick is below zero",
		strings.Replace(copyMemory(1), "SELECT partition", "SELECT 'acme/shop'", 1):                "row 1 of the table memory stands in a partition that has events",
		"UPDATE proposal SET partition = 'acme/shop', id = 5 WHERE partition = 'world' AND id = 1": "row 5 of the table proposal is carried by no event",
	} {
		t.Run(says, func(t *testing.T) {
			l := benches(t, d)
			add(t, l, part, night(t)...)
			propose(t, l, benchPart, Plan("Ander", 1400), Plan("Mose", 1400), Plan("Halla", 1400))
			ok(t, l.Remember(context.Background(), benchPart, saw("Ander", 1), did("Mose", 2), saw("Halla", 3)))
			sound(t, l, benchPart)
			raw := d.Raw(t, l, benchPart)
			if err := errors.Join(raw.Unguard(), raw.Exec(text), raw.Guard()); err != nil {
				t.Fatal(err)
			}
			p := benchPart
			if strings.Contains(text, string(part)) {
				p = part
			}
			var found *record.Broken
			if err := l.Check(context.Background(), p); !errors.As(err, &found) || found.Rule != "R7" || !strings.Contains(found.Error(), says) {
				t.Errorf("check says %v, and should %s", err, says)
			}
		})
	}
}

// closesBench: rows of a log that was closed.
func closesBench(t *testing.T, d Driver) {
	l := benchOf(t, d.Open(t))
	ok(t, l.Close())
	ctx := context.Background()
	_, proposed := l.Propose(ctx, benchPart, Plan("Ander", 1))
	_, none := l.Propose(ctx, benchPart)
	_, current := l.Current(ctx, benchPart, "Ander")
	said := []error{proposed, none, current, l.Remember(ctx, benchPart, saw("Ander", 1))}
	for _, err := range l.Memories(ctx, benchPart, "") {
		said = append(said, err)
	}
	for i, err := range said {
		if !errors.Is(err, record.ErrClosed) {
			t.Errorf("use %d of it says %v", i, err)
		}
	}
	if len(said) != 5 {
		t.Errorf("%d uses said something", len(said))
	}
}
