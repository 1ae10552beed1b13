package attempt

import "sync"

// recent remembers a few answers about pairs of objects. An object never changes, so that
// an answer stays true; what is remembered is read and never written to.
type recent[V any] struct {
	mu    sync.Mutex
	known map[[2]string]V
	order [][2]string
}

// mostRecent is how many answers are kept: as many as attempts run side by side, and more.
const mostRecent = 16

// get is the answer for a pair, asked for where it is not known. An error is not kept.
func (r *recent[V]) get(pair [2]string, ask func() (V, error)) (V, error) {
	r.mu.Lock()
	v, known := r.known[pair]
	r.mu.Unlock()
	if known {
		return v, nil
	}
	v, err := ask()
	if err != nil {
		return v, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.known[pair]; known {
		return v, nil
	}
	if r.known == nil {
		r.known = map[[2]string]V{}
	}
	if r.order = append(r.order, pair); len(r.order) > mostRecent {
		delete(r.known, r.order[0])
		r.order = r.order[1:]
	}
	r.known[pair] = v
	return v, nil
}
