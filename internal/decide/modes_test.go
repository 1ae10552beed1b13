package decide_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"torve/configs"
	"torve/internal/decide"
	"torve/internal/lang"
	"torve/internal/law"
)

func ander(mode string) decide.Options {
	return decide.Options{Mode: mode, Who: "Ander", Now: 1400, Law: law.Lawless{}}
}

func with(o decide.Options, change func(*decide.Options)) decide.Options {
	change(&o)
	return o
}

func at(mode, who string, now int) decide.Options {
	o := ander(mode)
	o.Who, o.Now = who, now
	return o
}

// run runs a mode over the day that ships.
func run(t *testing.T, o decide.Options) (string, error) {
	t.Helper()
	if o.Recorded == nil {
		o.Recorded = recorded(t)
	}
	var out bytes.Buffer
	err := decide.Run(t.Context(), &out, o)
	return out.String(), err
}

func shipped(t *testing.T) law.Law {
	t.Helper()
	text, err := configs.Files.ReadFile(configs.Law)
	if err != nil {
		t.Fatal(err)
	}
	code, err := law.ParseCode(text)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func TestEachModePrintsWhatItPrinted(t *testing.T) {
	reversed := func(o *decide.Options) { o.Reversed = true }
	late := func(n int) func(*decide.Options) { return func(o *decide.Options) { o.Late = n } }
	under := func(o *decide.Options) { o.Law = shipped(t) }
	for name, o := range map[string]decide.Options{
		"settings":          ander("settings"),
		"settings-law":      with(ander("settings"), under),
		"refuse-law":        with(ander("refuse"), under),
		"refuse-law-first":  with(at("refuse", "Halla", 1400), under),
		"arrive":            ander("arrive"),
		"arrive-reversed":   with(ander("arrive"), reversed),
		"arrive-cut":        at("arrive", "Mose", 1400),
		"arrive-noschema":   with(at("arrive", "halla", 2900), func(o *decide.Options) { o.NoSchema = true }),
		"arrive-law":        with(at("arrive", "Halla", 2400), under),
		"stale":             at("stale", "Halla", 2400),
		"stale-60":          with(at("stale", "Halla", 2400), func(o *decide.Options) { o.Stale = 60 }),
		"refuse":            ander("refuse"),
		"refuse-reversed":   with(ander("refuse"), reversed),
		"refuse-seen":       at("refuse", "Halla", 2900),
		"day":               ander("day"),
		"day-reversed":      with(ander("day"), reversed),
		"day-law":           with(ander("day"), under),
		"beside":            at("beside", "Halla", 2400),
		"dispatch":          ander("dispatch"),
		"dispatch-late-121": with(ander("dispatch"), late(121)),
		"dispatch-late-201": with(ander("dispatch"), late(201)),
		"dispatch-stale-60": with(with(ander("dispatch"), late(20)), func(o *decide.Options) { o.Stale = 60 }),
		"dispatch-cut":      at("dispatch", "Ander", 2400),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := run(t, o)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name+".txt", []byte(got))
		})
	}
}

// What was worked out before the bench was written, and does not move with its words.
func TestTheBenchFindsWhatTheWorldIsProvedToDo(t *testing.T) {
	for name, c := range map[string]struct {
		o    decide.Options
		says []string
	}{
		"arrive": {ander("arrive"), []string{
			"    the actor    2 Ander on 8,5 carrying 149.2750 grams, heading 1.57, reach 1 cell\n",
			`  the fifth check put step 1 to the world as "turn left", through Legal, and the world said: allowed`,
			"    answer         342 bytes, authored, kept whatever they are\n",
			"    settings       {limit 256, context 4096, temperature 0.00, seed 1402}\n",
		}},
		"stale": {at("stale", "Halla", 2400), []string{
			"    the actor    1 Halla on 9,3 carrying 131.6250 grams, heading 4.32, reach 1 cell\n",
			"    the actor    1 Halla on 9,3 carrying 127.4450 grams, heading 4.32, reach 1 cell\n",
			"    in sight     2 Ander\n",
			"   6 freshness  yes                      no: asked at tick 2400, and it is tick 2601: 201 ticks old, and the cap is 200\n",
			"  the same 144 bytes, asked at tick 2400: accepted at tick 2400 and refused at tick 2601\n",
		}},
		"day": {ander("day"), []string{
			"  15 calls, 15 prompts rendered here and every one the recorded bytes\n" +
				"  9 accepted, 6 refused: 6 by shape, 0 by verb, 0 by grounding, 0 by law, 0 by reach, 0 by freshness\n" +
				"  60 checks run in all, over 15 calls, in the order shape, verb, grounding, law, reach, freshness\n",
		}},
		"day, reversed": {with(ander("day"), func(o *decide.Options) { o.Reversed = true }), []string{
			"  Mose    2900 no         -     -    1  refused  shape     not the shape asked for: invalid character 'T' looking ...\n\n" +
				"  15 calls, 15 prompts rendered here and every one the recorded bytes\n" +
				"  9 accepted, 6 refused: 5 by shape, 1 by verb, 0 by grounding, 0 by law, 0 by reach, 0 by freshness\n" +
				"  64 checks run in all, over 15 calls, in the order freshness, reach, law, grounding, verb, shape\n",
		}},
		"dispatch": {ander("dispatch"), []string{
			"  Ander is on 8,5 carrying 149.2750 grams; the mailbox has been read 0 times and the habit has run 500 ticks\n",
			"     1 go     to 9,5            1400  yes, yes                                         40     40      0       0  6 turns, 5 walks: went from 8,5 to 9,5\n",
			"     3 watch  1 Halla           1460  yes, yes ", "     4 go     to 9,5            1480  yes, yes ",
			"  120 intents posted at the boundary, 120 taken out of the slot, 0 ticks ran the habit, over the plan's 120 ticks\n",
			"  Ander is on 9,5 carrying 135.8750 grams at the boundary of tick 1520\n",
			"  the ledger, 1 row(s): ",
		}},
		"dispatch, late": {with(ander("dispatch"), func(o *decide.Options) { o.Late = 121 }), []string{
			"  landed at the boundary of tick 1521; the six checks on arrival\n",
			"  Ander is on 8,5 carrying 165.0950 grams; the mailbox has been read 0 times and the habit has run 621 ticks\n",
			"     4 go     to 9,5            1601  refused by freshness: asked at tick 1400,...      0      0     40       0  the habit; stood on 8,3 at the end\n",
			"  80 intents posted at the boundary, 80 taken out of the slot, 40 ticks ran the habit, over the plan's 120 ticks\n",
			"    tick  1524  saw  Halla came into sight, 3.2 cells off\n    tick  1520  did  ate ",
			"    tick  1610  did  went from 9,5 to 8,3\n", "  did  ate 12 mouthfuls on 8,3, 6.0 grams\n",
			"    2   1601 step  refused  freshness asked at tick 1400, and it is tick 1601: 201 ticks old, and the cap is 200\n",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := run(t, c.o)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range c.says {
				if !strings.Contains(got, want) {
					t.Errorf("it does not say\n%s\nbut\n%s", want, got)
				}
			}
		})
	}
}

func TestTheSixAreRefusedByTheChecksThatTheyAreFor(t *testing.T) {
	for _, c := range []struct {
		reversed bool
		want     string
	}{{false, "3 5 5 5 5 6"}, {true, "1 2 2 2 2 1"}} {
		got, err := run(t, with(ander("refuse"), func(o *decide.Options) { o.Reversed = c.reversed }))
		if err != nil {
			t.Fatal(err)
		}
		var ran []string
		for l := range strings.Lines(got) {
			if n, is := strings.CutPrefix(l, "    checks run   "); is {
				ran = append(ran, strings.TrimSuffix(n, " of 6\n"))
			}
		}
		if strings.Join(ran, " ") != c.want {
			t.Errorf("reversed %v: %v checks were run, and not %s", c.reversed, ran, c.want)
		}
	}
}

// The villager's sentence and the animal's are one, but for the number of who it is about.
func TestBesideTheSentencesDifferInOneCharacter(t *testing.T) {
	got, err := run(t, at("beside", "Halla", 2400))
	if err != nil {
		t.Fatal(err)
	}
	var villager, animal []string
	for l := range strings.Lines(got) {
		if _, s, is := strings.Cut(l, "Legal(walk): "); is {
			villager = append(villager, s)
		}
		if _, s, is := strings.Cut(l, "the phase's report: "); is {
			animal = append(animal, s)
		}
	}
	if len(villager) != 2 || len(animal) != 2 {
		t.Fatalf("%q and %q", villager, animal)
	}
	for i, s := range villager {
		if !strings.HasPrefix(s, "creature 1 at ") || strings.Replace(s, "creature 1", "creature 4", 1) != animal[i] {
			t.Errorf("%s and %s", s, animal[i])
		}
	}
}

func TestARunGivesTheSameBytesEveryTime(t *testing.T) {
	for _, o := range []decide.Options{ander("day"), ander("refuse"), with(ander("dispatch"), func(o *decide.Options) { o.Late = 121 }), at("beside", "Mose", 2900)} {
		first, err := run(t, o)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if again, err := run(t, o); err != nil || again != first {
				t.Fatalf("mode %s says other things the second time: %v", o.Mode, err)
			}
		}
	}
}

func TestWhatCannotBeAskedForIsRefusedAndSaysWhatThereIs(t *testing.T) {
	for want, o := range map[string]decide.Options{
		`there is no mode "dance"`:                                        ander("dance"),
		`there is no villager "Bert"; there are Halla, Ander, Mose`:       at("arrive", "Bert", 1400),
		"-now 899: the world begins at tick 900":                          at("beside", "Ander", 899),
		"-now 99999999: the world is lived tick by tick, to tick 1314900": at("beside", "Ander", 99_999_999),
		"-now -5: ": at("arrive", "Ander", -5),
		"no answer is recorded for Ander at tick 1500, attempt 1, with a schema; recorded are 1400, 1900, 2400, 2900": at("arrive", "Ander", 1500),
		"what is recorded of Mose at tick 1400 is no plan: not the shape asked for: unexpected end of JSON input":     at("stale", "Mose", 1400),
		"the plan recorded of Mose at tick 2400 is refused by shape: a plan of 7 steps":                               at("refuse", "Mose", 2400),
		"-late -1: ":     with(ander("dispatch"), func(o *decide.Options) { o.Late = -1 }),
		"-late 3601: ":   with(ander("dispatch"), func(o *decide.Options) { o.Late = 3601 }),
		"-stale 99999: ": with(ander("day"), func(o *decide.Options) { o.Stale = 99_999 }),
		"a staleness cap of -3 ticks would refuse every proposal": with(ander("day"), func(o *decide.Options) { o.Stale = -3 }),
	} {
		t.Run(want, func(t *testing.T) {
			_, err := run(t, o)
			if _, is := errors.AsType[*decide.Unfit](err); !is || !strings.Contains(err.Error(), want) || errors.Is(err, decide.ErrOdd) {
				t.Errorf("it is %v", err)
			}
		})
	}
}

// changed is the day that ships with one row changed.
func changed(t *testing.T, change func(*lang.Row)) *lang.Recorded {
	t.Helper()
	rows := recorded(t).Rows()
	change(&rows[4])
	r, err := lang.NewRecorded(lang.Write(rows))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAPromptThatIsNotTheRecordedBytesIsOdd(t *testing.T) {
	day := changed(t, func(r *lang.Row) { r.Prompt = strings.Repeat("ab", 32) })
	got, err := run(t, with(ander("day"), func(o *decide.Options) { o.Recorded = day }))
	if !errors.Is(err, decide.ErrOdd) || !strings.Contains(err.Error(), "the prompt is not the recorded one for Ander at tick 1900") {
		t.Errorf("it is %v", err)
	}
	if !strings.Contains(got, "  15 calls, 14 prompts rendered here are the recorded bytes and 1 are not\n  8 accepted, 6 refused: ") {
		t.Errorf("it prints\n%s", got)
	}
	if _, err := run(t, with(at("arrive", "Ander", 1900), func(o *decide.Options) { o.Recorded = day })); !errors.Is(err, decide.ErrOdd) {
		t.Errorf("a single question is %v", err)
	}
}

func TestACallThatIsNotRecordedIsOdd(t *testing.T) {
	day := changed(t, func(r *lang.Row) { r.Tick = 1901 })
	if _, err := run(t, with(ander("day"), func(o *decide.Options) { o.Recorded = day })); !errors.Is(err, decide.ErrOdd) || !strings.Contains(err.Error(), "no answer is recorded for Ander at tick 1900") {
		t.Errorf("it is %v", err)
	}
}

// On arrival the first step alone is asked of the world where the actor stands; each is when it
// is due.
func TestAStepThatTheWorldHasNoPlaceForIsRefusedWhenItIsDue(t *testing.T) {
	day := changed(t, func(r *lang.Row) {
		r.Answer = `{"steps":[{"reason":"x","verb":"wait"},{"reason":"x","verb":"watch","who":1},{"reason":"x","verb":"wait"}]}`
	})
	got, err := run(t, with(at("dispatch", "Ander", 1900), func(o *decide.Options) { o.Recorded = day }))
	for _, want := range []string{
		"  the seam: accepted\n",
		"     1 wait   -                 1900  yes, yes                                         20     20      0       0  stood on 8,6\n" +
			"     2 watch  1 Halla           1920  refused by reach: step 2: body 1 is not i...      0      0     20       0  the habit; ",
		"\n     3 wait   -                 1940  not asked: the plan was refused before it         0      0     20       0  the habit; ",
		"\n    2   1920 step  refused  reach     step 2: body 1 is not in sight\n",
	} {
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%v: it does not print\n%s\nbut\n%s", err, want, got)
		}
	}
}

// A model's recording is spoken of as one.
func TestARecordingOfAModelIsSaidToBeAModels(t *testing.T) {
	day := changed(t, func(r *lang.Row) { r.Model, r.Digest, r.TokensIn, r.TokensOut = "qwen", "c539", 374, 133 })
	for mode, want := range map[string]string{
		"arrive": "  what the model answered, which yours will differ from:\n    | { ",
		"stale":  "  the plan, asked at tick 1900, which a model wrote and yours will differ from:\n",
		"refuse": "  the plan, recorded, which a model wrote and yours will differ from:\n",
		"day":    "the words in 14 of the answers are authored, and in 1 the model's\n",
	} {
		got, err := run(t, with(at(mode, "Ander", 1900), func(o *decide.Options) { o.Recorded = day }))
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("mode %s, %v, says\n%s", mode, err, got)
		}
	}
}

func TestARunThatIsToEndEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out bytes.Buffer
	o := ander("beside")
	if err := decide.Run(ctx, &out, o); !errors.Is(err, context.Canceled) {
		t.Errorf("it is %v", err)
	}
}

// full is where nothing can be written.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestAPageThatCannotBeWrittenIsAnError(t *testing.T) {
	o := ander("day")
	o.Recorded = recorded(t)
	if err := decide.Run(t.Context(), full{}, o); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("it is %v", err)
	}
}
