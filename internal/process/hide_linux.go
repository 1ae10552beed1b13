package process

import "golang.org/x/sys/unix"

// hideSelf makes this process not dumpable: its environment, its memory and what it has
// open belong to root from then on, and it leaves no core. A program that it starts is
// dumpable again, and what may be seen of every process (its state, its command line) stays
// to be seen. Saying it twice is harmless.
func hideSelf() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
