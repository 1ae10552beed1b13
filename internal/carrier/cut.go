package carrier

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Cap is the most bytes that a file for git may have, well below what forges refuse.
const Cap = 256 << 10

// fit renders with ever tighter limits until the file is within Cap: texts give
// way before lists do. What render gives has at least as many bytes as it says.
func fit(render func(c *cutter) any) ([]byte, error) {
	const all = int(^uint(0) >> 1)
	size := 0
	for _, step := range [][2]int{{all, all}, {16 << 10, all}, {4 << 10, all}, {1 << 10, all},
		{512, 256}, {512, 64}, {256, 32}} {
		c := &cutter{limit: step[0], keep: step[1]}
		v := render(c)
		if size = c.size; size > Cap {
			continue // it need not be encoded to be known as too large
		}
		data, err := canonical(v)
		if err != nil {
			return nil, err
		}
		if size = len(data); size <= Cap {
			return data, nil
		}
	}
	return nil, fmt.Errorf("a file of %d bytes after all that may be cut was, and the cap is %d", size, Cap)
}

// cutter shortens texts and lists and keeps account of it.
type cutter struct {
	limit, keep int // bytes of a text, length of a list
	size        int // bytes of the texts and items that were kept
	cuts        []Cut
}

// text keeps the beginning of a text that is longer than the limit.
func (c *cutter) text(what, s string) string {
	if len(s) <= c.limit {
		c.size += len(s)
		return s
	}
	kept := c.limit
	for kept > 0 && !utf8.RuneStart(s[kept]) {
		kept--
	}
	c.size += kept
	c.cuts = append(c.cuts, Cut{What: what, Of: len(s), Kept: kept, Digest: digest([]byte(s))})
	return s[:kept] + "…"
}

// list keeps the beginning of a list that is longer than keep; it is always a copy.
func list[T any](c *cutter, what string, all []T) []T {
	c.size += min(len(all), c.keep)
	if len(all) <= c.keep {
		return slices.Clone(all)
	}
	whole, err := json.Marshal(all)
	if err != nil {
		panic(fmt.Sprintf("carrier: a list that JSON cannot hold: %v", err)) // our own plain structs
	}
	c.cuts = append(c.cuts, Cut{What: what, Of: len(all), Kept: c.keep, Digest: digest(whole)})
	return slices.Clone(all[:c.keep])
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
