package decide

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"torve/internal/beast"
	"torve/internal/lang"
	"torve/internal/law"
	"torve/internal/record"
	"torve/internal/sim"
	"torve/internal/village"
)

// What a model's recording looks like is an interface: these are its lines, to the letter.

var names = map[sim.EntityID]string{1: "Halla", 2: "Ander", 3: "Mose"}

var qwen = lang.Answer{Model: "qwen2.5:0.5b-instruct-q4_K_M"}

// says is what a table prints.
func says(print func(p *page)) string {
	var out bytes.Buffer
	print(&page{w: &out, names: names})
	return out.String()
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if want = strings.TrimPrefix(want, "\n"); got != want {
		t.Errorf("it prints\n%s\nand should print\n%s", got, want)
	}
}

func to(x, y int) *sim.Coord { return &sim.Coord{X: x, Y: y} }

var four = law.Plan{Steps: []law.Step{
	{Reason: "Ander remembers that he has not eaten anything yet,", Verb: law.Go, Where: to(9, 5)},
	{Reason: "Ander is not hungry anymore,", Verb: law.Wait},
	{Reason: "Ander's body is empty,", Verb: law.Watch, Who: 1},
	{Reason: "Ander has no food left,", Verb: law.Go, Where: to(9, 5)},
}}

func TestAPlanIsATableOfItsSteps(t *testing.T) {
	same(t, says(func(p *page) { p.plan(four, voiceOf(qwen)) }), `
     # verb   argument                 ticks  reason, a model's, read by nothing
     1 go     to 9,5                      40  Ander remembers that he has not eaten anything yet,
     2 wait   -                           20  Ander is not hungry anymore,
     3 watch  1 Halla                     20  Ander's body is empty,
     4 go     to 9,5                      40  Ander has no food left,
`)
}

func TestWhatAStepIsAboutIsSaidOfEveryVerb(t *testing.T) {
	p := page{names: names}
	for want, s := range map[string]law.Step{
		"10 g to 1 Halla":      {Verb: law.Hand, Who: 1, Grams: 10},
		"2.5 g from 3 Mose":    {Verb: law.Take, Who: 3, Grams: 2.5},
		"3 Mose":               {Verb: law.Say, Who: 3, Line: "Hello."},
		"7":                    {Verb: law.Watch, Who: 7},
		"-":                    {Verb: law.Go},
		"to -1,9":              {Verb: law.Go, Where: to(-1, 9)},
		"1000000 g to 1 Halla": {Verb: law.Hand, Who: 1, Grams: 1_000_000},
	} {
		if got := p.argument(s); got != strings.Replace(want, "1000000 g", "1e+06 g", 1) {
			t.Errorf("%+v: %s, not %s", s, got, want)
		}
	}
}

func read1400() law.Reading {
	b := &beast.Beast{ID: 2, Name: "Ander", Kind: &beast.Kind{Reach: 1}, Store: 1_507_298}
	b.Place(*to(8, 5), 4)
	return law.Reading{Tick: 1400, Actor: b, Sees: []sim.EntityID{3}, Bodies: map[sim.EntityID]law.Body{
		1: {Cell: *to(9, 3), Grams: 65.0587}, 2: {Cell: *to(8, 5), Grams: 150.7298}, 3: {Cell: *to(9, 6), Grams: 178.2125},
	}}
}

func TestAReadingIsTheActorAndWhomItSeesAndAllWhoLive(t *testing.T) {
	same(t, says(func(p *page) { p.reading(read1400()) }), `
  the reading of the world at the boundary of tick 1400, handed to the last two checks
    the actor    2 Ander on 8,5 carrying 150.7298 grams, heading 1.57, reach 1 cell
    in sight     3 Mose
    alive        1 Halla on 9,3 with 65.0587 g; 2 Ander on 8,5 with 150.7298 g; 3 Mose on 9,6 with 178.2125 g
`)
	r := read1400()
	r.Sees = nil
	if got := says(func(p *page) { p.reading(r) }); !strings.Contains(got, "    in sight     nobody\n") {
		t.Errorf("of nobody it says\n%s", got)
	}
}

var late201 = judged{
	law.Refused(law.OnFreshness, "asked at tick 2400, and it is tick 2601: 201 ticks old, and the cap is 200"), 6, law.Checks[:],
}

func TestTheChecksAreATableOfWhatTheySaid(t *testing.T) {
	yes := judged{law.Accepted(), 6, law.Checks[:]}
	same(t, says(func(p *page) { p.checks(yes) }), `
   # check      said
   1 shape      yes
   2 verb       yes
   3 grounding  yes
   4 law        yes
   5 reach      yes
   6 freshness  yes
`)
	same(t, says(func(p *page) { p.twice(2400, 2601, yes, late201) }), `
   # check      at tick 2400             at tick 2601
   1 shape      yes                      yes
   2 verb       yes                      yes
   3 grounding  yes                      yes
   4 law        yes                      yes
   5 reach      yes                      yes
   6 freshness  yes                      no: asked at tick 2400, and it is tick 2601: 201 ticks old, and the cap is 200
     the seam   accepted                 refused by freshness: asked at tick 2400, and it is tick 2601: 201 ticks old, and the cap is 200
`)
}

func TestACheckBehindANoSaysNothing(t *testing.T) {
	j := judged{law.Refused(law.OnGrounding, "step 2 names body 4, and the grounding set is {1,2,3}"), 3, law.Checks[:]}
	if got := says(func(p *page) { p.checks(j) }); !strings.HasSuffix(got, "   3 grounding  no: step 2 names body 4, and the grounding set is {1,2,3}\n   4 law        -\n   5 reach      -\n   6 freshness  -\n") {
		t.Errorf("it prints\n%s", got)
	}
}

// modelled is a row as a model's answer makes it.
func modelled(id, tick int64, prompt string, in, out int64, v law.Verdict) record.Proposal {
	row := record.Proposal{
		ID: id, Actor: "Ander", Tick: tick, Kind: record.Plan, Model: qwen.Model, Digest: "c5396e06af294bd101b30dce59131a76", Prompt: prompt + "0123456789abcdef",
		Settings: json.RawMessage("{}"), TokensIn: &in, TokensOut: &out, Grounding: []string{"1", "2", "3"}, Answer: make([]byte, 342),
		Verdict: "accepted", Failed: v.Failed, Reason: v.Why,
	}
	if !v.OK {
		row.Verdict = "refused"
	}
	return row
}

func TestARowOfTheLedgerIsShownColumnByColumn(t *testing.T) {
	v := law.Refused(law.OnGrounding, "step 2 names body 4, and the grounding set is {1,2,3}")
	settings := lang.Settings{Limit: 256, Context: 4096, Seed: 1402}
	same(t, says(func(p *page) {
		p.row(modelled(1, 1400, "c8e29a79d1302570", 374, 133, v), p.calledAll([]sim.EntityID{1, 2, 3}), settings, voiceOf(qwen))
	}), `
  the ledger row, column by column
    villager       Ander
    tick           1400
    kind           plan
    model          qwen2.5:0.5b-instruct-q4_K_M
    digest         c5396e06af294bd1
    settings       {limit 256, context 4096, temperature 0.00, seed 1402}
    prompt_sha256  c8e29a79d1302570
    tokens         374 in, 133 out
    grounding      1 Halla, 2 Ander, 3 Mose
    answer         342 bytes, the model's, kept whatever they are
    verdict        refused
    failed         grounding
    reason         step 2 names body 4, and the grounding set is {1,2,3}
`)
}

var staleWait = law.Refused(law.OnFreshness, "asked at tick 1900, and it is tick 1975: 75 ticks old, and the cap is 60")

func TestTheLedgerIsReadBackWithTheCurrentPlan(t *testing.T) {
	plan := modelled(2, 1900, "88130533a0fe55bf", 397, 60, law.Accepted())
	step := modelled(3, 1975, "88130533a0fe55bf", 397, 60, staleWait)
	step.Kind = record.Step
	same(t, says(func(p *page) { p.readBack("Mose", []record.Proposal{plan, step}, &plan) }), `
  Mose's proposals read back, ORDER BY id: 2 row(s)
    id   tick kind  prompt_sha256          in    out  grounding      verdict  failed    reason
     2   1900 plan  88130533a0fe55bf      397     60  {1,2,3}        accepted -         -
     3   1975 step  88130533a0fe55bf      397     60  {1,2,3}        refused  freshness asked at tick 1900, and it is tick 19...
  Mose's current plan, the newest accepted row of the plan kind: proposal 2, asked at tick 1900
`)
	prose := modelled(4, 2900, "6f9a1c245cac1109", 361, 256, law.Refused(law.OnShape, "lang: qwen2.5:0.5b-instruct-q4_K_M answered with something that is not the shape asked for: invalid character 'T' looking for beginning of value"))
	same(t, says(func(p *page) { p.readBack("Halla", []record.Proposal{prose}, nil) }), `
  Halla's proposals read back, ORDER BY id: 1 row(s)
    id   tick kind  prompt_sha256          in    out  grounding      verdict  failed    reason
     4   2900 plan  6f9a1c245cac1109      361    256  {1,2,3}        refused  shape     not the shape asked for: invalid char...
  Halla's current plan: none; no accepted plan in the ledger, so the habit runs
`)
}

// lived is a step that was posted for its whole span.
func lived(n, due, span, turns, walks int, s law.Step, from, to sim.Coord) village.Done {
	d := village.Done{N: n, Step: s, Due: due, Verdict: law.Accepted(), Asked: true, Posted: span, From: from, To: to}
	d.Counts.Taken = span
	d.Counts.Acts[beast.TurnLeft], d.Counts.Acts[beast.Walk] = turns, walks
	return d
}

func late121() []village.Done {
	no := village.Done{
		N: 4, Step: four.Steps[3], Due: 1601, Asked: true, Habit: true, From: *to(9, 5), To: *to(8, 3),
		Verdict: law.Refused(law.OnFreshness, "asked at tick 1400, and it is tick 1601: 201 ticks old, and the cap is 200"),
	}
	no.Counts.Habit = 40
	return []village.Done{
		lived(1, 1521, 40, 4, 1, four.Steps[0], *to(8, 5), *to(9, 5)),
		lived(2, 1561, 20, 0, 0, four.Steps[1], *to(9, 5), *to(9, 5)),
		lived(3, 1581, 20, 2, 0, four.Steps[2], *to(9, 5), *to(9, 5)),
		no,
	}
}

func TestAPlanThatWasLivedIsATableOfWhatWasPostedAndDone(t *testing.T) {
	same(t, says(func(p *page) {
		p.steps(late121(), four, false)
		p.blank()
		p.spent(late121(), four, false)
	}), `
     # verb   argument           due  reach, then freshness, at the due tick       posted  taken  habit refused  what the world did
     1 go     to 9,5            1521  yes, yes                                         40     40      0       0  4 turns, 1 walks: went from 8,5 to 9,5
     2 wait   -                 1561  yes, yes                                         20     20      0       0  stood on 9,5
     3 watch  1 Halla           1581  yes, yes                                         20     20      0       0  2 turns, then stood on 9,5
     4 go     to 9,5            1601  refused by freshness: asked at tick 1400,...      0      0     40       0  the habit; stood on 8,3 at the end

  80 intents posted at the boundary, 80 taken out of the slot, 40 ticks ran the habit, over the plan's 120 ticks
`)
}

func TestALivePlanIsTheSameTableWithoutWhatTheMailboxCounted(t *testing.T) {
	steps := []law.Step{{Verb: law.Go, Where: to(9, 3)}, {Verb: law.Wait}}
	no := village.Done{N: 2, Step: steps[1], Due: 1975, Asked: true, Habit: true, Verdict: staleWait, From: *to(9, 3), To: *to(9, 3)}
	no.Counts.Habit = 20
	done := []village.Done{lived(1, 1935, 40, 4, 13, steps[0], *to(9, 6), *to(9, 3)), no}
	same(t, says(func(p *page) {
		p.steps(done, law.Plan{Steps: steps}, true)
		p.spent(done, law.Plan{Steps: steps}, true)
	}), `
     # verb   argument           due  reach, then freshness, at the due tick       posted  habit  what the world did
     1 go     to 9,3            1935  yes, yes                                         40      0  4 turns, 13 walks: went from 9,6 to 9,3
     2 wait   -                 1975  refused by freshness: asked at tick 1900,...      0     20  the habit; stood on 9,3 at the end
  40 intents posted at the boundary and 20 ticks ran the habit, over the plan's 60 ticks
`)
}

func TestAStepBehindARefusedOneWasNotAsked(t *testing.T) {
	done := late121()
	done[3].Asked = false
	if got := says(func(p *page) { p.steps(done[3:], four, false) }); !strings.Contains(got, "  not asked: the plan was refused before it      ") || !strings.Contains(got, "step 2 never came due") {
		t.Errorf("it prints\n%s", got)
	}
}

func TestARunWithoutAStoreShowsItsRowsToo(t *testing.T) {
	step := modelled(0, 1601, "c8e29a79d1302570", 374, 133, late121()[3].Verdict)
	step.Kind = record.Step
	same(t, says(func(p *page) {
		p.short([]record.Proposal{modelled(0, 1400, "c8e29a79d1302570", 374, 133, law.Accepted()), step})
	}), `
  the ledger, 2 row(s): the proposal, and one row for each step refused at dispatch
    #   tick kind  verdict  failed    reason
    1   1400 plan  accepted -         -
    2   1601 step  refused  freshness asked at tick 1400, and it is tick 1601: 201 ticks old, and the cap is 200
`)
}

// An answer of 6.8 s is printed rounded, and is 67 ticks late where it took a little less.
func TestAnAnswerIsLateByTheWholeTicksItTook(t *testing.T) {
	for took, want := range map[time.Duration]int{
		0: 0, 99 * time.Millisecond: 0, 4933 * time.Millisecond: 49, 6799600 * time.Microsecond: 67, 6800 * time.Millisecond: 68,
	} {
		if got := late(took); got != want {
			t.Errorf("%v is %d ticks late, not %d", took, got, want)
		}
	}
	if got := (6799600 * time.Microsecond).Round(time.Millisecond).String(); got != "6.8s" {
		t.Errorf("it prints %s", got)
	}
}

func TestAColumnIsCutWithDots(t *testing.T) {
	const reason = "not the shape asked for: invalid character 'T' looking for beginning of value"
	for most, want := range map[int]string{
		58: "not the shape asked for: invalid character 'T' looking ...",
		40: "not the shape asked for: invalid char...",
		99: reason,
	} {
		if got := cut(bare("lang: "+qwen.Model+" answered with something that is "+reason), most); got != want {
			t.Errorf("at %d it is %q", most, got)
		}
	}
	if got := cut("żółwie żółwie", 8); got != "żółwi..." {
		t.Errorf("it is %q", got)
	}
}

func TestAModelsTextCannotSpeakToTheTerminal(t *testing.T) {
	if got := shown("a\x1b[31m\tb\r\x00ż\xff\u202e"); got != `a\x1b[31m\tb\r\x00ż\xff\u202e` {
		t.Errorf("it shows %s", got)
	}
	got := says(func(p *page) { p.quote("one\ntwo\x1b[2J\n\nthree") })
	if got != "    | one\n    | two\\x1b[2J\n    |\n    | three\n" {
		t.Errorf("it quotes %q", got)
	}
}

func TestWhatNobodyCountedIsNotZero(t *testing.T) {
	row := modelled(1, 1400, "c8e29a79d1302570", 0, 0, law.Accepted())
	row.TokensIn, row.TokensOut = nil, nil
	got := says(func(p *page) {
		p.row(row, "", lang.Settings{}, voiceOf(qwen))
		p.readBack("Ander", []record.Proposal{row}, nil)
	})
	if !strings.Contains(got, "    tokens         unknown in, unknown out\n") || !strings.Contains(got, "c8e29a79d1302570        ?      ?  {1,2,3}") {
		t.Errorf("it prints\n%s", got)
	}
}

func TestAnAuthoredAnswerIsNeverCalledAModels(t *testing.T) {
	v := voiceOf(lang.Answer{Model: Authored})
	for _, words := range []string{v.answered, v.wrote, v.reason, v.answer, tally{authored: 3, same: 3}.words()} {
		if !strings.Contains(words, "authored") || strings.Contains(words, "a model's") || strings.Contains(words, "the model's,") {
			t.Errorf("it says %s", words)
		}
	}
	if got := (tally{same: 15}).words(); got != "the words in the answers are the model's" {
		t.Errorf("of a model it says %s", got)
	}
}
