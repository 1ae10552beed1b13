package carrier

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// texts are odd ones, plain ones, and mixtures.
func texts() *rapid.Generator[string] {
	words := rapid.SampledFrom(append([]string{"plain words", "a", "x\ny\n", "x\n\n y", "T-0001", "12", "1.5", "é", "law/**", "don't", "a\"b", "a # b", "- a", "null", "yes"}, odd...))
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(words, 0, 3).Draw(t, "words"), rapid.SampledFrom([]string{"", " ", "\n"}).Draw(t, "by"))
	})
}

// anyLanding fills every field that may be anything.
func anyLanding(t *rapid.T) Landing {
	l := aLanding()
	if rapid.Bool().Draw(t, "attested") {
		l = attested()
	}
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			v.SetString(texts().Draw(t, "text"))
		case reflect.Float64:
			v.SetFloat(float64(rapid.IntRange(-9, 1_000_000).Draw(t, "figure")) / 8)
		case reflect.Int, reflect.Int64:
			v.SetInt(int64(rapid.IntRange(-3, 99).Draw(t, "number")))
		case reflect.Pointer:
			if !v.IsNil() {
				fill(v.Elem())
			}
		case reflect.Slice:
			if rapid.Bool().Draw(t, "none") {
				v.SetZero()
			}
			for i := range v.Len() {
				fill(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type() != reflect.TypeFor[time.Time]() && rapid.IntRange(0, 3).Draw(t, "change") == 0 {
					fill(v.Field(i))
				}
			}
		}
	}
	keep := l
	fill(reflect.ValueOf(&l).Elem())
	l.Task, l.Spec, l.Attempt, l.At, l.Commit = keep.Task, keep.Spec, keep.Attempt, keep.At, keep.Commit
	return l
}

func TestTheQuickReaderReadsWhatTheStrictOneDoes(t *testing.T) {
	took := 0
	rapid.Check(t, func(t *rapid.T) {
		l := anyLanding(t)
		data, err := WriteLanding(l)
		if err != nil {
			return
		}
		for range rapid.IntRange(0, 2).Draw(t, "changes") {
			at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
			with := rapid.SampledFrom([]string{"", " ", "\n", "  ", "-", "- ", ":", ": ", "#", " #", "\"", "'", "|", "0", "\t", "null", "[]", "é", "\r", "a"}).Draw(t, "with")
			data = []byte(string(data[:at]) + with + string(data[at+rapid.IntRange(0, 1).Draw(t, "gone"):]))
		}
		got, ok := quickLanding(data)
		if !ok {
			return
		}
		took++
		var want Landing
		if _, err := document("l.yaml", data, LandingSchema, &want); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v\nquick  %+v\nstrict %+v\n%s", err, got, want, data)
		}
	})
	if took < 10 {
		t.Errorf("it took %d landings of a hundred", took)
	}
}

func TestAPlainLandingIsReadQuickly(t *testing.T) {
	for _, l := range []Landing{aLanding(), attested()} {
		data := written(t, l)
		got, ok := quickLanding(data)
		want, err := ReadLanding(pathOf(l), data)
		if !ok || err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v, %v: %+v\n%s", ok, err, got, data)
		}
	}
}

func BenchmarkReadLanding(b *testing.B) {
	data := written(b, aLanding())
	b.Run("quick", func(b *testing.B) {
		for b.Loop() {
			quickLanding(data)
		}
	})
	b.Run("strict", func(b *testing.B) {
		for b.Loop() {
			var l Landing
			if _, err := document("l.yaml", data, LandingSchema, &l); err != nil {
				b.Fatal(err)
			}
		}
	})
}
