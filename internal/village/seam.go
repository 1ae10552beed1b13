package village

import "fmt"

// Seam is the block by which a proposal ages: older than Stale ticks, on arrival or when
// due, it is a decision about a world that is gone.
type Seam struct {
	Stale int `json:"stale"`
}

// ReadSeam reads the block seam of how a villager is asked, and none of the others. A key
// that it does not know is an error.
func ReadSeam() (Seam, error) { return readBlock("seam", Seam.check) }

func (s Seam) check() error {
	if s.Stale < 1 {
		return fmt.Errorf("a staleness cap of %d ticks would refuse every proposal", s.Stale)
	}
	return within("stale", s.Stale, 1, mostTick)
}
