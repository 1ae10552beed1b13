package view_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/record"
	"torve/internal/truth"
	"torve/internal/view"
)

func spent(t testing.TB, r *truth.Reading, o view.Options) view.SpendAnswer {
	t.Helper()
	a, err := view.Spent(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// priced is an attempt that ended as an account may meet it.
type priced struct {
	agent   record.Agent
	regime  string
	seconds *float64
	usage   record.Usage
	refused string // by which check; "" accepted, "-" never judged
}

var (
	claude = record.Agent{Adapter: "claude", Model: "sonnet", Version: "2.1"}
	local  = record.Agent{Adapter: "ollama", Model: "qwen3:8b"}
)

func usage(source string, usd float64, tokens ...int64) record.Usage {
	u := record.Usage{Source: source}
	if source != "unknown" {
		u.USD = &usd
	}
	if len(tokens) == 2 {
		u.TokensIn, u.TokensOut = &tokens[0], &tokens[1]
	}
	return u
}

// ends records an attempt from its claim to its release.
func (s *shop) ends(task string, n int, p priced) {
	s.t.Helper()
	s.fact(task, 0, claimOf(task, n), record.ByDispatch, record.Claimed{Boot: "boot", PID: 7, Start: "1", Worker: "1"})
	s.fact(task, n, claimOf(task, n), record.ByAttempt, record.Started{Mode: "fresh", Agent: p.agent, Base: s.base, Worktree: "/state/" + task, Walls: "none",
		Contract: strings.Repeat("1f", 32), Prompt: strings.Repeat("0", 64)})
	end, why := "done", ""
	if p.seconds == nil {
		end, why = "crashed", "its host died"
	}
	ref := fmt.Sprintf("refs/torve/attempts/%s/%d", task, n)
	s.fact(task, n, claimOf(task, n), record.ByAttempt, record.Finished{End: end, Why: why, Seconds: p.seconds, Base: s.base, Head: s.base, Tree: s.Git("rev-parse", s.base+"^{tree}"),
		Ref: ref, Usage: p.usage, Agent: p.agent, Regime: p.regime})
	if p.refused != "-" {
		why := ""
		if p.refused != "" {
			why = "because"
		}
		s.judge(task, n, "arrival", p.refused, why)
	}
	s.release(task, n, "waiting")
}

// market is a shop whose attempts cost all that an attempt may: reported, estimated,
// notional and unknown, under four regimes.
func market(t testing.TB) *shop {
	s := open(t)
	for i, title := range []string{"Cache the price list", "Retry the mailer", "Sort the imports"} {
		s.mint(asked(fmt.Sprintf("T-%04d", i+1), title, func(c *contract.Contract) {
			c.Owner = []string{"ada@example.com", "ada@example.com", "bo@example.com"}[i]
		}))
	}
	s.at = time.Date(2026, 12, 2, 23, 30, 0, 0, time.UTC)
	a, b, c, d := strings.Repeat("a", 64), strings.Repeat("b", 64), strings.Repeat("c", 64), strings.Repeat("d", 64)
	s.ends("T-0001", 1, priced{claude, a, new(320.0), usage("reported", 0.48, 12000, 900), "law"})
	s.ends("T-0001", 2, priced{claude, a, nil, usage("unknown", 0), "-"})
	s.ends("T-0001", 3, priced{claude, b, new(234.0), usage("reported", 0.44, 8000, 700), ""})
	s.at = time.Date(2026, 12, 3, 1, 0, 0, 0, time.UTC)
	s.ends("T-0002", 1, priced{local, c, new(61.0), usage("estimated", 0.03, 950, 49), "reach"})
	s.ends("T-0002", 2, priced{local, c, new(59.4), usage("unknown", 0), "reach"})
	s.ends("T-0003", 1, priced{claude, d, new(6420.0), usage("notional", 1.25, 1200000, 90000), ""})
	return s
}

func usd(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("$%.2f", *v)
}

func screen(t testing.TB, a view.SpendAnswer) string {
	t.Helper()
	return text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) })
}

func TestSpendStandsUnderTheSourceThatNamedItAndUnknownInAColumnOfItsOwn(t *testing.T) {
	s := market(t)
	r, o := s.here()
	o.Zone = cet
	for _, by := range view.Bys {
		o.By = by
		a := spent(t, r, o)
		golden(t, "spend-"+by, screen(t, a))
		got := a.Total.Figures
		if got.Attempts != 6 || usd(got.Reported) != "$0.92" || usd(got.Estimated) != "$0.03" || usd(got.Notional) != "$1.25" || got.Unknown != 2 || a.Total.Regimes != 4 ||
			got.TokensUnknown != 2 || got.SecondsUnknown != 1 || *got.TokensIn != 1220950 {
			t.Errorf("by %s the total is %+v", by, got)
		}
	}
	o.By, o.Since = "task", time.Date(2026, 12, 3, 0, 0, 0, 0, time.UTC)
	a := spent(t, r, o)
	golden(t, "spend-since", screen(t, a))
	if a.Total.Attempts != 3 || a.Total.Reported != nil {
		t.Errorf("since midnight: %+v", a.Total)
	}
	data, err := json.MarshalIndent(spent(t, r, o), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "spend-json", string(data)+"\n")
}

func TestATotalOfOneRegimeIsPlainAndOneOfSeveralSaysSo(t *testing.T) {
	s := open(t)
	s.mint(asked("T-0001", "One"))
	s.mint(asked("T-0002", "Two"))
	one := strings.Repeat("a", 64)
	s.ends("T-0001", 1, priced{claude, one, new(60.0), usage("reported", 1), "law"})
	s.ends("T-0002", 1, priced{claude, one, new(60.0), usage("reported", 2), "law"})
	r, o := s.here()
	out := screen(t, spent(t, r, o))
	if !strings.Contains(out, "\n  total   ") || strings.Contains(out, "regime") {
		t.Errorf("one regime:\n%s", out)
	}
	s.ends("T-0002", 2, priced{local, strings.Repeat("b", 64), new(60.0), usage("reported", 2), "law"})
	r, o = s.here()
	out = screen(t, spent(t, r, o))
	if !strings.Contains(out, "total over 2 regimes") || !strings.Contains(out, "next: torve spend --by regime") {
		t.Errorf("two regimes:\n%s", out)
	}
}

// 636 rows in the file, 10 of them in the record: both are true, and only one of them
// answers what this repository has cost.
func TestTheRecordAndTheFilesAreBothTrueAndTheReportSaysWhichSpoke(t *testing.T) {
	s := open(t)
	s.mint(asked("T-0001", "Cache the price list"))
	for n := range 10 {
		s.ends("T-0001", n+1, priced{claude, strings.Repeat("a", 64), new(60.0), usage("reported", 1.062), "reach"})
	}
	file := filepath.Join(t.TempDir(), "telemetry.jsonl")
	b, err := board.Fold(s.log.Read(t.Context(), partition, 1))
	if err != nil {
		t.Fatal(err)
	}
	old := (242.87 - 10.62) / 626
	for n := range 626 {
		if err := carrier.AppendRow(file, carrier.Row{At: eve.AddDate(0, 0, -1).Add(time.Duration(n) * time.Minute), Task: fmt.Sprintf("T-%04d", 1000+n/3), Attempt: n%3 + 1,
			Agent: carrier.Agent{Adapter: "claude"}, Verdict: "refused", USD: &old, Source: "reported"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, at := range b.Tasks["T-0001"].Attempts {
		row, _ := truth.RowOf("T-0001", at)
		if err := carrier.AppendRow(file, row); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, o := s.here()
	o.Telemetry = file
	a := spent(t, r, o)
	if got := a.Sources["spend"]; got.Carrier != "record" || got.Rows != 10 {
		t.Errorf("spend is from %+v", got)
	}
	if got := a.Sources["telemetry"]; got.Rows != 636 || *a.Telemetry.Unrecorded != 626 || a.Telemetry.Repeated != 0 {
		t.Errorf("telemetry is %+v, %+v", got, a.Telemetry)
	}
	golden(t, "spend-record-of-10", screen(t, a))

	files, _ := s.gather(s.Dir, nil)
	o.Source.Why = "--files asks for them"
	a = spent(t, files, o)
	if got := a.Sources["spend"]; got.Carrier != "files" || got.Rows != 636 || usd(a.Total.Reported) != "$242.87" || a.Telemetry.Unrecorded != nil {
		t.Errorf("by the files: %+v, %+v", got, a.Total)
	}
	golden(t, "spend-files-of-636", screen(t, a))
	if after, _ := os.ReadFile(file); !bytes.Equal(before, after) {
		t.Error("a read wrote to telemetry")
	}
}

func TestARecordThatHoldsNoAttemptMeansAskTheFiles(t *testing.T) {
	s := open(t)
	file := filepath.Join(t.TempDir(), "telemetry.jsonl")
	usd := 0.5
	row := carrier.Row{At: eve, Task: "T-0009", Attempt: 1, Agent: carrier.Agent{Adapter: "claude"}, Verdict: "none", USD: &usd, Source: "reported"}
	for range 2 { // told twice: counted once
		if err := carrier.AppendRow(file, row); err != nil {
			t.Fatal(err)
		}
	}
	r, o := s.here()
	o.Telemetry = file
	a := spent(t, r, o)
	out := screen(t, a)
	if a.Sources["spend"].Carrier != "files" || *a.Total.Reported != 0.5 || a.Telemetry.Repeated != 1 || *a.Telemetry.Unrecorded != 2 ||
		!strings.Contains(out, "own files: the record holds no attempt") || !strings.Contains(out, "1 row told twice, and counted once") {
		t.Errorf("%+v\n%s", a, out)
	}
	if got := status(t, r, o).Sources["attempts"]; got.Carrier != "files" || got.Rows != 1 {
		t.Errorf("status asks %+v", got)
	}
}

func TestAFreshCloneTellsWhatLandedCost(t *testing.T) {
	s := night(t)
	r, o := s.clone()
	a := spent(t, r, o)
	if got := a.Sources["spend"]; got.Carrier != "git" || got.Rows != 1 || a.Total.Attempts != 2 || a.Total.Landed != 1 || usd(a.Total.Reported) != "$0.92" {
		t.Errorf("%+v, %+v", got, a.Total)
	}
	golden(t, "spend-clone", screen(t, a))
	empty := open(t)
	r, o = empty.clone()
	a = spent(t, r, o)
	if got := a.Sources["spend"]; got.Carrier != "none" || len(a.Rows) != 0 || a.Total.Reported != nil {
		t.Errorf("%+v, %+v", got, a.Total)
	}
	if out := screen(t, a); strings.Contains(out, "$") || !strings.Contains(out, "nothing was spent that is known here") {
		t.Errorf("what nobody knows is shown:\n%s", out)
	}
}

// TestTheRowsOfSpendAddUpToWhatTheRecordHolds asks of any attempts that each way to tell
// them is of the same money, that no figure stands in two columns, and that none is lost.
func TestTheRowsOfSpendAddUpToWhatTheRecordHolds(t *testing.T) {
	sources := []string{"reported", "estimated", "notional", "unknown"}
	rapid.Check(t, func(rt *rapid.T) {
		b := &board.Board{Tasks: map[string]*board.Task{}}
		want := map[string]float64{}
		unknown, all := 0, 0
		for i := range rapid.IntRange(0, 4).Draw(rt, "tasks") {
			task := &board.Task{ID: fmt.Sprintf("T-%04d", i+1), Digest: strings.Repeat("1", 64)}
			for n := range rapid.IntRange(0, 4).Draw(rt, "attempts") {
				source := rapid.SampledFrom(sources).Draw(rt, "source")
				usd := float64(rapid.IntRange(0, 500).Draw(rt, "quarters")) / 4 // exact in binary
				u := usage(source, usd)
				if source == "unknown" {
					unknown++
				} else {
					want[source] += usd
				}
				all++
				task.Attempts = append(task.Attempts, board.Attempt{N: n + 1, FinishedAt: eve.Add(time.Duration(i*40+n*9) * time.Hour), Finished: &record.Finished{
					End: "done", Usage: u, Agent: rapid.SampledFrom([]record.Agent{claude, local}).Draw(rt, "agent"), Regime: strings.Repeat(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "regime"), 64)}})
			}
			b.Tasks[task.ID] = task
		}
		for _, by := range view.Bys {
			a, err := view.Spent(context.Background(), &truth.Reading{Board: b}, view.Options{By: by, Now: now})
			if err != nil {
				rt.Fatal(err)
			}
			got := map[string]float64{}
			lost, tried := 0, 0
			for _, row := range a.Rows {
				columns := 0
				for source, usd := range map[string]*float64{"reported": row.Reported, "estimated": row.Estimated, "notional": row.Notional} {
					if usd != nil {
						got[source] += *usd
						columns++
					}
				}
				lost, tried = lost+row.Unknown, tried+row.Attempts
				if columns+row.Unknown > row.Attempts {
					rt.Fatalf("by %s, %s: %d columns and %d unknown of %d attempts", by, row.Key, columns, row.Unknown, row.Attempts)
				}
				if by == "regime" && row.Regimes != 1 {
					rt.Fatalf("a regime of %d regimes", row.Regimes)
				}
			}
			if !reflect.DeepEqual(got, want) || lost != unknown || tried != all || a.Total.Attempts != all || a.Total.Unknown != unknown {
				rt.Fatalf("by %s: %v, %d unknown of %d; want %v, %d of %d", by, got, lost, tried, want, unknown, all)
			}
		}
	})
}
