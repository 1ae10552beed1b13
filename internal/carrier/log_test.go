package carrier

import (
	"reflect"
	"strings"
	"testing"
)

func aLog() Log {
	return Log{Schema: LogSchema, Task: "T-0007", Base: "9c41e07", Entries: []Entry{
		{Decision: "S-0001/D-2", Grade: "ASSUMED", Claim: "two hundred is too short", Evidence: "law/seam.go:42", Action: "departed",
			Why: "300: answers take longer on a CPU", Proposal: "raise the limit to 300", Attempt: 1, At: noon},
		{Decision: "unlisted", Claim: "a name was free", Evidence: "go test ./...\nok\n", Action: "decided", Attempt: 2, At: noon},
	}}
}

func TestALogHasOneFormAndReadsBack(t *testing.T) {
	data, err := WriteLog(aLog())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "log.yaml", data)
	got, err := ReadLog(LogPath("T-0007"), data)
	if err != nil || !reflect.DeepEqual(got, aLog()) {
		t.Errorf("it reads back as %+v, %v", got, err)
	}
}

func TestALogsTaskAndPlaceAgree(t *testing.T) {
	data, _ := WriteLog(aLog())
	if _, err := ReadLog(LogPath("T-0008"), data); err == nil || !strings.Contains(err.Error(), "the log is of T-0007") {
		t.Errorf("the error is %v", err)
	}
	newer := strings.Replace(string(data), "/v1", "/v9", 1)
	if _, err := ReadLog(LogPath("T-0007"), []byte(newer)); err == nil || !strings.Contains(err.Error(), "torve/log/v9 is newer") {
		t.Errorf("the error is %v", err)
	}
}

func TestALogOfNoTaskOrNoActionIsNotWritten(t *testing.T) {
	l := aLog()
	l.Task = ".."
	if _, err := WriteLog(l); err == nil {
		t.Error("a log of no task was written")
	}
	l = aLog()
	l.Entries[1].Action = "ignored"
	if _, err := WriteLog(l); err == nil || !strings.Contains(err.Error(), "entry 2") {
		t.Errorf("the error is %v", err)
	}
}

func TestALogIsWithinTheCap(t *testing.T) {
	l := aLog()
	l.Entries[0].Evidence = strings.Repeat("long ", 200_000)
	data, err := WriteLog(l)
	if err != nil || len(data) > Cap {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	got, err := ReadLog(LogPath(l.Task), data)
	if err != nil || len(got.Cut) != 1 || got.Cut[0].What != "entries[0].evidence" {
		t.Errorf("cut %+v, %v", got.Cut, err)
	}
}
