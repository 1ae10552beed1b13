package board

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"torve/internal/record"
)

// fill sets every field of a value to something, lists with two items.
func fill(v reflect.Value, n *int64) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(time.Unix(*n, 0).UTC().String())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(-*n)
	case reflect.Float64:
		v.SetFloat(float64(*n) / 3)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Map:
		item := reflect.New(v.Type().Elem()).Elem()
		fill(item, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("k"), item)
	case reflect.Struct:
		if v.Type() == timeType {
			v.Set(reflect.ValueOf(time.Unix(*n, 0).UTC()))
			return
		}
		for i := range v.NumField() {
			if packs(v.Type().Field(i)) {
				fill(v.Field(i), n)
			}
		}
	}
}

func TestEveryFieldOfABoardComesBack(t *testing.T) {
	var b, got Board
	n := int64(0)
	fill(reflect.ValueOf(&b).Elem(), &n)
	var e encoder
	e.value(reflect.ValueOf(b))
	d := newDecoder(string(e.bytes()))
	d.value(reflect.ValueOf(&got).Elem())
	if err := d.done(); err != nil || !reflect.DeepEqual(b, got) {
		t.Errorf("%v\n got %+v\nwant %+v", err, got, b)
	}
}

func TestNoBytesBreakTheReadingOfASnapshot(t *testing.T) {
	whole := replayed(t, longStory(t)[:40]).pack(nil)
	rapid.Check(t, func(t *rapid.T) {
		s := whole
		data := append([]byte{}, whole.Parts[indexPart]...)
		data = data[:rapid.IntRange(0, len(data)).Draw(t, "length")]
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			if len(data) > 0 {
				data[rapid.IntRange(0, len(data)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
			}
		}
		s.Parts = map[string][]byte{indexPart: data}
		_, _ = unpack(s)
	})
}

func TestALedgersRowIsNoPartOfABoard(t *testing.T) {
	row := &record.Proposal{Actor: "T-0001", Kind: record.Plan, Model: "claude", Verdict: "accepted"}
	s := newStory(t).mint("T-0001").claim("T-0001", "c1").started("T-0001", 1).finished("T-0001", 1, "done")
	s.add("T-0001", 1, "", record.Judged{Moment: "arrival", Verdict: "accepted", Tree: "gated", Row: row})
	b := s.board()
	if got := b.Tasks["T-0001"].Attempts[0].Judged; len(got) != 1 || got[0].Row != nil {
		t.Errorf("the board keeps %+v", got)
	}
	var e encoder
	e.value(reflect.ValueOf(record.Judged{Moment: "due", Row: row}))
	var got record.Judged
	d := newDecoder(string(e.bytes()))
	if d.value(reflect.ValueOf(&got).Elem()); d.done() != nil || got.Row != nil || got.Moment != "due" {
		t.Errorf("%+v, %v", got, d.done())
	}
}
