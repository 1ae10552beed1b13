package contract

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"torve/internal/strictyaml"
)

// The values that a contract may choose between.
var (
	workloads = []string{"code", "world"}
	verbs     = []string{"add", "modify", "delete", "mode", "symlink", "submodule"}
	tests     = []string{"keep", "change"}
	bases     = []string{"green", "red", "any"}
	roles     = []string{"implement", "review", "revert"}
)

var (
	idPattern    = regexp.MustCompile(`^[A-Z]+-[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$`)
	specPattern  = regexp.MustCompile(`^S-[0-9]{4,}$`)
	agentPattern = regexp.MustCompile(`^[^\s@]+(?:@\S+)?$`)
)

// idCap keeps an id fit for a ref, a folder and a file's name.
const idCap = 64

// ValidID reports whether a text may be a task's id: T-0007, OPS-rotate-keys.
func ValidID(id string) bool { return len(id) <= idCap && idPattern.MatchString(id) }

type validator struct {
	d      *strictyaml.Document
	c      Contract
	folder string
}

func (v *validator) validate() error {
	for _, ask := range []func() error{
		v.id, v.title, v.spec, v.words, v.scope, v.verbs, v.dependencies,
		v.acceptance, v.budget, v.agents, v.targets, v.world,
	} {
		if err := ask(); err != nil {
			return err
		}
	}
	return nil
}

func (v *validator) id() error {
	switch {
	case !v.d.Has("id"):
		return v.fault("id: "+orElse(v.folder, "T-0001"), at(), "there is no id")
	case !ValidID(v.c.ID):
		return v.fault("write it like T-0007 or OPS-rotate-keys", at("id"), "id %q is not a task's id", v.c.ID)
	case v.folder != "" && v.folder != v.c.ID:
		return v.fault("the folder's name and the id are the same", at("id"),
			"id is %s, and the folder is %s", v.c.ID, v.folder)
	}
	return nil
}

func (v *validator) title() error {
	switch {
	case !v.d.Has("title"):
		return v.fault("title: what should be true when it is done", at(), "there is no title")
	case strings.TrimSpace(v.c.Title) == "":
		return v.fault("say what should be true when it is done", at("title"), "title is blank")
	case strings.ContainsAny(v.c.Title, "\n\r"):
		return v.fault("one line here, the rest under intent", at("title"), "title has more than one line")
	case strings.ContainsAny(v.c.Owner, "\n\r"):
		return v.fault("", at("owner"), "owner has more than one line")
	}
	return nil
}

func (v *validator) spec() error {
	if v.d.Has("spec") && !specPattern.MatchString(v.c.Spec) {
		return v.fault("write it like S-0001, or leave it out", at("spec"), "spec %q is not a specification's id", v.c.Spec)
	}
	return nil
}

func (v *validator) words() error {
	for _, w := range []struct {
		key, is string
		known   []string
	}{
		{"workload", v.c.Workload, workloads}, {"tests", v.c.Tests, tests},
		{"base", v.c.Base, bases}, {"role", v.c.Role, roles},
	} {
		if !slices.Contains(w.known, w.is) {
			return v.fault(w.key+" is "+either(w.known), at(w.key), "%s %q is not known", w.key, w.is)
		}
	}
	return nil
}

func (v *validator) scope() error {
	if v.c.Workload == "code" && len(v.c.Scope.Allow) == 0 {
		return v.fault(`scope: {allow: ["src/**"]}; everything is written "**"`, at("scope", "allow"),
			"scope.allow is required: where the work may touch")
	}
	for _, side := range []struct {
		key   string
		globs []string
	}{{"allow", v.c.Scope.Allow}, {"deny", v.c.Scope.Deny}} {
		for i, g := range side.globs {
			if why, hint := badGlob(g); why != "" {
				return v.fault(hint, at("scope", side.key, i), "scope.%s %q %s", side.key, g, why)
			}
		}
		if err := v.once("scope."+side.key, side.globs, at("scope", side.key)); err != nil {
			return err
		}
	}
	return nil
}

func (v *validator) verbs() error {
	if len(v.c.Verbs) == 0 {
		return v.fault("leave it out for "+strings.Join(verbs[:4], ", "), at("verbs"), "verbs is an empty list, and no change has no verb")
	}
	for i, verb := range v.c.Verbs {
		if !slices.Contains(verbs, verb) {
			return v.fault("the verbs are "+strings.Join(verbs, ", "), at("verbs", i), "verb %q is not known", verb)
		}
	}
	return v.once("verbs", v.c.Verbs, at("verbs"))
}

func (v *validator) dependencies() error { return v.ids("depends_on", v.c.DependsOn) }

func (v *validator) ids(key string, ids []string) error {
	for i, id := range ids {
		switch {
		case !ValidID(id):
			return v.fault("write it like T-0003", at(key, i), "%s %q is not a task's id", key, id)
		case id == v.c.ID:
			return v.fault("leave it out", at(key, i), "%s names the task itself, %s", key, id)
		}
	}
	return v.once(key, ids, at(key))
}

func (v *validator) acceptance() error {
	for i, line := range v.c.Acceptance {
		if strings.TrimSpace(line) == "" {
			return v.fault("leave it out", at("acceptance", i), "acceptance line %d is blank", i+1)
		}
	}
	return nil
}

func (v *validator) budget() error {
	b := v.c.Budget
	for _, f := range []struct {
		key string
		is  float64
	}{
		{"attempts", float64(b.Attempts)}, {"minutes", b.Minutes}, {"usd", b.USD},
		{"changes", float64(b.Changes)}, {"lines", float64(b.Lines)},
	} {
		if f.is < 0 {
			return v.fault("0 is no limit", at("budget", f.key), "budget.%s is negative", f.key)
		}
	}
	return nil
}

func (v *validator) agents() error {
	if v.d.Has("agent") && len(v.c.Agent) == 0 {
		return v.fault("leave it out for the configuration's default", at("agent"), "agent is an empty list")
	}
	for i, a := range v.c.Agent {
		if !agentPattern.MatchString(a) {
			return v.fault("write it as adapter or adapter@model", at("agent", i), "agent %q is not a name of one", a)
		}
	}
	return nil
}

func (v *validator) targets() error {
	switch {
	case v.c.Role == "implement" && len(v.c.Targets) > 0:
		return v.fault("role: review, or role: revert", at("targets"), "targets are of a review or a revert, and role is implement")
	case v.c.Role != "implement" && len(v.c.Targets) == 0:
		return v.fault("targets: [T-0003]", at("role"), "role %s names no targets", v.c.Role)
	}
	return v.ids("targets", v.c.Targets)
}

func (v *validator) world() error {
	switch {
	case v.c.Workload == "world" && v.c.World == nil:
		return v.fault("world: {villager: Ander, at: 1400, profile: villager}", at("workload"), "workload world says nothing under world")
	case v.c.Workload != "world" && v.c.World != nil:
		return v.fault("workload: world", at("world"), "world is of the world workload, and workload is %s", v.c.Workload)
	case v.c.World == nil:
		return nil
	case strings.TrimSpace(v.c.World.Villager) == "":
		return v.fault("world: {villager: Ander, at: 1400, profile: villager}", at("world", "villager"), "world names no villager")
	case v.c.World.At < 0:
		return v.fault("", at("world", "at"), "world.at is negative")
	}
	return nil
}

// once asks that nothing is listed twice: the second is a slip of the pen.
func (v *validator) once(key string, list []string, place []any) error {
	for i, x := range list {
		if slices.Contains(list[:i], x) {
			return v.fault("keep one of them", append(place, i), "%s lists %s twice", key, x)
		}
	}
	return nil
}

func either(words []string) string {
	return fmt.Sprintf("%s or %s", strings.Join(words[:len(words)-1], ", "), words[len(words)-1])
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
