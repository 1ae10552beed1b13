package configs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Strict reads a text that is one JSON value and nothing else. On top of what encoding/json
// refuses it refuses what that would let pass: a key that is not the value's, a key twice or
// in other letters than its own, a null, and bytes that are no text. All keys are of small
// letters. Its errors are encoding/json's own where that has one.
func Strict(text []byte, value any) error {
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return err
	}
	if !utf8.Valid(text) {
		return errors.New("it is not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(value); err != nil {
		return err
	}
	return keys(json.NewDecoder(bytes.NewReader(text)))
}

// keys goes through one value that is known to be sound and to be of its type.
func keys(dec *json.Decoder) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	switch token {
	case nil:
		return errors.New("null where a value must be")
	case json.Delim('['):
		for dec.More() {
			if err := keys(dec); err != nil {
				return err
			}
		}
	case json.Delim('{'):
		return members(dec)
	default:
		return nil
	}
	_, err = dec.Token() // the bracket that closes it
	return err
}

func members(dec *json.Decoder) error {
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		switch {
		case strings.ContainsFunc(key, otherLetter):
			return fmt.Errorf("json: unknown field %q", key)
		case seen[key]:
			return fmt.Errorf("key %q twice in one object", key)
		}
		seen[key] = true
		if err := keys(dec); err != nil {
			return err
		}
	}
	_, err := dec.Token() // the brace that closes it
	return err
}

// otherLetter is what no key has, and encoding/json would take for a letter of one.
func otherLetter(r rune) bool { return r >= utf8.RuneSelf || 'A' <= r && r <= 'Z' }
