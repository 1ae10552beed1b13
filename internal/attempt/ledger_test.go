package attempt

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"torve/internal/agent"
	"torve/internal/contract"
	"torve/internal/record"
)

// ledger is the partition's, which check must find to be what the events carry.
func (w *world) ledger() []record.Proposal {
	w.t.Helper()
	if err := w.log.Check(w.t.Context(), partition); err != nil {
		w.t.Error(err)
	}
	var all []record.Proposal
	for r, err := range w.log.(record.Ledger).Proposals(w.t.Context(), partition, "") {
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

func (w *world) treeOf(rev string) string { return w.repo.Git("rev-parse", rev+"^{tree}") }

func TestAnArrivalIsARowOfTheLedger(t *testing.T) {
	w := newWorld(t)
	w.repo.Write("src/b.txt", "two\n")
	w.repo.Commit("Second")
	patches := t.TempDir()
	if err := os.Mkdir(filepath.Join(patches, "T-0001"), 0o755); err != nil {
		t.Fatal(err)
	}
	for ext, text := range map[string]string{
		"patch":      "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,4 @@\n one\n two\n three\n+four\n",
		"usage.json": `{"tokens_in": 374, "usd": 0.5}`,
	} {
		if err := os.WriteFile(filepath.Join(patches, "T-0001", "1."+ext), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w.s.Settings.Agents["recorded"] = agent.Setting{Adapter: "replay", Patches: patches}
	c := task("T-0001", func(c *contract.Contract) { c.Budget.Minutes = 12.5 })
	w.mint(c)
	j := w.job("T-0001")
	j.Agent = "recorded"
	wantAccepted(t, w.run(j))

	a := w.task("T-0001").Attempt(1)
	want := record.Proposal{
		ID: 1, Actor: "T-0001", Tick: 2, Kind: record.Plan, Model: "recorded", Digest: a.Started.Agent.Version,
		Settings: []byte(fmt.Sprintf(`{"mode":"first","attempt":1,"minutes":12.5,"walls":"none","contract":"%s"}`, c.Digest())),
		Prompt:   a.Started.Prompt, TokensIn: new(int64(374)), Grounding: []string{w.treeOf("main")}, Answer: []byte(a.Finished.Tree),
		Verdict: "accepted",
	}
	if got := w.ledger(); len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("the ledger has\n%+v\nand not\n%+v", got, want)
	}
}

func TestARefusalWhenDueIsARowAndAYesIsNone(t *testing.T) {
	w := newWorld(t)
	base := w.treeOf("main")
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001", func(c *contract.Contract) { c.Acceptance = []string{"! test -f docs/no.md"} }))
	wantAccepted(t, w.run(w.job("T-0001")))
	if got := w.due(); !got.Verdict.OK {
		t.Fatal(got.Verdict)
	}
	if n := len(w.ledger()); n != 1 {
		t.Fatalf("%d rows after a yes when due", n)
	}
	w.repo.Write("docs/no.md", "no\n")
	w.repo.Commit("Break it")
	refused := w.due()
	if refused.Verdict.Failed != "reach" {
		t.Fatal(refused.Verdict)
	}
	rows := w.ledger()
	if len(rows) != 2 {
		t.Fatalf("%d rows after a no when due", len(rows))
	}
	want := rows[0]
	want.ID, want.Kind, want.Tick = 2, record.Step, 2
	want.Verdict, want.Failed, want.Reason = "refused", "reach", refused.Verdict.Reason
	if !reflect.DeepEqual(rows[1], want) || rows[0].Tick != 1 || rows[0].Grounding[0] != base || rows[0].TokensIn != nil {
		t.Errorf("the rows are\n%+v\n%+v", rows[0], rows[1])
	}
}

func TestWorkThatIsCutAgainArrivesAgainWithTheTickOfItsNewBase(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001"))
	j := w.job("T-0001")
	w.outlives()
	wantRefused(t, w.run(j), "freshness", "the cap is 2")
	j = w.job("T-0001")
	again, err := w.s.Again(t.Context(), j, *j.Task.Attempt(1))
	if err != nil {
		t.Fatal(err)
	}
	wantAccepted(t, again)
	rows := w.ledger()
	if len(rows) != 2 {
		t.Fatalf("%d rows", len(rows))
	}
	want := rows[0]
	want.ID, want.Tick = 2, 4 // what was known and what was answered are what they were
	want.Verdict, want.Failed, want.Reason = "accepted", "", ""
	if !reflect.DeepEqual(rows[1], want) || rows[0].Tick != 1 || rows[0].Failed != "freshness" {
		t.Errorf("the rows are\n%+v\n%+v", rows[0], rows[1])
	}
}

func TestWhereNoRowCanBeMadeTheJudgementStands(t *testing.T) {
	w := newWorld(t)
	w.git.Shallow = true // so that nobody can tell how far the branch had come
	res := w.attempt("append:a.txt:four\\n")
	wantAccepted(t, res)
	if rows := w.ledger(); len(rows) != 0 || !w.notes.said("warn", "the table proposal has no row of it") {
		t.Errorf("the rows are %+v, and people were told %v", rows, w.notes.all)
	}
}

func TestWhatIsNotJudgedIsNoRow(t *testing.T) {
	w := newWorld(t)
	w.s.Settings.Idle = 300 * time.Millisecond
	wantEnd(t, w.attempt("hang"), "idle")
	if rows := w.ledger(); len(rows) != 0 {
		t.Errorf("the rows are %+v", rows)
	}
}
