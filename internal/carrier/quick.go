package carrier

import (
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// A landing is read by two readers. The strict one knows YAML. This one knows the form that
// WriteLanding writes, keys in order and one a line, and takes a tenth of the time, which a
// listing of ten thousand feels. Of all else it says nothing, and the strict one is asked:
// what it reads is what that one would have read.

// quickLanding reads a landing in the form in which it is written; false for any other.
func quickLanding(data []byte) (l Landing, ok bool) {
	q := quick{text: string(data)}
	if !q.legible() || !q.next() {
		return Landing{}, false
	}
	if !q.structure(reflect.ValueOf(&l).Elem(), 0) || !q.ended || q.bad || l.Schema != LandingSchema {
		return Landing{}, false
	}
	return l, true
}

// quick goes over a text line by line.
type quick struct {
	text   string // what comes after the line
	indent int    // of the line; an item's dash counts as blanks
	rest   string // the line from there on
	ended  bool   // there is no line
	bad    bool   // it is of another form
}

// legible reports whether the text holds nothing that YAML reads otherwise than as it
// stands: no control characters, line ends of other systems, or broken UTF-8.
func (q *quick) legible() bool {
	for i := 0; i < len(q.text); {
		c := q.text[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\n' || c == 0x7f {
				return false
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(q.text[i:])
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return false
		}
		i += size
	}
	return strings.HasSuffix(q.text, "\n")
}

// next goes to the next line; false at the end and where it is of another form.
func (q *quick) next() bool {
	if q.text == "" {
		q.ended, q.rest = true, ""
		return false
	}
	line, after, _ := strings.Cut(q.text, "\n")
	q.rest = strings.TrimLeft(line, " ")
	q.indent, q.text = len(line)-len(q.rest), after
	q.bad = q.bad || q.rest == ""
	return !q.bad
}

// keys are the keys of the structs of a landing, in order.
var keys = sync.OnceValue(func() map[reflect.Type][]string {
	out := map[reflect.Type][]string{}
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		switch {
		case t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice:
			add(t.Elem())
		case t.Kind() == reflect.Struct && t != reflect.TypeFor[time.Time]():
			for i := range t.NumField() {
				key, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
				out[t] = append(out[t], key)
				add(t.Field(i).Type)
			}
		}
	}
	add(reflect.TypeFor[Landing]())
	return out
})

// structure reads the keys that stand at an indent, in their order; each may lack.
func (q *quick) structure(v reflect.Value, indent int) bool {
	found := false
	for i, key := range keys()[v.Type()] {
		if q.ended || q.indent != indent {
			break
		}
		value, is := strings.CutPrefix(q.rest, key)
		if !is || !strings.HasPrefix(value, ":") {
			continue
		}
		if !q.value(v.Field(i), value[1:], indent) {
			return false
		}
		found = true
	}
	return found
}

// value reads what stands after a key, on its line or below it, and goes past it.
func (q *quick) value(v reflect.Value, text string, indent int) bool {
	if v.Kind() == reflect.Pointer {
		if text == " null" {
			q.next()
			return !q.bad
		}
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if text == "" {
		return q.below(v, indent)
	}
	text, spaced := strings.CutPrefix(text, " ")
	switch {
	case !spaced:
		return false
	case text == "|" || text == "|-":
		return v.Kind() == reflect.String && q.literal(v, text == "|", indent+2)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		q.next()
		return text == "[]" && !q.bad
	}
	q.next()
	return scalar(v, text) && !q.bad
}

// below reads a map or a list that begins on the next line.
func (q *quick) below(v reflect.Value, indent int) bool {
	if !q.next() || q.indent != indent+2 {
		return false
	}
	if v.Kind() == reflect.Struct {
		return q.structure(v, indent+2)
	}
	return v.Kind() == reflect.Slice && q.list(v, indent+2)
}

func (q *quick) list(v reflect.Value, indent int) bool {
	for !q.ended && q.indent == indent {
		item, is := strings.CutPrefix(q.rest, "- ")
		if !is {
			break
		}
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
		last := v.Index(v.Len() - 1)
		if last.Kind() == reflect.Struct {
			q.indent, q.rest = indent+2, item
			if !q.structure(last, indent+2) {
				return false
			}
			continue
		}
		if item == "|" || item == "|-" {
			return false
		}
		q.next()
		if !scalar(last, item) || q.bad {
			return false
		}
	}
	return v.Len() > 0
}

// literal reads the lines of a block, which all stand at one indent or deeper.
func (q *quick) literal(v reflect.Value, ends bool, indent int) bool {
	var lines []string
	blanks := strings.Repeat(" ", indent)
	for q.text != "" {
		line, after, _ := strings.Cut(q.text, "\n")
		body, deep := strings.CutPrefix(line, blanks)
		if line != "" && (!deep || strings.TrimLeft(body, " ") == "") {
			if strings.TrimLeft(line, " ") == "" {
				return false
			}
			break
		}
		lines, q.text = append(lines, body), after
	}
	if len(lines) == 0 || lines[0] == "" || lines[0][0] == ' ' || lines[len(lines)-1] == "" {
		return false
	}
	text := strings.Join(lines, "\n")
	if ends {
		text += "\n"
	}
	v.SetString(text)
	q.next()
	return !q.bad
}

// scalar reads one value that stands on one line.
func scalar(v reflect.Value, text string) bool {
	switch v.Kind() {
	case reflect.String:
		s, ok := quickText(text)
		v.SetString(s)
		return ok
	case reflect.Bool:
		v.SetBool(text == "true")
		return text == "true" || text == "false"
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		v.SetInt(n)
		return err == nil && strconv.FormatInt(n, 10) == text
	case reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		v.SetFloat(f)
		return err == nil && strconv.FormatFloat(f, 'f', -1, 64) == text && text != "NaN" && !strings.HasSuffix(text, "Inf")
	case reflect.Struct:
		at, is := v.Addr().Interface().(*time.Time)
		return is && len(text) == len("2006-01-02T15:04:05Z") && at.UnmarshalText([]byte(text)) == nil && strings.HasSuffix(text, "Z")
	}
	return false
}

// quickText is a text that stands on one line, plain or quoted without an escape.
func quickText(s string) (string, bool) {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') {
		in := s[1 : len(s)-1]
		return in, s[len(s)-1] == s[0] && !strings.ContainsAny(in, `"\'`)
	}
	first, _ := utf8.DecodeRuneInString(s)
	if !unicode.IsLetter(first) && !unicode.IsDigit(first) && !strings.ContainsRune("/._(", first) {
		return "", false
	}
	switch {
	case strings.HasSuffix(s, " "), strings.HasSuffix(s, ":"), strings.Contains(s, ": "), strings.Contains(s, " #"):
		return "", false
	case strings.EqualFold(s, "null"):
		return "", false
	}
	return s, true
}
