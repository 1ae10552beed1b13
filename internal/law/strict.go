package law

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// decode decodes one value that has nothing behind it and no key that is unknown.
func decode(text []byte, value any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(value); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the value")
	}
	return nil
}

// once asks of a value that is known to be JSON what the decoder lets pass: that every key of
// an object is there once, in whatever letters, since the decoder takes them for the same, and
// that nothing is null.
func once(text []byte) error { return walked(json.NewDecoder(bytes.NewReader(text))) }

func walked(dec *json.Decoder) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	open, nested := token.(json.Delim)
	switch {
	case token == nil:
		return errors.New("null is no value: what does not apply is left out")
	case !nested:
		return nil
	}
	seen := map[string]bool{}
	for dec.More() {
		if open == '{' {
			if err := fresh(dec, seen); err != nil {
				return err
			}
		}
		if err := walked(dec); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}

// fresh reads a key that the object has not had.
func fresh(dec *json.Decoder, seen map[string]bool) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	key, _ := token.(string)
	folded := strings.ToLower(key)
	if seen[folded] {
		return fmt.Errorf("%q is there twice", key)
	}
	seen[folded] = true
	return nil
}
