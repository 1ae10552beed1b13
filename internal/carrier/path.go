package carrier

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The places of landings in the tree: with a spec, beside it; without, apart.
const (
	landingPlace = ".torve/execution/"
	specPlace    = ".torve/specs/"
	stamp        = "20060102T150405Z"
)

var (
	taskName = regexp.MustCompile(`^[A-Z]+-[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$`)
	specName = regexp.MustCompile(`^S-[0-9]{4,}$`)
)

// ValidTask reports whether a text may be a task's id in a file and its name.
func ValidTask(id string) bool { return len(id) <= 64 && taskName.MatchString(id) }

// LandingPrefixes are the two folders whose listing holds every landing.
func LandingPrefixes() []string { return []string{landingPlace, specPlace} }

// LandingDir is the folder of the landings of tasks with that spec; "" is none.
func LandingDir(spec string) string {
	if spec == "" {
		return landingPlace
	}
	return specPlace + spec + "/execution/"
}

// LandingPath is where a landing stands in the tree. Task, attempt and time are
// in its name, so that a listing says what landed.
func LandingPath(task, spec string, attempt int, at time.Time) string {
	return fmt.Sprintf("%s%s-%d-%s.yaml", LandingDir(spec), task, attempt, at.UTC().Format(stamp))
}

// ParseLandingPath reads a landing's name; ok is false for every path that
// LandingPath does not make.
func ParseLandingPath(path string) (task string, attempt int, at time.Time, ok bool) {
	dir, name, there := LandingPlace(path)
	if !there {
		return "", 0, time.Time{}, false
	}
	rest, isYAML := strings.CutSuffix(name, ".yaml")
	stampAt := strings.LastIndexByte(rest, '-')
	if !isYAML || stampAt < 0 {
		return "", 0, time.Time{}, false
	}
	at, err := time.Parse(stamp, rest[stampAt+1:])
	numberAt := strings.LastIndexByte(rest[:stampAt], '-')
	if err != nil || numberAt < 0 {
		return "", 0, time.Time{}, false
	}
	attempt, err = strconv.Atoi(rest[numberAt+1 : stampAt])
	task = rest[:numberAt]
	if err != nil || attempt < 0 || !ValidTask(task) || LandingPath(task, specOf(dir), attempt, at) != path {
		return "", 0, time.Time{}, false
	}
	return task, attempt, at, true
}

// LandingPlace reports whether a path stands in a folder of landings, whatever
// its name is, and takes it apart.
func LandingPlace(path string) (dir, name string, ok bool) {
	at := strings.LastIndexByte(path, '/') + 1
	dir, name = path[:at], path[at:]
	if dir == landingPlace {
		return dir, name, true
	}
	spec := specOf(dir)
	return dir, name, specName.MatchString(spec) && LandingDir(spec) == dir
}

// specOf is the spec of a folder of landings; "" for the folder of those without.
func specOf(dir string) string {
	if dir == landingPlace {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(dir, specPlace), "/execution/")
}
