package agent

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"torve/internal/process"
)

// account reads what an agent says of itself as it prints. What cannot be read is
// unknown: no figure is guessed.
type account interface {
	line(line []byte) (last bool)    // one line printed; last when nothing more is to come
	whole(output []byte)             // all that was kept, for what is not a line each
	fill(out *Outcome, env []string) // puts usage and, of a done one, end and why in
}

// most is beyond any honest count of tokens, and far from an overflow of sums.
const most = 1 << 50

// count is a count that makes sense, or unknown.
func count(n int64) *int64 {
	if n < 0 || n > most {
		return nil
	}
	return &n
}

// sum adds counts; one that lacks or makes no sense makes it unknown.
func sum(counts ...*int64) *int64 {
	var total int64
	for _, n := range counts {
		if n == nil || count(*n) == nil {
			return nil
		}
		total += *n
	}
	return count(total)
}

// orZero is a part of a sum that a program leaves out when there is none of it.
func orZero(n *int64) *int64 {
	if n == nil {
		return new(int64)
	}
	return n
}

// price is a cost that makes sense. A cost of nothing for tokens that were used is a
// model without a price: unknown, not free.
func price(usd *float64, in, out *int64) *float64 {
	if usd == nil || math.IsNaN(*usd) || *usd < 0 || *usd > 1e6 {
		return nil
	}
	if *usd == 0 && (in == nil || out == nil || *in+*out > 0) {
		return nil
	}
	return usd
}

// trouble reads an agent's own word for why it could not go on.
func trouble(out *Outcome, name, message string) {
	message = process.LastLine([]byte(strings.ReplaceAll(message, "\n", " ")))
	if message == "" {
		message = "an error, and no word about it"
	}
	out.End, out.Why = Unavailable, name+" says: "+message
	if !limitWords.MatchString(message) {
		return
	}
	out.End = Quota
	if m := limitTime.FindStringSubmatch(message); m != nil {
		seconds, _ := strconv.ParseInt(m[1], 10, 64) // ten digits always fit
		out.Until = time.Unix(seconds, 0).UTC()
	}
}

var (
	limitWords = regexp.MustCompile(`(?i)\b(usage limit|hit your (?:usage )?limit|insufficient_quota|exceeded your current quota)`)
	limitTime  = regexp.MustCompile(`\|(\d{10})\b`)
)

// decode is tolerant of what it does not know, and of nothing else.
func decode(line []byte, into any) bool { return json.Unmarshal(line, into) == nil }
