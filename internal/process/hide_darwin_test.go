package process_test

// darwin hides no process.
func dumpable() string { return "-" }

func dumpables() (before, after string) { return "-", "-" }
