package carrier

import (
	"fmt"
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

// ValidTask reports whether a text may be a task's id in a file and its name: capitals, a
// hyphen, and words of letters and digits with a hyphen or an underscore between them.
func ValidTask(id string) bool {
	letters, words, is := strings.Cut(id, "-")
	if !is || letters == "" || len(id) > 64 || strings.Trim(letters, capitals) != "" {
		return false
	}
	between := true
	for i := range len(words) {
		c := words[i]
		if c == '-' || c == '_' {
			if between {
				return false
			}
			between = true
			continue
		}
		if c|0x20 < 'a' || c|0x20 > 'z' {
			if c < '0' || c > '9' {
				return false
			}
		}
		between = false
	}
	return !between
}

const (
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits   = "0123456789"
)

// validSpec reports whether a text is a specification's id, as S-0001.
func validSpec(id string) bool {
	number, is := strings.CutPrefix(id, "S-")
	return is && len(number) >= 4 && strings.Trim(number, digits) == ""
}

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
	_, name, there := LandingPlace(path)
	if !there {
		return "", 0, time.Time{}, false
	}
	rest, isYAML := strings.CutSuffix(name, ".yaml")
	stampAt := strings.LastIndexByte(rest, '-')
	if !isYAML || stampAt < 0 {
		return "", 0, time.Time{}, false
	}
	at, isTime := parseStamp(rest[stampAt+1:])
	numberAt := strings.LastIndexByte(rest[:stampAt], '-')
	if !isTime || numberAt < 0 {
		return "", 0, time.Time{}, false
	}
	number := rest[numberAt+1 : stampAt]
	attempt, err := strconv.Atoi(number)
	task = rest[:numberAt]
	// What time and number read as, they must be written as: LandingPath makes one path of them.
	if err != nil || attempt < 0 || strconv.Itoa(attempt) != number || !ValidTask(task) {
		return "", 0, time.Time{}, false
	}
	return task, attempt, at, true
}

// parseStamp reads a time as LandingPath writes it. A listing holds ten thousand, and the
// general reader is four times as slow.
func parseStamp(text string) (time.Time, bool) {
	if len(text) != len(stamp) || text[8] != 'T' || text[15] != 'Z' {
		return time.Time{}, false
	}
	is := true
	two := func(i int) int {
		a, b := text[i]-'0', text[i+1]-'0'
		is = is && a <= 9 && b <= 9
		return int(a)*10 + int(b)
	}
	year, month, day := two(0)*100+two(2), two(4), two(6)
	hour, minute, second := two(9), two(11), two(13)
	at := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	y, m, d := at.Date()
	// What is past its month or its day would be another time.
	return at, is && y == year && int(m) == month && d == day && hour < 24 && minute < 60 && second < 60
}

// LandingPlace reports whether a path stands in a folder of landings, whatever
// its name is, and takes it apart.
func LandingPlace(path string) (dir, name string, ok bool) {
	at := strings.LastIndexByte(path, '/') + 1
	dir, name = path[:at], path[at:]
	if dir == landingPlace {
		return dir, name, true
	}
	if !strings.HasPrefix(dir, specPlace) {
		return dir, name, false
	}
	spec := specOf(dir)
	return dir, name, validSpec(spec) && LandingDir(spec) == dir
}

// specOf is the spec of a folder of landings; "" for the folder of those without.
func specOf(dir string) string {
	if dir == landingPlace {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(dir, specPlace), "/execution/")
}
