package carrier

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"torve/internal/strictyaml"
)

func pathOf(l Landing) string { return LandingPath(l.Task, l.Spec, l.Attempt, l.At) }

func written(t testing.TB, l Landing) []byte {
	t.Helper()
	data, err := WriteLanding(l)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestALandingHasOneForm(t *testing.T) {
	golden(t, "landing.yaml", written(t, aLanding()))
	golden(t, "attested.yaml", written(t, attested()))
}

func TestAnIdenticalWriteIsByteIdentical(t *testing.T) {
	first := written(t, aLanding())
	read, err := ReadLanding(pathOf(aLanding()), first)
	if err != nil {
		t.Fatal(err)
	}
	again := written(t, read)
	if !bytes.Equal(first, again) {
		t.Errorf("read and written again it is\n%s", again)
	}
	local := aLanding()
	local.At = noon.In(time.FixedZone("CET", 3600)).Add(300 * time.Millisecond)
	if !bytes.Equal(first, written(t, local)) {
		t.Error("another zone and part of a second make other bytes")
	}
}

func TestTitlesAndTextsSurviveARoundTrip(t *testing.T) {
	for _, text := range odd {
		l := aLanding()
		l.Title, l.Intent, l.Decisions[0].Text, l.Scope.Allow = text, text, text, []string{text}
		l.Entries[0].Claim, l.Entries[0].Evidence, l.Entries[0].Why = text, text, text
		data := written(t, l)
		got, err := ReadLanding(pathOf(l), data)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		for _, back := range []string{got.Title, got.Intent, got.Decisions[0].Text, got.Scope.Allow[0], got.Entries[0].Claim, got.Entries[0].Why} {
			if back != text {
				t.Errorf("%q came back as %q", text, back)
			}
		}
	}
}

func TestALandingIsReadWithAByteOrderMarkAndOtherLineEnds(t *testing.T) {
	data := bytes.ReplaceAll(written(t, aLanding()), []byte("\n"), []byte("\r\n"))
	got, err := ReadLanding(pathOf(aLanding()), append([]byte("\ufeff"), data...))
	if err != nil || got.Title != aLanding().Title || got.Intent != aLanding().Intent {
		t.Errorf("%q, %v", got.Title, err)
	}
}

func TestWhatIsNoTextBecomesTheReplacementCharacter(t *testing.T) {
	l := aLanding()
	l.Title = "broken \xff byte"
	got, err := ReadLanding(pathOf(l), written(t, l))
	if err != nil || got.Title != "broken \uFFFD byte" {
		t.Errorf("%q, %v", got.Title, err)
	}
}

func TestNameTaskAndPlaceAgree(t *testing.T) {
	l := aLanding()
	data := written(t, l)
	for _, c := range []struct{ path, why string }{
		{LandingPath("T-0008", l.Spec, l.Attempt, l.At), "the file is named for T-0008"},
		{LandingPath(l.Task, l.Spec, 3, l.At), "the file is named for attempt 3"},
		{LandingPath(l.Task, l.Spec, l.Attempt, l.At.Add(time.Second)), "the file is named for 2026-01-31T12:00:01Z"},
		{LandingPath(l.Task, "", l.Attempt, l.At), "belongs in .torve/specs/S-0001/execution/"},
		{LandingPath(l.Task, "S-0002", l.Attempt, l.At), "belongs in .torve/specs/S-0001/execution/"},
		{"notes/T-0007.yaml", "this is not the name of a landing"},
	} {
		_, err := ReadLanding(c.path, data)
		var f *strictyaml.Error
		if !errors.As(err, &f) || !strings.Contains(f.Why, c.why) || f.File != c.path || f.Line == 0 {
			t.Errorf("%s: %v", c.path, err)
		}
	}
}

func TestABrokenLandingIsNamedWithItsPlace(t *testing.T) {
	l := aLanding()
	good := string(written(t, l))
	swap := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %q to change", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for why, data := range map[string]string{
		"torve/landing/v2 is newer than this torve reads": swap("torve/landing/v1", "torve/landing/v2"),
		"there is no schema":                              swap("schema: torve/landing/v1\n", ""),
		"there is no key":                                 swap("target: main", "targets: main"),
		"is given twice":                                  swap("target: main", "target: main\ntarget: main"),
		"a whole number is wanted":                        swap("attempt: 2\nat", "attempt: two\nat"),
		"an id such as T-0007 is wanted":                  swap("task: T-0007", "task: ../etc"),
		"no gate judged this":                             good[:strings.Index(good, "gate:")] + "gate: null\n" + good[strings.Index(good, "spent:"):],
		"it is one or the other":                          swap("spent:", "attested_by: you\nspent:"),
		"one of upheld, departed, decided, halted":        swap("action: upheld", "action: ignored"),
		"the id of another task is wanted":                swap("- T-0003", "- T-0007"),
		"commit is not given":                             swap("commit: 4e1f0aa", `commit: ""`),
		"the file is empty":                               "",
		"a second document begins here":                   good + "---\na: b\n",
	} {
		_, err := ReadLanding(pathOf(l), []byte(data))
		var f *strictyaml.Error
		if !errors.As(err, &f) || !strings.Contains(f.Why, why) {
			t.Errorf("%s: %v", why, err)
		} else if data != "" && (f.Line == 0 || f.Col == 0) {
			t.Errorf("%s: it is at %d:%d", why, f.Line, f.Col)
		}
	}
}

func TestALandingThatCannotBeReadIsNotWritten(t *testing.T) {
	for name, spoil := range map[string]func(*Landing){
		"no task":       func(l *Landing) { l.Task = "" },
		"no time":       func(l *Landing) { l.At = time.Time{} },
		"no gate":       func(l *Landing) { l.Gate = nil },
		"a broken spec": func(l *Landing) { l.Spec = "../S-1" },
		"no figure":     func(l *Landing) { l.Spent.Seconds = new(nan()) },
	} {
		l := aLanding()
		spoil(&l)
		if data, err := WriteLanding(l); err == nil {
			t.Errorf("%s was written:\n%s", name, data)
		}
	}
}

func nan() float64 { var zero float64; return zero / zero }

func TestWhatIsLargerThanTheCapIsCutAndNamedByDigest(t *testing.T) {
	l := aLanding()
	long := strings.Repeat("Lange Rede 🌱. ", 40_000)
	l.Intent = long
	l.Entries[0].Claim = "short"
	got, err := ReadLanding(pathOf(l), written(t, l))
	if err != nil {
		t.Fatal(err)
	}
	want := []Cut{{What: "intent", Of: len(long), Kept: len(got.Intent) - len("…"), Digest: digest([]byte(long))}}
	if !reflect.DeepEqual(got.Cut, want) {
		t.Errorf("cut %+v, want %+v", got.Cut, want)
	}
	if !strings.HasPrefix(long, strings.TrimSuffix(got.Intent, "…")) || got.Entries[0].Claim != "short" {
		t.Errorf("what is kept is not the beginning")
	}
}

func TestManyEntriesAreCutAndEveryFileIsWithinTheCap(t *testing.T) {
	l := aLanding()
	for i := range 20_000 {
		l.Entries = append(l.Entries, Entry{Decision: "unlisted", Action: "decided", Claim: fmt.Sprintf("entry %d %s", i, strings.Repeat("x", i%3000)), At: noon})
		l.Gate.Acceptance = append(l.Gate.Acceptance, Ran{Line: "true", Tests: -1})
	}
	data := written(t, l)
	got, err := ReadLanding(pathOf(l), data)
	if err != nil || len(data) > Cap {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	lists := 0
	for _, c := range got.Cut {
		if c.What == "entries" && c.Of == 20_001 && c.Kept == len(got.Entries) {
			lists++
		}
	}
	if lists != 1 {
		t.Errorf("the entries that are gone are not named: %d of %d", len(got.Entries), len(l.Entries))
	}
	if !bytes.Equal(data, written(t, l)) {
		t.Error("cut twice it is not the same")
	}
	if len(l.Entries) != 20_001 {
		t.Error("the caller's own entries were cut")
	}
}

func TestTaskAttemptAndTimeAreInTheName(t *testing.T) {
	for _, spec := range []string{"", "S-0001"} {
		for _, task := range []string{"T-0007", "OPS-rotate-keys", "T-1-2"} {
			path := LandingPath(task, spec, 12, noon)
			gotTask, attempt, at, ok := ParseLandingPath(path)
			if !ok || gotTask != task || attempt != 12 || !at.Equal(noon) {
				t.Errorf("%s is read as %s, %d, %s, %v", path, gotTask, attempt, at, ok)
			}
		}
	}
	if got := LandingPath("T-0007", "", 1, noon); got != ".torve/execution/T-0007-1-20260131T120000Z.yaml" {
		t.Errorf("without a spec: %s", got)
	}
	if got := LandingPath("T-0007", "S-0001", 1, noon); got != ".torve/specs/S-0001/execution/T-0007-1-20260131T120000Z.yaml" {
		t.Errorf("with a spec: %s", got)
	}
}

func TestOnlyThePathsThatALandingIsWrittenToAreLandings(t *testing.T) {
	for _, path := range []string{
		"", "T-0007-1-20260131T120000Z.yaml", ".torve/execution/", ".torve/execution/README.md",
		".torve/execution/T-0007-01-20260131T120000Z.yaml", ".torve/execution/T-0007-1-20260131T120000Z.yml",
		".torve/execution/T-0007--1-20260131T120000Z.yaml", ".torve/execution/T-0007-1-20261331T120000Z.yaml",
		".torve/execution/sub/T-0007-1-20260131T120000Z.yaml", ".torve/specs/execution/T-0007-1-20260131T120000Z.yaml",
		".torve/specs/S-0001/T-0007-1-20260131T120000Z.yaml", ".torve/specs/S-0001/x/execution/T-0007-1-20260131T120000Z.yaml",
		".torve/specs/../execution/T-0007-1-20260131T120000Z.yaml", "x/.torve/execution/T-0007-1-20260131T120000Z.yaml",
		".torve/execution/t-0007-1-20260131T120000Z.yaml", ".torve/execution/-1-20260131T120000Z.yaml",
	} {
		if task, _, _, ok := ParseLandingPath(path); ok {
			t.Errorf("%s is read as a landing of %s", path, task)
		}
	}
}

func TestATimeInANameReadsAsTheGeneralReaderReadsIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`[0-9]{4}(0[0-9]|1[0-3])[0-3][0-9]T[0-2][0-9][0-6][0-9][0-6][0-9]Z|[0-9TZ+ -]{14,17}`).Draw(t, "time")
		want, err := time.Parse(stamp, digits)
		is := err == nil && want.Format(stamp) == digits
		if got, ok := parseStamp(digits); ok != is || is && got != want {
			t.Fatalf("%q reads as %v, %v; want %v, %v", digits, got, ok, want, is)
		}
	})
}
