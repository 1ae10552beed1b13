package git

import (
	"context"
	"fmt"
	"strconv"
	"sync"
)

// nearby is how many commits Depth goes back by itself before it has git count: a few
// milliseconds of reading.
const nearby = 100

// depths remembers how deep the commits are that were asked for. A commit never changes.
type depths struct {
	mu    sync.Mutex
	known map[string]int64
}

func (d *depths) of(id string) (int64, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, known := d.known[id]
	return n, known
}

func (d *depths) keep(id string, n int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known == nil || len(d.known) >= 1000 {
		d.known = map[string]int64{}
	}
	d.known[id] = n
}

// Depth is how many commits the first-parent line of a commit has, itself among them: the
// branch's count of days. From a commit that was asked for before, or where the history is
// short, it is found with no program started. ErrShallow where the history is cut short.
func (r *Repo) Depth(ctx context.Context, commit string) (int64, error) {
	if r.Shallow {
		return 0, fmt.Errorf("counting the commits of %s: %w", short(commit), ErrShallow)
	}
	if n, known := r.lazily.depths.of(commit); known {
		return n, nil
	}
	c, err := r.ReadCommit(ctx, commit)
	if err != nil {
		return 0, err
	}
	n, err := r.depth(ctx, c)
	if err != nil {
		return 0, fmt.Errorf("counting the commits of %s: %w", short(commit), err)
	}
	r.lazily.depths.keep(c.ID, n)
	return n, nil
}

// depth goes back to a commit whose depth is known, or to the first one.
func (r *Repo) depth(ctx context.Context, c Commit) (int64, error) {
	for back := int64(0); ; back++ {
		if n, known := r.lazily.depths.of(c.ID); known {
			return n + back, nil
		}
		if len(c.Parents) == 0 {
			return 1 + back, nil
		}
		if back == nearby {
			n, err := r.countFirstParents(ctx, c.ID)
			return n + back, err
		}
		var err error
		if c, err = r.ReadCommit(ctx, c.Parents[0]); err != nil {
			return 0, err
		}
	}
}

func (r *Repo) countFirstParents(ctx context.Context, id string) (int64, error) {
	out, err := r.text(ctx, "rev-list", "--count", "--first-parent", id, "--")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(out, 10, 64)
}
