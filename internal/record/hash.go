package record

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// HashOf is the link of the chain (R3): the lower-case hex SHA-256 of the previous
// hash's bytes, the seq as 8 bytes big endian, and the body. prev is "" for the first
// event. A prev that is not hex is a broken promise of the caller.
func HashOf(prev string, seq Seq, body []byte) string {
	before, err := hex.DecodeString(prev)
	if err != nil {
		panic(fmt.Sprintf("record: a previous hash that is not hex: %q", prev))
	}
	h := sha256.New()
	h.Write(before)
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(seq)))
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}
