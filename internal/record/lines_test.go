package record_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"torve/internal/record"
	"torve/internal/record/recordtest"
)

func eventsOf(events []record.Event) iter.Seq2[record.Event, error] {
	return func(yield func(record.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// exported is a partition of one event of each kind as lines.
func exported(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	if _, err := record.WriteLines(&b, "acme/shop", eventsOf(recordtest.History(t))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// readLines reads an export to its end.
func readLines(r io.Reader) (record.Partition, []record.Event, error) {
	p, events, err := record.ReadLines(r)
	if err != nil {
		return p, nil, err
	}
	var got []record.Event
	for e, err := range events {
		if err != nil {
			return p, got, err
		}
		got = append(got, e)
	}
	return p, got, nil
}

func TestWhatIsExportedIsReadBackInEveryByte(t *testing.T) {
	text := exported(t)
	p, events, err := readLines(iotest.OneByteReader(strings.NewReader(text)))
	if err != nil || p != "acme/shop" || len(events) != len(recordtest.History(t)) {
		t.Fatalf("%d events of %s, %v", len(events), p, err)
	}
	var again strings.Builder
	c, err := record.WriteLines(&again, p, eventsOf(events))
	if err != nil || again.String() != text {
		t.Errorf("exported again it is another text, %v", err)
	}
	if int(c.Events) != len(events) || len(c.Open) != 1 || c.Open[0].Claim != "C-3" {
		t.Errorf("it counts %+v", c)
	}
	head, _, _ := strings.Cut(text, "\n")
	if head != `{"schema":"torve/record/v1","partition":"acme/shop"}` {
		t.Errorf("it begins with %s", head)
	}
	if _, _, err := readLines(strings.NewReader(strings.TrimSuffix(text, "\n"))); err != nil {
		t.Errorf("without its last newline: %v", err)
	}
}

// TestAnExportThatIsNotWholeIsRefusedAtItsLine alters an export in one way after another.
func TestAnExportThatIsNotWholeIsRefusedAtItsLine(t *testing.T) {
	text := exported(t)
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	without := func(i, j int) string { return strings.Join(lines[:i], "") + strings.Join(lines[j:], "") }
	n := len(lines)
	for name, c := range map[string]struct{ text, says string }{
		"nothing":                         {"", "line 1: there is nothing"},
		"another file":                    {"hello\n", "line 1: it is no export of a record"},
		"another document":                {`{"schema":"torve/status/v1"}` + "\n", "line 1: it is no export of a record"},
		"a newer form":                    {strings.Replace(text, "record/v1", "record/v2", 1), "line 1: it is of torve/record/v2, and this program reads torve/record/v1"},
		"a byte order mark":               {"\ufeff" + text, "line 1: it begins with a byte order mark"},
		"another system's lines":          {strings.ReplaceAll(text, "\n", "\r\n"), "line 1: it ends in a carriage return"},
		"a blank line":                    {lines[0] + lines[1] + "\n" + lines[2], "line 3: it is blank"},
		"a line of blanks":                {lines[0] + " \t\n", "line 2: it is blank"},
		"a head with more":                {strings.Replace(text, `"}`, `","x":1}`, 1), "line 1: it is not as it was exported"},
		"cut in a line":                   {text[:len(text)-len(lines[n-1])-30], fmt.Sprintf("line %d: it ends before", n-1)},
		"cut in the last line":            {text[:len(text)-9], fmt.Sprintf("line %d: it ends before", n)},
		"cut between lines":               {without(n-1, n), fmt.Sprintf("line %d: it ends before", n-1)},
		"cut after the head":              {lines[0], "line 1: it ends before"},
		"a line is missing":               {without(4, 5), "line 5: R2 is broken at event 5"},
		"the first is missing":            {without(1, 2), "line 2: R2 is broken at event 2"},
		"two have changed places":         {without(4, n) + lines[5] + lines[4] + without(0, 6), "line 5: R2"},
		"a line stands twice":             {without(5, n) + lines[4] + without(0, 5), "line 6: R2"},
		"a body was changed":              {without(4, n) + strings.Replace(lines[4], "someone", "nobody", 1) + without(0, 5), "line 5: R3 is broken at event 4"},
		"a hash was changed":              {without(4, n) + swap(lines[4], `"hash":"`) + without(0, 5), "line 5: R3"},
		"a prev was changed":              {without(4, n) + swap(lines[4], `"prev":"`) + without(0, 5), "line 5: R3"},
		"an event has another key":        {strings.Replace(text, `{"seq":3,`, `{"seq":3,"note":"x",`, 1), `line 4: json: unknown field "note"`},
		"an event is written with blanks": {strings.Replace(text, `{"seq":3,`, `{"seq": 3,`, 1), "line 4: it is not as it was exported"},
		"a key stands twice":              {strings.Replace(text, `{"seq":3,`, `{"seq":3,"seq":3,`, 1), "line 4: it is not as it was exported"},
		"no object":                       {lines[0] + "17\n", "line 2: json: cannot unmarshal"},
		"a body that is none":             {lines[0] + bare(1, "", `"x"`), "line 2: R6 is broken at event 1"},
		"the count is another":            {strings.Replace(text, `{"events":`, `{"events":1`, 1), fmt.Sprintf("line %d: it counts 1", n)},
		"the last hash is another":        {without(n-1, n) + swap(lines[n-1], `"hash":"`), fmt.Sprintf("line %d: it counts", n)},
		"something follows":               {text + text, fmt.Sprintf("line %d: something follows", n+1)},
		"a blank line follows":            {text + "\n", fmt.Sprintf("line %d: something follows", n+1)},
	} {
		_, _, err := readLines(strings.NewReader(c.text))
		var at *record.LineError
		if !errors.As(err, &at) || !strings.HasPrefix(err.Error(), c.says) {
			t.Errorf("%s: %v; want %s", name, err, c.says)
		}
		if newer := name == "a newer form"; errors.Is(err, record.ErrNewer) != newer {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// swap changes the first digit of a hash.
func swap(line, key string) string {
	i := strings.Index(line, key) + len(key)
	digit := "0"
	if line[i] == '0' {
		digit = "1"
	}
	return line[:i] + digit + line[i+1:]
}

// bare is a line whose hash is its body's, whatever that is.
func bare(seq record.Seq, prev, body string) string {
	return fmt.Sprintf(`{"seq":%d,"prev":%q,"hash":%q,"body":%s}`+"\n", seq, prev, record.HashOf(prev, seq, []byte(body)), body)
}

func TestAnErrorOfTheReaderIsNoFaultOfALine(t *testing.T) {
	lost := errors.New("the connection was lost")
	text := exported(t)
	for _, n := range []int{0, 10, len(text) / 2, len(text)} {
		_, _, err := readLines(io.MultiReader(strings.NewReader(text[:n]), iotest.ErrReader(lost)))
		var at *record.LineError
		if !errors.Is(err, lost) || errors.As(err, &at) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

func TestAnExportIsCheckedAsItIsWritten(t *testing.T) {
	for name, spoil := range map[string]func([]record.Event) []record.Event{
		"R2": func(e []record.Event) []record.Event { return e[1:] },
		"R3": func(e []record.Event) []record.Event { e[3].Host = "there"; return e },
		"R6": func(e []record.Event) []record.Event {
			e[3].Kind = "message.shouted"
			return recordtest.Chain(t, e)
		},
	} {
		var b strings.Builder
		_, err := record.WriteLines(&b, "acme/shop", eventsOf(spoil(recordtest.History(t))))
		var found *record.Broken
		if !errors.As(err, &found) || found.Rule != name {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, err := readLines(strings.NewReader(b.String())); err == nil {
			t.Errorf("%s: what was written reads as an export", name)
		}
	}
}

// TestAnExportIsNeverHeldWhole sends many events through a pipe: what is in memory meanwhile
// does not grow with them.
func TestAnExportIsNeverHeldWhole(t *testing.T) {
	const many = 10_000
	r, w := io.Pipe()
	go func() {
		_, err := record.WriteLines(w, "acme/shop", recordtest.Stream(t, many))
		w.CloseWithError(err)
	}()
	_, events, err := record.ReadLines(r)
	if err != nil {
		t.Fatal(err)
	}
	var before, now runtime.MemStats
	var most uint64
	n := 0
	for _, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 100 {
			runtime.GC()
			runtime.ReadMemStats(&before)
		}
		if n%2500 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc)
		}
	}
	if n != many || most > before.HeapAlloc+4<<20 {
		t.Errorf("%d events; %d bytes are held, and %d near the start", n, most, before.HeapAlloc)
	}
}

// FuzzReadLines: whatever is read, it ends, and what is taken for an export is one: written
// again it is the very same text.
func FuzzReadLines(f *testing.F) {
	var small strings.Builder // a seed that is long is made shorter for minutes
	if _, err := record.WriteLines(&small, "p", eventsOf(recordtest.Chain(f, recordtest.Samples(f)[4:6]))); err != nil {
		f.Fatal(err)
	}
	text := small.String()
	for _, seed := range []string{
		text, text[:len(text)/2], "", "\n", "\ufeff" + text, strings.ReplaceAll(text, "\n", "\r\n"), text + text,
		strings.Replace(text, "v1", "v2", 1), `{"schema":"torve/record/v1","partition":"p"}` + "\n" + `{"events":0,"hash":""}` + "\n",
		`{"schema":"torve/record/v1","partition":"p"}` + "\n" + bare(1, "", "null") + `{"events":1,"hash":""}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, events, err := readLines(bytes.NewReader(data))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if _, err := record.WriteLines(&again, p, eventsOf(events)); err != nil {
			return // R4 to R6 are asked by whoever takes the events
		}
		if !bytes.Equal(bytes.TrimSuffix(again.Bytes(), []byte("\n")), bytes.TrimSuffix(data, []byte("\n"))) {
			t.Errorf("%q was read, and is written %q", data, again.Bytes())
		}
	})
}
