package sim

import (
	"fmt"
	"strconv"
	"strings"
)

// Gram is a gram in the world's integers.
const Gram int64 = 10_000

// MostGrams is the most that is read as grams: a thousand tons. What a world adds up stays far
// inside an int64.
const MostGrams = 1_000_000_000

// decimals is how many digits of a gram the world's integers hold.
const decimals = 4

// Grams is so much in grams, for eyes and print. With four decimals it is exact.
func Grams(units int64) float64 { return float64(units) / float64(Gram) }

// ParseGrams reads a decimal number of grams, "0.08" or "92", into the world's integers. It
// rounds nothing: what has more than four decimals is refused, and so are a sign, an exponent
// and more than MostGrams.
func ParseGrams(text string) (int64, error) {
	whole, part, dotted := strings.Cut(text, ".")
	if !digits(whole) || dotted && !digits(part) {
		return 0, fmt.Errorf("%q is not a plain decimal number of grams", text)
	}
	if len(part) > decimals {
		return 0, fmt.Errorf("%s grams: the world counts no finer than 0.0001", text)
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n > MostGrams {
		return 0, fmt.Errorf("%s grams: the world counts no further than %d", text, MostGrams)
	}
	fine, err := strconv.ParseInt(part+strings.Repeat("0", decimals-len(part)), 10, 64)
	if err != nil || n == MostGrams && fine > 0 {
		return 0, fmt.Errorf("%s grams: the world counts no further than %d", text, MostGrams)
	}
	return n*Gram + fine, nil
}

func digits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
