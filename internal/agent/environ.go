package agent

import (
	"path/filepath"
	"strconv"
	"strings"

	"torve/internal/process"
)

// Caches points the caches of build tools into a folder that torve owns, so that a
// thousand attempts share one and the person's own is not touched; nothing when dir
// is empty.
func Caches(dir string) []string {
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

// environ is the whole environment of an attempt's agent: what is clean, the caches,
// what the adapter and the entry name, and last what torve says itself.
func (p *program) environ(a Ask) []string {
	extra := append(Caches(a.Cache), p.kind.pass...)
	for _, kv := range p.kind.set {
		if p.model != "" || !strings.Contains(kv, "{model}") {
			extra = append(extra, strings.ReplaceAll(kv, "{model}", p.model))
		}
	}
	extra = append(append(extra, p.set.Env...), a.Env...)
	return process.Environ(append(extra, a.own()...)...)
}

// own is what torve tells the agent of its attempt.
func (a Ask) own() []string {
	out := []string{
		"TORVE_TASK=" + a.Task, "TORVE_ATTEMPT=" + strconv.Itoa(a.Attempt), "TORVE_SLOT=" + strconv.Itoa(a.Slot),
	}
	for _, kv := range [][2]string{{"TORVE_PROMPT_FILE", a.PromptFile}, {"TORVE_REPORT", a.Report}, {"TMPDIR", a.Temp}} {
		if kv[1] != "" {
			out = append(out, kv[0]+"="+kv[1])
		}
	}
	return out
}
