package attempt

import (
	"strconv"

	"torve/internal/agent"
	"torve/internal/process"
)

// environ is the clean environment of what runs in a room besides the agent: the
// same table as the agent's, so that a line that passes for one passes for the other.
func (s *Station) environ(r *room, task string, n int) []string {
	extra := agent.Caches(s.Settings.Caches)
	if r.side != "" {
		extra = append(extra, "TMPDIR="+r.temp())
	}
	if task != "" {
		extra = append(extra, "TORVE_TASK="+task, "TORVE_ATTEMPT="+strconv.Itoa(n), "TORVE_SLOT="+strconv.Itoa(r.slot))
	}
	return process.Environ(extra...)
}
