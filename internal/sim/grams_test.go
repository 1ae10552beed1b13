package sim

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
)

func TestGramsAreReadToTheLastDigit(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "92": 920_000, "0.08": 800, "0.2": 2000, "0.0001": 1, "150.7298": 1_507_298,
		"100.0": 1_000_000, "0.57": 5700, "1000000000": 10_000_000_000_000,
	} {
		if got, err := ParseGrams(text); err != nil || got != want {
			t.Errorf("%s is %d, %v", text, got, err)
		}
	}
}

func TestWhatTheWorldCannotCountIsNotRounded(t *testing.T) {
	for _, text := range []string{
		"", ".", "1.", ".5", "-1", "+1", "1e3", "0x10", " 1", "1 ", "1.2.3", "1,5", "0.00001", "0.00010",
		"1000000001", "1000000000.0001", "99999999999999999999", "NaN", `"1"`, "null", "١",
	} {
		if got, err := ParseGrams(text); err == nil {
			t.Errorf("%q was read as %d", text, got)
		}
	}
}

func TestGramsPrintExactly(t *testing.T) {
	for _, units := range []int64{0, 1, 1_507_298, 3_000_000, 9_999_999_999_999} {
		want := fmt.Sprintf("%d.%04d", units/Gram, units%Gram)
		if got := fmt.Sprintf("%.4f", Grams(units)); got != want {
			t.Errorf("%d prints as %s, not %s", units, got, want)
		}
	}
}

// What is read is what exact arithmetic reads.
func FuzzParseGrams(f *testing.F) {
	for _, text := range []string{"92", "0.08", "150.7298", "1e3", "-0", "0.00001", "1000000000.9999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseGrams(text)
		if err != nil {
			return
		}
		exact, ok := new(big.Rat).SetString(text)
		if !ok || strings.ContainsAny(text, "/eE_xX") {
			t.Fatalf("%q was read as %d", text, got)
		}
		if exact.Mul(exact, big.NewRat(Gram, 1)); exact.Cmp(big.NewRat(got, 1)) != 0 {
			t.Fatalf("%q was read as %d, and is %s", text, got, exact)
		}
	})
}
