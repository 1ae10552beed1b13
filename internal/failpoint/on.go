//go:build failpoint

package failpoint

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// variable names the boundary at which the process dies: name, or name:n for the nth
// time that it is reached.
const variable = "TORVE_FAILPOINT"

var (
	mu      sync.Mutex
	reached int
)

func hit(name Name) {
	want, nth, _ := strings.Cut(os.Getenv(variable), ":")
	if want != string(name) {
		return
	}
	n, err := strconv.Atoi(nth)
	if err != nil {
		n = 1
	}
	mu.Lock()
	defer mu.Unlock()
	if reached++; reached == n {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	}
}
