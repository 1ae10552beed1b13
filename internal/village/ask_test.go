package village

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"torve/configs"
	"torve/internal/law"
	"torve/internal/sim"
)

// how is how the shipped settings ask a villager.
func how(t testing.TB) Thought {
	t.Helper()
	got, err := ReadThought()
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func ask(t testing.TB, r *Roster, id sim.EntityID) Question {
	t.Helper()
	q, err := r.Ask(id, how(t))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

const asked = `You are Ander, a villager. It is tick 1400.
You stand on 8,5. You carry 149.2750 grams.
You see: 3 Mose on 9,6, 2.2 cells off.
You know: 1 Halla, 2 Ander, 3 Mose.
You remember:
- tick 901 you saw: Mose came into sight, 3.2 cells off
- tick 1157 you saw: Halla came into sight, 3.9 cells off
- tick 1200 you ate 28 mouthfuls on 7,6, 14.0 grams
- tick 1205 you went from 7,6 to 8,5
- tick 1310 you ate 50 mouthfuls on 8,5, 25.0 grams
Say what you will do next as 1 to 5 steps, no more than 160 ticks in all.
go walks to a cell: where. 40 ticks.
wait stands still. 20 ticks.
watch looks at a body: who. 20 ticks.
hand gives grams to a body: who, grams. 40 ticks.
take takes grams from a body: who, grams. 40 ticks.
say speaks to a body: who, line. 10 ticks.
Answer with JSON: {"steps":[{"reason","verb","where":{"x","y"},"who","grams","line"}]}
`

func TestAQuestionIsWhatAVillagerSeesKnowsAndRemembers(t *testing.T) {
	r := born(t)
	live(t, r, 1400)
	q := ask(t, r, 2)
	if q.Prompt != asked {
		t.Errorf("asked:\n%s", q.Prompt)
	}
	if want := fmt.Sprintf("%x", sha256.Sum256([]byte(q.Prompt))); q.SHA256 != want {
		t.Errorf("%s, not %s", q.SHA256, want)
	}
	if want := []sim.EntityID{1, 2, 3}; !slices.Equal(q.Set, want) {
		t.Errorf("it can know %v, not %v", q.Set, want)
	}
	if want := (Villager{ID: 2, Name: "Ander", Profile: "villager"}); q.Villager != want || q.Tick != 1400 || len(q.Rows) != 5 {
		t.Errorf("%+v at %d with %d rows", q.Villager, q.Tick, len(q.Rows))
	}
}

func TestAskingHandsOverWhatIsPendingAndNothingElse(t *testing.T) {
	r := born(t)
	live(t, r, 1400)
	stream, others := r.Stream(2), r.Pending(1)
	if r.Pending(2) != 5 || len(r.Handed(2)) != 0 {
		t.Fatalf("%d pending, %d handed over", r.Pending(2), len(r.Handed(2)))
	}
	first := ask(t, r, 2)
	if r.Pending(2) != 0 || !slices.Equal(r.Handed(2), stream) || r.Pending(1) != others {
		t.Errorf("%d pending, handed over %v, and of another's %d pending", r.Pending(2), r.Handed(2), r.Pending(1))
	}
	if again := ask(t, r, 2); !reflect.DeepEqual(again, first) || len(r.Handed(2)) != 5 {
		t.Errorf("asked again at the same boundary it is another question:\n%s", again.Prompt)
	}
	q := ask(t, r, 2)
	q.Rows[0].Text, r.Handed(2)[1].Text = "other", "other"
	if !slices.Equal(r.Handed(2), stream) {
		t.Error("what a question holds is the memory itself")
	}
}

func TestAPromptShowsTheNewestRowsOldestFirst(t *testing.T) {
	r := born(t)
	live(t, r, 2400)
	q := ask(t, r, 1)
	all := r.Stream(1)
	if len(all) <= 8 || !slices.Equal(q.Rows, all[len(all)-8:]) || strings.Count(q.Prompt, "\n- ") != 8 {
		t.Errorf("of %d rows it shows %v", len(all), q.Rows)
	}
	two := how(t)
	two.Newest = 2
	if q, err := r.Ask(1, two); err != nil || !slices.Equal(q.Rows, all[len(all)-2:]) {
		t.Errorf("of two it shows %v, %v", q.Rows, err)
	}
	if everyone := r.names(q.Set); everyone != "1 Halla, 2 Ander, 3 Mose" {
		t.Errorf("it can know %s", everyone)
	}
}

func TestWhoeverHasNoMemoryAndSeesNobodyIsToldSo(t *testing.T) {
	r := born(t)
	q := ask(t, r, 1)
	if !strings.Contains(q.Prompt, "\nYou see: nobody.\n") || !strings.Contains(q.Prompt, "\nYou remember nothing.\n") {
		t.Errorf("asked:\n%s", q.Prompt)
	}
}

// The same state asks the same, whoever restored it and whenever: all questions of three days.
func TestTheSameStateAsksTheSameQuestion(t *testing.T) {
	r := born(t)
	for tick := 1400; tick < 1400+3*Day; tick += 500 {
		live(t, r, tick)
		back, err := Restore(r.State())
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range r.Villagers() {
			q := ask(t, r, v.ID)
			if other := ask(t, back, v.ID); !reflect.DeepEqual(other, q) {
				t.Fatalf("tick %d: restored, the world asks\n%s\nand not\n%s", tick, other.Prompt, q.Prompt)
			}
			if strings.ContainsAny(q.Prompt, "\r\t") || !strings.HasSuffix(q.Prompt, "}\n") || strings.Contains(q.Prompt, " \n") {
				t.Fatalf("%q", q.Prompt)
			}
		}
		if back.Digest() != r.Digest() {
			t.Fatalf("tick %d: asking left another world behind", tick)
		}
	}
}

// Whom a row of memory can name is in the grounding set, wherever it stands.
func TestWhoeverIsNamedInARememberedRowCanBeKnown(t *testing.T) {
	r := born(t)
	live(t, r, 1900)
	for _, v := range r.Villagers() {
		q := ask(t, r, v.ID)
		for _, row := range q.Rows {
			for _, o := range r.Villagers() {
				named := slices.Contains(strings.FieldsFunc(row.Text, func(c rune) bool { return c == ' ' || c == '\'' || c == ',' }), o.Name)
				if named && !slices.Contains(q.Set, o.ID) {
					t.Errorf("%s remembers %q and cannot know %d", v.Name, row.Text, o.ID)
				}
			}
		}
	}
}

func TestABuriedNeighbourStaysKnownAndTheSixthCheckSaysThatItIsGone(t *testing.T) {
	r := born(t)
	live(t, r, 1400)
	r.Remove(3)
	q := ask(t, r, 2)
	if !slices.Equal(q.Set, []sim.EntityID{1, 2, 3}) || !strings.Contains(q.Prompt, "\nYou know: 1 Halla, 2 Ander, 3 Mose.\n") ||
		!strings.Contains(q.Prompt, "\nYou see: nobody.\n") {
		t.Errorf("it can know %v:\n%s", q.Set, q.Prompt)
	}
	reading, err := r.Reading(2)
	if err != nil {
		t.Fatal(err)
	}
	p := law.Proposal{Plan: plan(t, `{"steps":[{"verb":"wait"},{"verb":"say","who":3,"line":"hello"}]}`), Asked: 1400, Set: q.Set}
	want := "refused by freshness: step 2 names body 3, which is no longer in the world"
	if got := law.Validate(p, law.Terms{Caps: how(t).Caps, Law: law.Lawless{}, Stale: 200}, reading); got.String() != want {
		t.Errorf("%s, not %s", got, want)
	}
}

func TestAnAnimalIsKnownWhileItIsInSight(t *testing.T) {
	r := born(t)
	live(t, r, 1400)
	id, err := r.Spawn("browser", sim.Coord{X: 8, Y: 6}, 0, 100*sim.Gram)
	if err != nil {
		t.Fatal(err)
	}
	q := ask(t, r, 2)
	if !slices.Equal(q.Set, []sim.EntityID{1, 2, 3, id}) ||
		!strings.Contains(q.Prompt, "\nYou see: 3 Mose on 9,6, 2.2 cells off; 4 a browser on 8,6, 0.7 cells off.\n") ||
		!strings.Contains(q.Prompt, "\nYou know: 1 Halla, 2 Ander, 3 Mose, 4 a browser.\n") {
		t.Errorf("it can know %v:\n%s", q.Set, q.Prompt)
	}
	if q := ask(t, r, 1); slices.Contains(q.Set, id) {
		t.Errorf("Halla does not see it and can know %v", q.Set)
	}
}

func TestOnlyALivingVillagerIsAsked(t *testing.T) {
	r := born(t)
	live(t, r, 1400)
	animal, err := r.Spawn("browser", sim.Coord{X: 0, Y: 0}, 0, 100*sim.Gram)
	if err != nil {
		t.Fatal(err)
	}
	r.Remove(3)
	for _, id := range []sim.EntityID{-1, 0, 3, animal, 9} {
		want := fmt.Sprintf("ask body %d at tick 1400: it is no villager of this world", id)
		if _, err := r.Ask(id, how(t)); err == nil || err.Error() != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
	more := how(t)
	more.Newest = Remembered + 1
	if _, err := r.Ask(2, more); err == nil || err.Error() != "ask body 2: rows of memory: newest is 9: 0 to 8" || r.Pending(2) == 0 {
		t.Errorf("%v, and %d rows are pending", err, r.Pending(2))
	}
}

func TestNoNameBreaksALineOfAPrompt(t *testing.T) {
	var texts [3][]byte
	for i, file := range []string{configs.Valley, configs.Fauna, configs.Roster} {
		text, err := configs.Files.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = text
	}
	for _, name := range []string{`Hal\nla`, `Halla\r`, `Hal\tla`, `Hal\u2028la`, `Hal\u0085la`, `Hal\u0000la`, `Hal\u202ela`, ` Halla`, ``} {
		roster := bytes.Replace(texts[2], []byte(`"Halla"`), []byte(`"`+name+`"`), 1)
		if _, err := Found(texts[0], texts[1], roster); err == nil {
			t.Errorf("a villager is called %q", name)
		}
	}
}

func TestTheSchemaIsTheShapeOfAPlan(t *testing.T) {
	text := Schema()
	if i, j := bytes.Index(text, []byte(`"reason"`)), bytes.Index(text, []byte(`"verb"`)); i < 0 || i > j {
		t.Error("the reason does not come first")
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("plan.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("plan.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text string) bool {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(value) == nil
	}
	whole, err := json.Marshal(law.Plan{Steps: []law.Step{{Reason: "r", Verb: law.Say, Where: &sim.Coord{X: 1, Y: 2}, Who: 3, Grams: 4.5, Line: "l"}}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		string(answer(t)): true, string(whole): true, `{"steps":[]}`: true, // an empty plan is the law's to refuse
		`{}`: false, `[]`: false, `{"steps":[{"verb":"go"}]}`: false, `{"steps":[{"reason":"r"}]}`: false,
		`{"steps":[{"reason":"r","verb":"fly"}]}`: false, `{"steps":[{"reason":"r","verb":"go","where":{"x":1}}]}`: false,
		`{"steps":[{"reason":"r","verb":"watch","who":1.5}]}`: false, `{"steps":[{"reason":"r","verb":"watch","who":null}]}`: false,
	} {
		if valid(text) != want {
			t.Errorf("%s: valid %v", text, !want)
		}
	}
	for _, v := range verbs {
		if _, is := law.Span(v.verb); !is || !valid(`{"steps":[{"reason":"","verb":"`+v.verb+`"}]}`) {
			t.Errorf("%s is in the prompt, and in the table %v", v.verb, is)
		}
	}
	text[0] = 'x'
	if Schema()[0] != '{' {
		t.Error("the schema can be written over")
	}
}
