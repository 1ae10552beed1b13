package record

// Claimed is task.claimed: a worker took the task; the claim's id is the envelope's.
type Claimed struct {
	Boot   string `json:"boot"` // boot id of the host
	PID    int    `json:"pid"`
	Start  string `json:"start"` // the process's start time as the platform gives it
	Worker string `json:"worker"`
}

// Kind is task.claimed.
func (Claimed) Kind() Kind { return KindClaimed }

// Validate asks what the store cannot: that the fact is whole.
func (p Claimed) Validate() error {
	return first(
		need("boot", p.Boot),
		say(p.PID < 1, "pid %d", p.PID),
		need("start", p.Start),
		need("worker", p.Worker),
	)
}
