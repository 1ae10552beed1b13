package carrier

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"

	"torve/internal/strictyaml"
)

func TestAStateHasOneFormAndReadsBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".wt")
	s := aState()
	if err := WriteState(dir, s); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(StateFile(dir, s.Task))
	golden(t, "T-0007.state.json", data)
	got, err := ReadState(dir, s.Task)
	s.Schema = StateSchema
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("it reads back as %+v, %v", got, err)
	}
	ignore, _ := os.ReadFile(filepath.Join(dir, ".gitignore"))
	if string(ignore) != "*\n" {
		t.Errorf("the folder ignores %q", ignore)
	}
}

func TestAStateFolderKeepsTheIgnoreFileThatIsThere(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, ".gitignore")
	if err := os.WriteFile(mine, []byte("# mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := WriteState(dir, aState()); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(mine); string(data) != "# mine\n" {
		t.Errorf("it holds %q", data)
	}
}

func TestAReaderNeverMeetsHalfAState(t *testing.T) {
	dir := t.TempDir()
	long := aState()
	long.Escalation.Detail = strings.Repeat("x", 100_000)
	if err := WriteState(dir, long); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 20 {
			if err := errors.Join(WriteState(dir, long), WriteState(dir, aState())); err != nil {
				t.Error(err)
			}
		}
	})
	for range 200 {
		if _, err := ReadState(dir, long.Task); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	if left, _ := filepath.Glob(filepath.Join(dir, ".tmp-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAStateThatIsGoneIsNotThere(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(WriteState(dir, aState()), RemoveState(dir, "T-0007"), RemoveState(dir, "T-0007")); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadState(dir, "T-0007"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
}

func TestEveryStateIsReadAndEveryBrokenOneNamed(t *testing.T) {
	dir := t.TempDir()
	if err := WriteState(dir, aState()); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"T-0001.state.json": `{"schema":"torve/state/v2","task":"T-0001"}`,
		"T-0002.state.json": `{"schema":"torve/state/v1","task":"T-0003","state":"running"}`,
		"T-0003.state.json": "{\n  \"schema\": \"torve/state/v1\",\n  \"nonsense\": 1\n}",
		"T-0004.state.json": ``,
		"T-0005.state.json": `{"task":"T-0005","state":"running"}`,
		"notes.txt":         "not a state",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "T-0006.state.json"), 0o644); err != nil {
		t.Fatal(err)
	}
	states, faults := ReadStates(dir)
	if len(states) != 1 || states["T-0007"].Run != "c1" {
		t.Errorf("states %v", states)
	}
	want := []string{
		"torve/state/v2 is newer than this torve reads", "the file is named for T-0002", `there is no key "nonsense"`,
		"the document ends early", "there is no schema", "this is not an ordinary file",
	}
	if len(faults) != len(want) {
		t.Fatalf("faults %v", faults)
	}
	for i, f := range faults {
		if !strings.Contains(f.Why, want[i]) || !strings.HasPrefix(f.File, dir) {
			t.Errorf("fault %d is %v", i, f)
		}
	}
	if faults[2].Line != 3 {
		t.Errorf("the unknown key is at line %d", faults[2].Line)
	}
}

func TestAFolderThatIsNotThereHoldsNoState(t *testing.T) {
	states, faults := ReadStates(filepath.Join(t.TempDir(), "none"))
	if len(states) != 0 || len(faults) != 0 || states == nil {
		t.Errorf("%v, %v", states, faults)
	}
}

func TestAStateOfNoTaskIsNotWritten(t *testing.T) {
	s := aState()
	s.Task = "../../etc/passwd"
	if err := WriteState(t.TempDir(), s); err == nil {
		t.Error("it was written")
	}
}

func TestJSONIsReadStrictly(t *testing.T) {
	for data, why := range map[string]string{
		`{"schema":"torve/state/v1","task":"T-0007","task":"T-0007","state":"x"}`: `the key "task" is given twice`,
		`{"schema":"torve/state/v1","Task":"T-0007","state":"x"}`:                 `there is no key "Task"`,
		`{"schema":"torve/state/v1","task":"T-0007","state":"x"} {}`:              "bytes after the document",
		`{"schema":"torve/state/v1","task":"T-0007","state":"x"}x`:                "bytes after the document",
		`{"schema":"torve/state/v1","task":"T-0007","state":7}`:                   "state is a number, and text is wanted",
		`{"schema":"torve/state/v1","task":"T-0007","attempt":"2"}`:               "attempt is a string, and a whole number is wanted",
		`{"schema":"torve/state/v1","task":`:                                      "the document ends early",
		`schema: torve/state/v1`:                                                  "this is not JSON",
		`[]`:                                                                      "an object is wanted",
		`{"schema":"other/v1"}`:                                                   `schema is "other/v1", and torve/state/v1 is wanted`,
	} {
		_, err := DecodeState("T-0007.state.json", []byte(data))
		var f *strictyaml.Error
		if !errors.As(err, &f) || !strings.Contains(f.Why, why) || f.Line != 1 {
			t.Errorf("%s: %v", data, err)
		}
	}
}
