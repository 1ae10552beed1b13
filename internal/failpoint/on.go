//go:build failpoint

package failpoint

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// The variables of the environment that a build with fail points reads.
const (
	variable = "TORVE_FAILPOINT"         // the boundary at which the process dies: name, or name:n for the nth time
	reaching = "TORVE_FAILPOINT_REACHED" // a file to which each boundary that is reached adds its name
)

var (
	mu      sync.Mutex
	reached int
)

func hit(name Name) {
	mu.Lock()
	defer mu.Unlock()
	if file := os.Getenv(reaching); file != "" {
		tell(file, name)
	}
	want, nth, _ := strings.Cut(os.Getenv(variable), ":")
	if want != string(name) {
		return
	}
	n, err := strconv.Atoi(nth)
	if err != nil {
		n = 1
	}
	if reached++; reached == n {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	}
}

// tell adds a name to the file; one that cannot be written to is missed by who reads it.
func tell(file string, name Name) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return
	}
	_, _ = f.WriteString(string(name) + "\n")
	_ = f.Close()
}
