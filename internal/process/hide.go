package process

import (
	"slices"
	"sync"
)

// hidden are the secrets that this process was given otherwise than by a variable that
// tells by its name: what Masked takes out of every text.
var hidden secretsKept

type secretsKept struct {
	mu     sync.Mutex
	values []string
}

// Hide makes Masked take these values out of every text, whatever their length, and makes
// this process one whose environment and memory no other process of the same user may read,
// where the platform can. An empty value is none. It holds until the process ends.
func Hide(values ...string) {
	hideSelf()
	hidden.mu.Lock()
	defer hidden.mu.Unlock()
	for _, v := range values {
		if v != "" && !slices.Contains(hidden.values, v) {
			hidden.values = append(hidden.values, v)
		}
	}
}

func (k *secretsKept) all() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.values)
}
