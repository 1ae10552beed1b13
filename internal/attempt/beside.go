package attempt

import "errors"

// together does things that do not touch each other side by side, mostly so that the disk is
// waited for once, and gives what went wrong once all of them are done.
func together(all ...func() error) error {
	errs := make([]error, len(all))
	waits := make([]func(), len(all))
	for i, one := range all {
		waits[i] = beside(func() { errs[i] = one() })
	}
	for _, wait := range waits {
		wait()
	}
	return errors.Join(errs...)
}

// beside begins something and gives how to wait for its end.
func beside(do func()) (wait func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	return func() { <-done }
}
