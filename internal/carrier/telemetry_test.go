package carrier

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

func TestARowHasOneFormAndReadsBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "telemetry.jsonl")
	r := aRow()
	for range 2 {
		if err := AppendRow(file, r); err != nil {
			t.Fatal(err)
		}
	}
	data, _ := os.ReadFile(file)
	golden(t, "telemetry.jsonl", data)
	rows, faults, err := ReadRows(file)
	r.Schema = TelemetrySchema
	if err != nil || len(faults) > 0 || !reflect.DeepEqual(rows, []Row{r, r}) {
		t.Errorf("rows %+v, faults %v, %v", rows, faults, err)
	}
}

func TestAbsentStaysAbsentAndIsNeverZero(t *testing.T) {
	line, err := EncodeRow(aRow())
	if err != nil || strings.Contains(string(line), "usd\":") || strings.Contains(string(line), "tokens_out") {
		t.Errorf("%s, %v", line, err)
	}
	r := aRow()
	r.USD, r.Source, r.Seconds = new(0.0), "reported", nil
	line, err = EncodeRow(r)
	if err != nil || strings.Contains(string(line), "seconds") || !strings.Contains(string(line), `"usd":0,`) {
		t.Errorf("a known nothing is lost: %s, %v", line, err)
	}
}

func TestABrokenLineIsNamedAndNeverASilentGap(t *testing.T) {
	good, _ := EncodeRow(aRow())
	text := string(good) + "{\"half\": \n" + `{"schema":"torve/telemetry/v7","task":"T-0001"}` + "\n\n" + string(good) +
		`{"schema":"torve/telemetry/v1","task":"T-0001","nonsense":1}` + "\n" + `{"schema":"torve/telemetry/v1","task":""}` + "\n" + `{"cut`
	rows, faults, err := DecodeRows("t.jsonl", strings.NewReader(text))
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	want := []string{"t.jsonl:2:", "t.jsonl:3:1: torve/telemetry/v7 is newer", `there is no key "nonsense"`, "t.jsonl:7:1: task is", "t.jsonl:8:"}
	if len(faults) != len(want) {
		t.Fatalf("faults %v", faults)
	}
	for i, f := range faults {
		if !strings.Contains(f.Error(), want[i]) {
			t.Errorf("fault %d is %v, want %s", i, f, want[i])
		}
	}
}

func TestARowFromBeforeTheSchemaIsTakenAsFarAsItIsKnown(t *testing.T) {
	rows, faults, err := DecodeRows("t.jsonl", strings.NewReader(`{"task":"T-0001","usd":0.5,"model_family":"x","attempt":3}`+"\n"))
	if err != nil || len(faults) > 0 || len(rows) != 1 || rows[0].Task != "T-0001" || *rows[0].USD != 0.5 || rows[0].TokensIn != nil {
		t.Errorf("rows %+v, faults %v, %v", rows, faults, err)
	}
}

func TestALineThatACrashCutShortIsClosedFirst(t *testing.T) {
	file := filepath.Join(t.TempDir(), "telemetry.jsonl")
	if err := os.WriteFile(file, []byte(`{"schema":"torve/tele`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := AppendRow(file, aRow()); err != nil {
		t.Fatal(err)
	}
	rows, faults, err := ReadRows(file)
	if err != nil || len(rows) != 1 || len(faults) != 1 || faults[0].Line != 1 {
		t.Errorf("%d rows, faults %v, %v", len(rows), faults, err)
	}
}

func TestRowsOfSeveralWritersNeverMix(t *testing.T) {
	file := filepath.Join(t.TempDir(), "telemetry.jsonl")
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 50 {
				r := aRow()
				r.Attempt, r.Reason = w*50+i+1, strings.Repeat(fmt.Sprint(w), 3000)
				if err := AppendRow(file, r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	rows, faults, err := ReadRows(file)
	seen := map[int]bool{}
	for _, r := range rows {
		seen[r.Attempt] = true
	}
	if err != nil || len(faults) > 0 || len(seen) != 400 {
		t.Errorf("%d rows, faults %v, %v", len(seen), faults, err)
	}
}

func TestAFileThatIsNotThereHoldsNoRow(t *testing.T) {
	rows, faults, err := ReadRows(filepath.Join(t.TempDir(), "none"))
	if len(rows) != 0 || len(faults) != 0 || err != nil {
		t.Errorf("%v, %v, %v", rows, faults, err)
	}
	if _, _, err := ReadRows(t.TempDir()); err == nil {
		t.Error("a folder is read as a file of no rows")
	}
}
