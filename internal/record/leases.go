package record

import (
	"context"
	"fmt"
	"time"
)

// Lease is how a claim's holder says, to hosts that cannot ask his platform, that he lives.
// It is no event and no carrier: nothing is recorded because a lease says so.
type Lease struct {
	Claim  string
	Holder string        // host and process, for people
	Age    time.Duration // since it was last renewed, by the store's clock
	Left   time.Duration // until it ends, by the store's clock; below zero: since it ended
}

// Leases is what a store of several hosts offers. All times are the store's own: no host's
// clock is compared with another's.
type Leases interface {
	// Lease takes or renews the lease of a claim for a time from now.
	Lease(ctx context.Context, p Partition, claim, holder string, last time.Duration) error
	// Leased gives the lease of a claim; ErrNone where there never was one or it was given up.
	Leased(ctx context.Context, p Partition, claim string) (Lease, error)
	// Leases gives all of a partition that were not given up, those that ended too, in the
	// order of their claims, as they are at one moment. One that ended a week ago may be gone.
	Leases(ctx context.Context, p Partition) ([]Lease, error)
	// GiveUp ends the lease of a claim; of none, it does nothing.
	GiveUp(ctx context.Context, p Partition, claim string) error
}

// LeaseWords say of a claim that was made some time ago, among all the leases that were read,
// whether its own stands.
func LeaseWords(all map[string]Lease, claim string, ago time.Duration) string {
	l, there := all[claim]
	switch {
	case !there && ago < LeaseLasts:
		return "claimed just now"
	case !there:
		return "without a lease"
	case l.Left < 0:
		return "its lease ended " + Roughly(-l.Left) + " ago"
	}
	return "its lease stands (renewed " + Roughly(l.Age) + " ago)"
}

// Roughly is a time in its largest unit: 4 s, 3 min, 2 h.
func Roughly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}

// A lease is renewed each RenewEvery and ends LeaseLasts after the last time.
const (
	RenewEvery = 10 * time.Second
	LeaseLasts = 45 * time.Second
)

// Shared reports whether a log is of a store that several hosts, and several clones on one,
// write to: a claim in it may be held where nobody here can ask.
func Shared(l Log) bool {
	_, shared := l.(Leases)
	return shared
}
