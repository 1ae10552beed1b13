package contract

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// NextID is T-NNNN, one more than the highest taken: a number that was ever
// used is not used again.
func NextID(taken []string) string {
	highest := 0
	for _, id := range taken {
		digits, ours := strings.CutPrefix(id, "T-")
		if n, err := strconv.Atoi(digits); ours && err == nil && n > highest {
			highest = n
		}
	}
	return fmt.Sprintf("T-%04d", highest+1)
}

// Cycle finds a dependency cycle and gives its path, from its lowest id back to
// it: [T-1 T-2 T-1]. It is nil when there is none; the same graph gives the
// same path.
func Cycle(deps map[string][]string) []string {
	const open, done = 1, 2
	mark := map[string]int{}
	var path []string
	var visit func(id string) []string
	visit = func(id string) []string {
		mark[id] = open
		path = append(path, id)
		for _, d := range slices.Sorted(slices.Values(deps[id])) {
			switch mark[d] {
			case open:
				return fromLowest(path[slices.Index(path, d):])
			case done:
				continue
			}
			if found := visit(d); found != nil {
				return found
			}
		}
		mark[id] = done
		path = path[:len(path)-1]
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(deps)) {
		if mark[id] == 0 {
			if found := visit(id); found != nil {
				return found
			}
		}
	}
	return nil
}

func fromLowest(ring []string) []string {
	at := slices.Index(ring, slices.Min(ring))
	turned := append(slices.Clone(ring[at:]), ring[:at]...)
	return append(turned, turned[0])
}
