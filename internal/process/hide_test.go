package process_test

import (
	"fmt"
	"strings"
	"testing"

	"torve/internal/process"
)

// hide is a program that was given secrets: it says what it shows of them, before and after.
func hide(args []string) {
	said := func() string {
		return string(process.Masked([]byte("pw=abc abc a-hidden-value-and-more a-hidden-value"), nil))
	}
	fmt.Println(dumpable(), said())
	process.Hide("pw=abc", "", "a-hidden-value")
	process.Hide("a-hidden-value-and-more")
	fmt.Println(dumpable(), said())
}

func TestWhatIsHiddenIsMaskedWhateverItsLengthAndTheProcessIsNotReadByItsUsersOthers(t *testing.T) {
	before, after := dumpables()
	r := process.Run(t.Context(), process.Cmd{Argv: fake("hide"), Env: process.Environ()})
	want := before + " pw=abc abc a-hidden-value-and-more a-hidden-value\n" + after + " *** abc *** ***"
	if got := strings.TrimSpace(string(r.Output)); got != want {
		t.Errorf("it says\n%s\nand not\n%s", got, want)
	}
}
