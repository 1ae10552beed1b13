package board

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"torve/internal/record"
)

// A snapshot is read at the start of every command, so that its form is made to be read
// fast: texts stand once each, in a list, and are not copied; a field that is empty is one
// bit. It is nobody else's to read, and the next version may write another.

// errForm says that bytes are not what the encoder writes.
var errForm = errors.New("it is not as a snapshot is written")

// encoder writes values of plain exported data. Texts go into a list of their own.
type encoder struct {
	buf   []byte
	place map[string]uint64
	texts []string
}

func (e *encoder) uint(n uint64) { e.buf = binary.AppendUvarint(e.buf, n) }

func (e *encoder) text(s string) {
	at, there := e.place[s]
	if !there {
		if e.place == nil {
			e.place = map[string]uint64{}
		}
		at = uint64(len(e.texts))
		e.place[s], e.texts = at, append(e.texts, s)
	}
	e.uint(at)
}

// bytes is the list of texts and then what was written.
func (e *encoder) bytes() []byte {
	out := binary.AppendUvarint(nil, uint64(len(e.texts)))
	for _, s := range e.texts {
		out = binary.AppendUvarint(out, uint64(len(s)))
	}
	for _, s := range e.texts {
		out = append(out, s...)
	}
	return append(out, e.buf...)
}

func (e *encoder) value(v reflect.Value) {
	if at, is := v.Interface().(time.Time); is {
		e.time(at)
		return
	}
	switch v.Kind() {
	case reflect.String:
		e.text(v.String())
	case reflect.Bool:
		e.uint(uint64(truth(v.Bool())))
	case reflect.Int, reflect.Int64:
		e.buf = binary.AppendVarint(e.buf, v.Int())
	case reflect.Float64:
		e.buf = binary.LittleEndian.AppendUint64(e.buf, math.Float64bits(v.Float()))
	case reflect.Pointer:
		e.uint(uint64(truth(!v.IsNil())))
		if !v.IsNil() {
			e.value(v.Elem())
		}
	case reflect.Slice:
		e.slice(v)
	case reflect.Map:
		e.mapping(v)
	case reflect.Struct:
		e.structure(v)
	default:
		panic("board: no writing of a " + v.Type().String()) // a test writes every field there is
	}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// time is in whole seconds, as every event is; 0 is no time.
func (e *encoder) time(at time.Time) {
	e.uint(uint64(truth(!at.IsZero())))
	if !at.IsZero() {
		e.buf = binary.AppendVarint(e.buf, at.Unix())
	}
}

// slice tells an empty list from none.
func (e *encoder) slice(v reflect.Value) {
	if v.IsNil() {
		e.uint(0)
		return
	}
	e.uint(uint64(v.Len()) + 1)
	for i := range v.Len() {
		e.value(v.Index(i))
	}
}

func (e *encoder) mapping(v reflect.Value) {
	if v.IsNil() {
		e.uint(0)
		return
	}
	keys := make([]string, 0, v.Len())
	for _, k := range v.MapKeys() {
		keys = append(keys, k.String())
	}
	slices.Sort(keys)
	e.uint(uint64(len(keys)) + 1)
	for _, k := range keys {
		e.text(k)
		e.value(v.MapIndex(reflect.ValueOf(k)))
	}
}

// packs tells the fields that are written: the exported ones, but for the ledger's row of a
// judging, which the fold leaves to the ledger.
func packs(f reflect.StructField) bool { return f.IsExported() && f.Type != rowType }

// structure writes which fields hold anything, and those.
func (e *encoder) structure(v reflect.Value) {
	var mask uint64
	for i := range v.NumField() {
		if packs(v.Type().Field(i)) && !v.Field(i).IsZero() {
			mask |= 1 << i
		}
	}
	e.uint(mask)
	for i := range v.NumField() {
		if mask&(1<<i) != 0 {
			e.value(v.Field(i))
		}
	}
}

// decoder reads what an encoder wrote. After its first fault it gives zeros, and err says so.
type decoder struct {
	from  string
	texts []string
	err   error
}

// newDecoder reads the list of texts.
func newDecoder(data string) *decoder {
	d := &decoder{from: data}
	n := d.length(d.uint())
	ends := make([]int, n)
	total := 0
	for i := range ends {
		total += d.length(d.uint())
		ends[i] = total
	}
	if total > len(d.from) {
		d.fail()
		return d
	}
	d.texts = make([]string, n)
	last := 0
	for i, end := range ends {
		d.texts[i] = d.from[last:end]
		last = end
	}
	d.from = d.from[total:]
	return d
}

func (d *decoder) fail() { d.from, d.err = "", errForm }

// length is a count of things that take a byte each at least.
func (d *decoder) length(n uint64) int {
	if n > uint64(len(d.from)) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) uint() uint64 {
	var n uint64
	for i, shift := 0, 0; i < len(d.from) && shift < 64; i, shift = i+1, shift+7 {
		c := d.from[i]
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			d.from = d.from[i+1:]
			return n
		}
	}
	d.fail()
	return 0
}

func (d *decoder) int() int64 {
	n := d.uint()
	return int64(n>>1) ^ -int64(n&1)
}

func (d *decoder) text() string {
	n := d.uint()
	if n >= uint64(len(d.texts)) {
		d.fail()
		return ""
	}
	return d.texts[n]
}

func (d *decoder) float() float64 {
	if len(d.from) < 8 {
		d.fail()
		return 0
	}
	bits := binary.LittleEndian.Uint64([]byte(d.from[:8]))
	d.from = d.from[8:]
	return math.Float64frombits(bits)
}

func (d *decoder) time() time.Time {
	if d.uint() != 1 {
		return time.Time{}
	}
	return time.Unix(d.int(), 0).UTC()
}

var (
	timeType = reflect.TypeFor[time.Time]()
	rowType  = reflect.TypeFor[*record.Proposal]()
)

// value fills what is zero.
func (d *decoder) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(d.text())
	case reflect.Bool:
		v.SetBool(d.uint() == 1)
	case reflect.Int, reflect.Int64:
		v.SetInt(d.int())
	case reflect.Float64:
		v.SetFloat(d.float())
	case reflect.Pointer:
		if d.uint() == 1 {
			v.Set(reflect.New(v.Type().Elem()))
			d.value(v.Elem())
		}
	case reflect.Slice:
		d.slice(v)
	case reflect.Map:
		d.mapping(v)
	case reflect.Struct:
		if v.Type() == timeType {
			*v.Addr().Interface().(*time.Time) = d.time()
			return
		}
		d.structure(v)
	}
}

func (d *decoder) slice(v reflect.Value) {
	n := d.uint()
	if n == 0 {
		return
	}
	count := d.length(n - 1)
	v.Set(reflect.MakeSlice(v.Type(), count, count))
	for i := range count {
		d.value(v.Index(i))
	}
}

func (d *decoder) mapping(v reflect.Value) {
	n := d.uint()
	if n == 0 {
		return
	}
	count := d.length(n - 1)
	v.Set(reflect.MakeMapWithSize(v.Type(), count))
	for range count {
		k, item := d.text(), reflect.New(v.Type().Elem()).Elem()
		d.value(item)
		v.SetMapIndex(reflect.ValueOf(k), item)
	}
}

func (d *decoder) structure(v reflect.Value) {
	mask := d.uint()
	for i := 0; mask != 0; i, mask = i+1, mask>>1 {
		switch {
		case mask&1 == 0:
		case i >= v.NumField() || !v.Field(i).CanSet() || v.Field(i).Type() == rowType:
			d.fail()
			return
		default:
			d.value(v.Field(i))
		}
	}
}

// done asks that all was read.
func (d *decoder) done() error {
	if d.err == nil && d.from != "" {
		return fmt.Errorf("%d bytes follow: %w", len(d.from), errForm)
	}
	return d.err
}
