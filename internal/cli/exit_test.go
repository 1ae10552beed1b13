package cli

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the files that are made from code")

const exitDoc = "../../docs/exit-codes.md"

func TestTheDocumentOfExitCodesIsMadeFromTheTable(t *testing.T) {
	want := "# Exit codes\n\nOne table in code, keyed by outcome; this page is made from it.\n\n" + ExitTable() + "\n" + `How a run of ` + "`dispatch`" + ` or ` + "`land`" + ` ends is the first that is true of: 130; 5, when a limit of the run (its money, its
time, the tasks that need a person, an agent's quota beyond what is waited for) kept a task from starting; 4 when no
task was judged; 2 when a task of this run needs a person, is accepted and blocked, when what the target came to is red,
or when all that is left waits on such a task; 3 when a contract on the target is broken (it is named, and the others
ran); else 0, also when there is nothing to do, or when another run holds what there is, which is named. A contract that
is not committed is a notice.

` + "`mint`" + ` exits 3 when a contract is broken, uncommitted or elsewhere, or is named and nowhere, and 2 when it refused one.
` + "`gate`" + ` exits 1 for a no and ` + "`verify`" + ` for a difference; nothing else does. A read exits 0 when the read worked, whatever
it found; a broken contract among good ones is named and makes it 3, and so does a broken line of a ledger, and a
configuration that ` + "`doctor`" + ` cannot read; ` + "`status --check`" + ` exits 2 when something waits on a person, and
` + "`status --watch`" + ` and ` + "`world --follow`" + ` 0 when interrupted. ` + "`gc`" + ` exits 4 when something that may go cannot be removed. ` + "`requeue`" + `, ` + "`abandon`" + `,
` + "`widen`" + `, ` + "`land`" + ` and ` + "`stop`" + ` exit 3 when the state does not allow it, naming the state and who settled it; so does a
verb that asks and has no terminal to ask on, naming ` + "`--yes`" + `. ` + "`demo`" + ` exits 0 when the story went as written.
` + "`migrate`" + ` exits 3 for a role that is not there or that no grant binds, and ` + "`migrate --status`" + ` 0 also where the tables
are missing or older. ` + "`record copy`" + ` and ` + "`record import`" + ` exit 3 where the partition is not empty, the record is another
repository's, or the file is not whole; ` + "`record export`" + ` exits 4 when whoever reads it stops before its end.

The first Ctrl-C starts nothing more and lets what runs finish. The second stops it, trees kept and not counted: 130.
SIGTERM is the same. ` + "`record`" + ` ends at the first one, with nothing moved. ` + "`stop`" + ` exits 0 when the task was stopped or
came to its end by itself just then, and 4 when it did not end in time.
`
	if *update {
		if err := os.WriteFile(exitDoc, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(exitDoc)
	if err != nil || string(have) != want {
		t.Errorf("docs/exit-codes.md is not the table (run with -update): %v", err)
	}
}

func TestEachOutcomeHasOneCode(t *testing.T) {
	seen := map[int]bool{}
	for o := Done; o <= Interrupted; o++ {
		if seen[o.Code()] {
			t.Errorf("code %d twice", o.Code())
		}
		seen[o.Code()] = true
	}
	if len(seen) != len(exits) {
		t.Errorf("%d outcomes and %d rows", len(seen), len(exits))
	}
}

func TestAnErrorHasOneForm(t *testing.T) {
	var b strings.Builder
	a := &app{err: &b, env: func(string) string { return "" }}
	code := a.fail(usage("widen", "torve status", "no task %s", "T-9"))
	if want := "torve: error: widen: no task T-9\ntorve: hint: torve status\n"; b.String() != want || code != 3 {
		t.Errorf("%q, %d", b.String(), code)
	}
	b.Reset()
	a.json = true
	a.fail(broken("opening the record", "", errors.New("disk on fire")))
	for _, want := range []string{`"schema": "torve/error/v1"`, `"error": "opening the record: disk on fire"`, `"code": 4`, `"hint": ""`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %s", want, b.String())
		}
	}
}
