package process

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
)

// cutLine is the room that the line about the cut takes at most.
const cutLine = 64

// capture keeps head and tail of a stream, counts all of it and digests all of it.
type capture struct {
	head  []byte
	tail  []byte // a ring once it is full
	next  int    // where the ring goes on
	headN int
	tailN int
	total int64
	sum   hash.Hash
}

func newCapture(limit int64) *capture {
	half := int(limit-cutLine) / 2
	return &capture{headN: half, tailN: int(limit) - cutLine - half, sum: sha256.New()}
}

// Write never fails.
func (c *capture) Write(p []byte) (int, error) {
	n := len(p)
	c.total += int64(n)
	c.sum.Write(p)
	if room := c.headN - len(c.head); room > 0 {
		k := min(room, len(p))
		c.head, p = append(c.head, p[:k]...), p[k:]
	}
	c.ring(p)
	return n, nil
}

// ring keeps the last tailN bytes. Until it is full it only grows, so that a
// short output costs no more than itself.
func (c *capture) ring(p []byte) {
	if len(p) > c.tailN {
		p = p[len(p)-c.tailN:]
	}
	if room := c.tailN - len(c.tail); room > 0 {
		k := min(room, len(p))
		c.tail, p = append(c.tail, p[:k]...), p[k:]
	}
	for len(p) > 0 {
		k := copy(c.tail[c.next:], p)
		c.next, p = (c.next+k)%c.tailN, p[k:]
	}
}

// Bytes is head and tail, and between them how much was cut.
func (c *capture) Bytes() []byte {
	end := c.end()
	cut := c.total - int64(len(c.head)) - int64(len(end))
	out := append([]byte{}, c.head...)
	if cut > 0 {
		out = fmt.Appendf(out, "\n[... %d bytes cut here ...]\n", cut)
	}
	return append(out, end...)
}

// end is the ring in order.
func (c *capture) end() []byte {
	return append(append([]byte{}, c.tail[c.next:]...), c.tail[:c.next]...)
}

// Sum is the digest of everything that was written.
func (c *capture) Sum() string { return hex.EncodeToString(c.sum.Sum(nil)) }

// Last is the last line that is not empty, as far as it was kept.
func (c *capture) Last() string {
	if line := LastLine(c.end()); line != "" && c.total > int64(len(c.head)+len(c.tail)) {
		return line
	}
	return LastLine(append(append([]byte{}, c.head...), c.end()...))
}
