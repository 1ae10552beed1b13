package attempt

import (
	"path/filepath"
	"strconv"

	"torve/internal/process"
)

// environ is the clean environment of what runs in a room besides the agent: the
// same table as the agent's, so that a line that passes for one passes for the other.
func (s *Station) environ(r *room, task string, n int) []string {
	extra := caches(s.Settings.Caches)
	if r.side != "" {
		extra = append(extra, "TMPDIR="+r.temp())
	}
	if task != "" {
		extra = append(extra, "TORVE_TASK="+task, "TORVE_ATTEMPT="+strconv.Itoa(n))
	}
	return process.Environ(extra...)
}

// caches points the tools' caches into the folder that torve owns, so that a
// thousand attempts share one and the person's own is not touched.
func caches(dir string) []string {
	if dir == "" {
		return nil
	}
	var out []string
	for _, c := range [][2]string{
		{"GOCACHE", "go-build"}, {"GOMODCACHE", "go-mod"}, {"npm_config_cache", "npm"},
		{"YARN_CACHE_FOLDER", "yarn"}, {"CARGO_HOME", "cargo"}, {"PIP_CACHE_DIR", "pip"}, {"UV_CACHE_DIR", "uv"},
	} {
		out = append(out, c[0]+"="+filepath.Join(dir, c[1]))
	}
	return out
}
