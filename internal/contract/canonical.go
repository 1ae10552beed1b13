package contract

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Canonical is the contract as the record keeps it: JSON with every default
// filled in, keys in one order, no list null. Two files that ask for the same
// have the same canonical form, whatever their order of keys and comments.
func (c Contract) Canonical() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(c.whole()); err != nil {
		panic("contract: encode: " + err.Error()) // texts and finite numbers alone: it cannot
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Digest is the SHA-256 of the canonical form, in lower-case hex.
func (c Contract) Digest() string {
	sum := sha256.Sum256(c.Canonical())
	return hex.EncodeToString(sum[:])
}

// Decode reads a canonical form strictly.
func Decode(canonical []byte) (Contract, error) {
	dec := json.NewDecoder(bytes.NewReader(canonical))
	dec.DisallowUnknownFields()
	var c Contract
	if err := dec.Decode(&c); err != nil {
		return Contract{}, fmt.Errorf("decode the canonical contract: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Contract{}, errors.New("decode the canonical contract: more follows it")
	}
	if c.Schema != Schema {
		return Contract{}, fmt.Errorf("decode the canonical contract: schema is %q, and %s is wanted", c.Schema, Schema)
	}
	return c.whole(), nil
}

// whole makes absent lists empty ones, so that equal contracts are equal values.
func (c Contract) whole() Contract {
	for _, list := range []*[]string{
		&c.DependsOn, &c.Scope.Allow, &c.Scope.Deny, &c.Verbs, &c.Acceptance, (*[]string)(&c.Agent), &c.Targets,
	} {
		if *list == nil {
			*list = []string{}
		}
	}
	return c
}

// Changed names the keys whose values differ, in the order of the file; those
// inside scope, budget and world with their block's name: budget.usd.
func Changed(a, b Contract) []string {
	return changed([]string{}, "", reflect.ValueOf(a.whole()), reflect.ValueOf(b.whole()))
}

func changed(keys []string, under string, a, b reflect.Value) []string {
	for i := range a.NumField() {
		key, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("yaml"), ",")
		x, y := a.Field(i), b.Field(i)
		switch {
		case x.Kind() == reflect.Struct:
			keys = changed(keys, under+key+".", x, y)
		case x.Kind() == reflect.Pointer && !x.IsNil() && !y.IsNil():
			keys = changed(keys, under+key+".", x.Elem(), y.Elem())
		case !reflect.DeepEqual(x.Interface(), y.Interface()):
			keys = append(keys, under+key)
		}
	}
	return keys
}
