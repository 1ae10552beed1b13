//go:build !linux

package git

// writeOut syncs a file, where its data alone cannot be written out.
func writeOut(file string) error { return syncPath(file) }
