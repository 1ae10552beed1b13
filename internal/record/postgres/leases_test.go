package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"torve/internal/record"
)

func TestTheLeasesOfRunsThatDiedGoAWeekAfterTheyEnded(t *testing.T) {
	dsn := fresh(t)
	l := plainly(t, dsn).(record.Leases)
	for _, claim := range []string{"died", "late", "lives", "mine"} {
		if err := l.Lease(t.Context(), part, claim, "host", time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Lease(t.Context(), "another", "died", "host", time.Minute); err != nil {
		t.Fatal(err)
	}
	exec(t, dsn, "UPDATE lease SET ends = now() - interval '8 days' WHERE claim = 'died'")
	exec(t, dsn, "UPDATE lease SET ends = now() - interval '6 days' WHERE claim = 'late'")
	left := func(p record.Partition) (claims []string) {
		all, err := l.Leases(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, lease := range all {
			claims = append(claims, lease.Claim)
		}
		return claims
	}
	if err := l.GiveUp(t.Context(), part, "mine"); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(left(part), left("another")); got != "[late lives] [died]" {
		t.Errorf("left are %s", got)
	}
}
