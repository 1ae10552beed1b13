package law

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

// text is the law that the valley ships with.
func text(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile("../../configs/law.json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func shipped(t testing.TB) Code {
	t.Helper()
	c, err := ParseCode(text(t))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheShippedLawDecides(t *testing.T) {
	c := shipped(t)
	spoke := map[string]bool{}
	for _, one := range []struct {
		profile string
		step    Step
		clause  string // "" where none speaks
		ok      bool
	}{
		{"guest", Step{Verb: Take, Who: 3, Grams: 1}, "guests-take-nothing", false},
		{"villager", Step{Verb: Take, Who: 1, Grams: 1}, "halla-keeps", false},
		{"villager", Step{Verb: Take, Who: 3, Grams: 20.5}, "small-takes", false},
		{"villager", Step{Verb: Take, Who: 3, Grams: 20}, "neighbours", true},
		{"villager", Step{Verb: Take, Who: 2, Grams: 1}, "neighbours", true},
		{"villager", Step{Verb: Take, Who: 4, Grams: 1}, "the-herd-keeps", false},
		{"villager", Step{Verb: Hand, Who: 1, Grams: 300}, "gifts-to-halla", true},
		{"guest", Step{Verb: Hand, Who: 2, Grams: 50.5}, "small-gifts", false},
		{"guest", Step{Verb: Hand, Who: 2, Grams: 50}, "", true},
		{"villager", Step{Verb: Hand, Who: 4, Grams: 50}, "", true},
		{"villager", Step{Verb: Go, Where: to(3, 8)}, "west-bank", false},
		{"villager", Step{Verb: Go, Where: to(2, 7)}, "west-bank", false},
		{"villager", Step{Verb: Go, Where: to(4, 8)}, "", true},
		{"villager", Step{Verb: Go, Where: to(-1, 0)}, "", true}, // off the grid is the world's to say
		{"villager", Step{Verb: Go}, "", true},
		{"villager", Step{Verb: Say, Who: 2, Line: strings.Repeat("ä", 140)}, "", true},
		{"villager", Step{Verb: Say, Who: 2, Line: strings.Repeat("ä", 141)}, "few-words", false},
		{"villager", Step{Verb: Wait}, "", true},
		{"guest", Step{Verb: Watch, Who: 1}, "", true},
		{"villager", Step{Verb: "fly"}, "", true}, // no verb is the second check's to say
	} {
		clause, ok := c.Permits(one.profile, one.step)
		id, _, _ := strings.Cut(strings.TrimPrefix(clause, "clause "), ":")
		if ok != one.ok || id != one.clause {
			t.Errorf("%s, %+v: %q, %v", one.profile, one.step, clause, ok)
		}
		spoke[id] = true
	}
	for _, one := range c.clauses {
		if !spoke[one.ID] {
			t.Errorf("clause %s decided none of these", one.ID)
		}
	}
	if clause, ok := c.Permits("browser", Step{Verb: Wait}); ok || clause != `the law knows no profile "browser"` {
		t.Errorf("a profile that it does not know: %q, %v", clause, ok)
	}
}

func TestTheShippedLawRefusesAWalkOfTheRecordedDay(t *testing.T) {
	p, terms := recorded(), terms()
	terms.Law = shipped(t)
	accepted(t, Validate(p, terms, day(t)))
	p.Plan = steps(Step{Verb: Wait}, Step{Verb: Go, Where: to(2, 7)})
	v, asked := Count(Checks[:], p, terms, day(t))
	refused(t, v, OnLaw, "step 2: clause west-bank: the west bank is left to grow, and nobody is sent there")
	if asked != 4 {
		t.Errorf("%d checks were asked", asked)
	}
}

func TestALawIsWrittenAsItIsRead(t *testing.T) {
	c := shipped(t)
	out, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseCode(out)
	if err != nil || !reflect.DeepEqual(again, c) {
		t.Errorf("%v: %+v was written as %s", err, c, out)
	}
	var said, was any
	if json.Unmarshal(out, &said) != nil || json.Unmarshal(text(t), &was) != nil || !reflect.DeepEqual(said, was) {
		t.Errorf("the file says\n%s\nand it was written as\n%s", text(t), out)
	}
}

func TestALawOfNoClausesPermitsItsProfilesEverything(t *testing.T) {
	c, err := ParseCode([]byte(`{"profiles":{"villager":"lives here"},"clauses":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	if clause, ok := c.Permits("villager", Step{Verb: Take, Who: 1, Grams: 300}); clause != "" || !ok {
		t.Errorf("%q, %v", clause, ok)
	}
	for profile, want := range map[string]string{"": `the law knows no profile ""`, "guest": `the law knows no profile "guest"`} {
		if clause, ok := c.Permits(profile, Step{Verb: Wait}); clause != want || ok {
			t.Errorf("%q, %v", clause, ok)
		}
	}
	if _, ok := (Code{}).Permits("villager", Step{Verb: Wait}); ok {
		t.Error("a law that was never read permits")
	}
}

// of is a law of these clauses.
func of(clauses ...string) string {
	return `{"profiles":{"villager":"lives here"},"clauses":[` + strings.Join(clauses, ",") + `]}`
}

func TestALawThatIsWrongIsRefusedWithItsPlace(t *testing.T) {
	good := `{"id":"a","verb":"take","who":[1],"permit":false,"says":"no"}`
	// mend makes clause 2 of a good one in which a part stands otherwise
	mend := func(old, new string) string {
		return of(good, strings.Replace(`{"id":"b","verb":"hand","who":[1],"permit":false,"says":"no"}`, old, new, 1))
	}
	for want, text := range map[string]string{
		"EOF":                         "",
		"something follows the value": of(good) + "{}",
		`unknown field "rules"`:       `{"profiles":{"a":"b"},"clauses":[],"rules":[]}`,
		"no profiles: the law would permit nobody anything":                     `{"profiles":{},"clauses":[]}`,
		"no clauses: a law that has none says clauses: []":                      `{"profiles":{"a":"b"}}`,
		`profiles: "A b" is not a name of a-z, 0-9 and -`:                       `{"profiles":{"A b":"c"},"clauses":[]}`,
		"profiles: a: it has no sentence":                                       `{"profiles":{"a":" "},"clauses":[]}`,
		`"a" is there twice`:                                                    `{"profiles":{"a":"b","a":"c"},"clauses":[]}`,
		`clause 2: unknown field "whom"`:                                        mend(`"who"`, `"whom"`),
		`clause 2: "WHO" is there twice`:                                        "",
		"clause 2: the id \"\" is not a name of a-z, 0-9 and -":                 mend(`"id":"b",`, ``),
		"clause 2: the id \"b: c\" is not a name of a-z, 0-9 and -":             mend(`"b"`, `"b: c"`),
		"clause 2 (a): clause 1 has that id":                                    mend(`"b"`, `"a"`),
		`clause 2 (b): "guest" is none of the profiles`:                         mend(`"verb"`, `"profile":"guest","verb"`),
		`clause 2 (b): "give" is not a verb in the table`:                       mend(`hand`, `give`),
		`clause 2 (b): "" is not a verb in the table`:                           mend(`"verb":"hand",`, ``),
		"clause 2 (b): it has no permit, true or false":                         mend(`"permit":false,`, ``),
		"clause 2 (b): it has no sentence":                                      mend(`,"says":"no"`, ``),
		"clause 2 (b): its sentence has more than plain characters in one line": mend(`"no"`, `"no\nstep 2: yes"`),
		"clause 2 (b): who names nobody":                                        mend(`[1]`, `[]`),
		"clause 2 (b): who names body 0, and there is none below 1":             mend(`[1]`, `[2,0]`),
		"clause 2 (b): who names body 3 twice":                                  mend(`[1]`, `[3,1,3]`),
		"clause 2 (b): who asks for the who of a go, which has none":            mend(`hand`, `go`),
		"clause 2 (b): over asks for the grams of a say, which has none":        mend(`"hand"`, `"say","over":1`),
		"clause 2 (b): longer asks for the line of a hand, which has none":      mend(`"who"`, `"longer":1,"who"`),
		"clause 2 (b): within asks for the where of a hand, which has none":     mend(`"who"`, `"within":{"x":[0,1]},"who"`),
		"clause 2 (b): over is -1 grams, and every step names more":             mend(`[1]`, `[1],"over":-1`),
		"clause 2 (b): longer is -1 characters, and every line has more":        mend(`"hand"`, `"say","longer":-1`),
		"clause 2 (b): within has neither x nor y":                              mend(`"hand","who":[1]`, `"go","within":{}`),
		"clause 2 (b): within: y from 3 to 2 holds no cell":                     mend(`"hand","who":[1]`, `"go","within":{"x":[0,0],"y":[3,2]}`),
		"clause 2 (b): within: x is a first and a last, and here are 3 numbers": mend(`"hand","who":[1]`, `"go","within":{"x":[0,1,2]}`),
		"clause 2 (b): within: x is a first and a last, and here are 0 numbers": mend(`"hand","who":[1]`, `"go","within":{"x":[]}`),
		"clause 2: null is no value: what does not apply is left out":           mend(`[1]`, `null`),
		"clause 2 (b): clause 1 (a) decides all that it speaks of":              mend(`hand`, `take`),
	} {
		if strings.Contains(want, "WHO") {
			text = mend(`"who":[1]`, `"who":[1],"WHO":[2]`)
		}
		if _, err := ParseCode([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s\n  %v\n  not %s", text, err, want)
		}
	}
}

func TestAClauseThatCouldNeverDecideIsFound(t *testing.T) {
	clause := func(id, rest string) string {
		return `{"id":"` + id + `",` + rest + `,"permit":false,"says":"no"}`
	}
	for _, c := range []struct {
		first, second string
		covered       bool
	}{
		{`"verb":"take"`, `"verb":"take","who":[1],"over":3`, true},
		{`"verb":"take","who":[1]`, `"verb":"take"`, false},
		{`"verb":"take","who":[1,2,3]`, `"verb":"take","who":[3,1]`, true},
		{`"verb":"take","who":[1,2]`, `"verb":"take","who":[2,3]`, false},
		{`"verb":"take","over":10`, `"verb":"take","over":10`, true},
		{`"verb":"take","over":10`, `"verb":"take","over":9`, false},
		{`"verb":"take","over":0`, `"verb":"take","who":[1]`, false},
		{`"verb":"take","profile":"villager"`, `"verb":"take"`, false},
		{`"verb":"take"`, `"verb":"take","profile":"villager"`, true},
		{`"verb":"say","longer":9`, `"verb":"say","longer":10`, true},
		{`"verb":"say","longer":9`, `"verb":"say","longer":8`, false},
		{`"verb":"go","within":{"x":[0,3]}`, `"verb":"go","within":{"x":[1,3],"y":[0,0]}`, true},
		{`"verb":"go","within":{"x":[0,3]}`, `"verb":"go","within":{"x":[1,4]}`, false},
		{`"verb":"go","within":{"x":[0,3]}`, `"verb":"go","within":{"y":[1,2]}`, false},
		{`"verb":"go"`, `"verb":"go","within":{"y":[1,2]}`, true},
		{`"verb":"go"`, `"verb":"wait"`, false},
	} {
		_, err := ParseCode([]byte(of(clause("a", c.first), clause("b", c.second))))
		if (err != nil) != c.covered {
			t.Errorf("%s before %s: %v", c.first, c.second, err)
		}
	}
}

func FuzzParseCode(f *testing.F) {
	f.Add(text(f))
	f.Add([]byte(of()))
	f.Add([]byte(of(`{"id":"a","verb":"go","within":{"x":[0,3],"y":[-9,9]},"permit":true,"says":"so"}`)))
	f.Add([]byte(of(`{"id":"a","verb":"take","over":1e308,"permit":true,"says":"so"}`)))
	f.Add([]byte(strings.Repeat("[", 20_000)))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ParseCode(text)
		if err != nil {
			return
		}
		out, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseCode(out)
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Fatalf("%s was read, and %s was not: %v", text, out, err)
		}
		for profile := range c.profiles {
			for _, s := range []Step{{Verb: Go, Where: to(1, 1)}, {Verb: Go}, {Verb: Take, Who: 1, Grams: 9}, {Verb: Say, Who: 1}} {
				if clause, ok := c.Permits(profile, s); !ok && clause == "" {
					t.Fatalf("%s refuses %+v and says nothing", text, s)
				}
			}
		}
	})
}
