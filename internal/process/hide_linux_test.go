package process_test

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// dumpable is what the kernel says of this process; 0 is that none of its user's reads it.
func dumpable() string {
	n, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(n)
}

func dumpables() (before, after string) { return "1", "0" }
