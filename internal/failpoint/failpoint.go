// Package failpoint names the write boundaries of torve: the places between two writes
// where a death of the process leaves one done and the other not. In a normal build a
// fail point is an empty function; one that is built with the tag failpoint ends itself
// there with SIGKILL when TORVE_FAILPOINT names the place.
package failpoint

// Hit is called at the boundary that name names.
func Hit(name Name) { hit(name) }

// Name is a boundary, as station.what-was-just-written.
type Name string
