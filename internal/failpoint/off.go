//go:build !failpoint

package failpoint

func hit(Name) {}
