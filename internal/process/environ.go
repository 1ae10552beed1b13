package process

import (
	"os"
	"os/exec"
	"slices"
	"strings"
)

// passed is what of our own environment passes to a program, and no more: an
// asterisk stands for any end.
var passed = []string{
	"PATH", "HOME", "USER", "LANG", "LC_*", "TZ", "TERM", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
}

// located are the variables of git that would point a program at another repository
// than the folder it runs in, or change how git reads its configuration.
var located = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_CEILING_DIRECTORIES",
	"GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_REPLACE_REF_BASE",
	"GIT_QUARANTINE_PATH", "GIT_INTERNAL_*", "GIT_CONFIG", "GIT_CONFIG_*", "GIT_IMPLICIT_WORK_TREE",
	"GIT_ATTR_SOURCE", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR",
}

// kept are the variables by which the record in a database is reached. They are for this
// process alone: no program that it starts gets them, not even a person's editor.
var kept = []string{
	"TORVE_DSN", "PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGPASSWORD", "PGPASSFILE",
	"PGSERVICE", "PGSERVICEFILE", "PGSYSCONFDIR", "PGOPTIONS", "PGREQUIREAUTH", "PGCHANNELBINDING", "PGSSL*",
	"PGGSS*", "PGKRBSRVNAME", "PGREQUIRESSL", "PGTARGETSESSIONATTRS", "PGAPPNAME", "PGCONNECT_TIMEOUT",
}

// Person is our own environment for a program of the person's, on their terminal: whole but
// for what reaches the record.
func Person() []string {
	return slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return named(name, kept)
	})
}

// Environ is the clean environment: what may pass of our own, then extra, later ones
// winning. An extra NAME=value is set as it stands; NAME or NAME_* passes what we have
// of it. No location variable of git passes and none that reaches the record, whoever names
// it; set outright it may be.
func Environ(extra ...string) []string {
	env := newEnv()
	env.pass(passed)
	for _, e := range extra {
		if name, value, set := strings.Cut(e, "="); set {
			env.set(name, value)
		} else {
			env.pass([]string{e})
		}
	}
	return env.list()
}

// env keeps the order in which names came first, so that it is the same each time.
type env struct {
	names  []string
	values map[string]string
}

func newEnv() *env { return &env{values: map[string]string{}} }

func (e *env) set(name, value string) {
	if _, there := e.values[name]; !there {
		e.names = append(e.names, name)
	}
	e.values[name] = value
}

// pass takes from our own environment what the patterns name.
func (e *env) pass(patterns []string) {
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		if named(name, patterns) && !named(name, located) && !named(name, kept) {
			e.set(name, value)
		}
	}
}

func (e *env) list() []string {
	slices.Sort(e.names)
	out := make([]string, 0, len(e.names))
	for _, name := range e.names {
		out = append(out, name+"="+e.values[name])
	}
	return out
}

// named reports whether a pattern names the variable.
func named(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		begin, open := strings.CutSuffix(p, "*")
		return name == p || open && strings.HasPrefix(name, begin)
	})
}

// Look finds a program on the PATH; empty when it is not there.
func Look(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}
