package board

import "testing"

func TestReasonsThatDifferOnlyInWhatPassesAreTheSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"go test ./... exited 1: TestUnknown", "go test ./... exited 1: TestUnknown", true},
		{"go test ./... exited 1: TestUnknown", "go test ./... exited 1: TestKnown", false},
		{"go test ./... exited 1: TestUnknown", "go test ./... exited 2: TestUnknown", false},
		{"go test ./... exited 1: TestA1", "go test ./... exited 1: TestA2", false},
		{"pytest exited 1: 1 failed, 12 passed in 0.31s", "pytest exited 1: 2 failed, 11 passed in 1.02s", true},
		{"sleep 30 did not end within 1s", "sleep 30 did not end within 1s", true},
		{"make exited 2: after 1m30.5s", "make exited 2: after 2m1s", true},
		{"make exited 2: after 310 ms", "make exited 2: after 4 ms", true},
		{"x exited 1: /tmp/tmp.Xa8f3/out is not there", "x exited 1: /tmp/tmp.Qq1z0/out is not there", true},
		{"x exited 1: /w/T-0001-1.d/tmp/go-build123/b.o", "x exited 1: /w/T-0001-2.d/tmp/go-build77/b.o", true},
		{"x exited 1: a/one is not there", "x exited 1: a/two is not there", false},
		{"x exited 1: want 9c41e07, got 77ab310", "x exited 1: want 1b90c3d, got 4e1f0aa", true},
		{"x exited 1: panic at 0xc000012345", "x exited 1: panic at 0xC0FFEE", true},
		{"x exited 1: id 0b0e1f3c-5d1b-4c55-9a42-0a1b2c3d4e5f", "x exited 1: id 9f0e1f3c-5d1b-4c55-9a42-0a1b2c3d4eff", true},
		{"x exited 1: 2026-01-31T10:00:00Z late", "x exited 1: 2026-02-01 11:12:13 late", true},
		{"x exited 1: orders/get.go:12:3: undefined: x", "x exited 1: orders/get.go:15:7: undefined: x", true},
		{"x exited 1: orders/get.go:12:3: undefined: x", "x exited 1: orders/get.go:12:3: undefined: y", false},
		{"an attempt of 612 changes, and the cap is 500", "an attempt of 601 changes, and the cap is 500", true},
		{"x exited 1: column b1 is absent", "x exited 1: column b2 is absent", false},
		{"x exited 1: defaced", "x exited 1: effaced", false},
		{"", "x", false},
	} {
		if got := SameReason(c.a, c.b); got != c.same {
			t.Errorf("%q and %q: same %v (%q, %q)", c.a, c.b, got, lasting(c.a), lasting(c.b))
		}
	}
}
