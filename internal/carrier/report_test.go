package carrier

import (
	"reflect"
	"strings"
	"testing"
)

const whole = `{"task":"T-0001","summary":"done","leans_on":["S-0001/D-1"],
"divergences":[{"decision":"S-0001/D-1","claim":"kept","evidence":"a.go:1","action":"upheld"}]}`

func TestAReportIsReadAsItStands(t *testing.T) {
	got, err := ReadReport([]byte(whole))
	want := Report{Task: "T-0001", Summary: "done", LeansOn: []string{"S-0001/D-1"},
		Divergences: []Divergence{{Decision: "S-0001/D-1", Claim: "kept", Evidence: "a.go:1", Action: "upheld"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestWhyAndProposalMayLackAndHaltedDefaultsToFalse(t *testing.T) {
	got, err := ReadReport([]byte(`{"task":"","summary":"","leans_on":[],"divergences":[],"halted":true}`))
	if err != nil || !got.Halted {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = ReadReport([]byte(strings.Replace(whole, `"upheld"`, `"departed","why":"w","proposal":"p"`, 1)))
	if err != nil || got.Halted || got.Divergences[0].Why != "w" || got.Divergences[0].Proposal != "p" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestABrokenReportSaysWhyInOneSentence(t *testing.T) {
	for data, why := range map[string]string{
		``:                                       "line 1: the document ends early",
		`I am done.`:                             "line 1: this is not JSON: invalid character 'I' looking for beginning of value",
		"```json\n{}\n```":                       "line 1: this is not JSON",
		`{}`:                                     "the report has no task",
		`{"task":"T-0001"}`:                      "the report has no summary",
		`{"task":"T-0001","summary":"s"}`:        "the report has no leans_on",
		`{"task":null}`:                          "the report has no task",
		"{\n\"tasks\":1}":                        `line 2: there is no key "tasks"`,
		`{"task":["T-0001"]}`:                    "line 1: task is a array, and text is wanted",
		`{"task":"a","task":"b"}`:                `line 1: the key "task" is given twice`,
		strings.Replace(whole, "upheld", "x", 1): `divergence 1: action is "x", and one of upheld, departed, decided, halted is wanted`,
		strings.Replace(whole, "a.go:1", "", 1):  "divergence 1: it has no evidence",
		whole + "{}":                             "bytes after the document",
		strings.Repeat(" ", ReportCap+1):         "the report has 1048577 bytes, and the cap is 1048576",
	} {
		_, err := ReadReport([]byte(data))
		if err == nil || !strings.Contains(err.Error(), why) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q: %v", data, err)
		}
	}
}
