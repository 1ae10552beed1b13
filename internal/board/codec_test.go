package board

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
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
			if v.Type().Field(i).IsExported() {
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
	whole := replayed(t, longStory(t)[:40]).pack()
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
