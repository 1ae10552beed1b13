package gate

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

func makefile(base string) bool {
	switch base {
	case "Makefile", "makefile", "GNUmakefile":
		return true
	}
	return path.Ext(base) == ".mk"
}

// makeTargets are the targets that the lines make and whose meaning differs:
// their recipes, what they depend on, and the variables that these name.
func makeTargets(before, after []byte, cmds [][]string) []string {
	goals, runsMake := makeGoals(cmds)
	if !runsMake {
		return nil
	}
	was, now := parseMake(string(before)), parseMake(string(after))
	var changed []string
	for _, goal := range goals {
		name := goal
		if goal == "" {
			name = was.first
			if name == "" || was.first != now.first {
				changed = append(changed, "the first target")
				continue
			}
		}
		if was.meaning(name) != now.meaning(name) {
			changed = append(changed, "target "+name)
		}
	}
	return changed
}

// makeGoals are the targets named to make; "" is the first target of the file.
func makeGoals(cmds [][]string) (goals []string, runsMake bool) {
	for _, words := range cmds {
		if prog := path.Base(words[0]); prog != "make" && prog != "gmake" {
			continue
		}
		runsMake = true
		n := len(goals)
		for i := 1; i < len(words); i++ {
			switch w := words[i]; {
			case slices.Contains([]string{"-C", "-f", "-I", "-o", "-W", "-j", "-l"}, w):
				if i+1 < len(words) && (w != "-j" && w != "-l" || isNumber(words[i+1])) {
					i++
				}
			case strings.HasPrefix(w, "-") || assigns(w) || w == "":
			default:
				goals = append(goals, w)
			}
		}
		if len(goals) == n {
			goals = append(goals, "")
		}
	}
	return goals, runsMake
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789.") == "" }

// rules is what a makefile says, target by target.
type rules struct {
	first  string
	needs  map[string][]string
	recipe map[string][]string
	vars   map[string][]string
	always []string // what bears on every target: includes, exports, the shell
}

var (
	makeVar = regexp.MustCompile(`^(export\s+|override\s+|define\s+)*([A-Za-z0-9_.-]+)\s*(\?=|\+=|:{0,3}=|!=)\s*(.*)$`)
	makeRef = regexp.MustCompile(`\$[({]([A-Za-z0-9_.-]+)`)
)

func parseMake(text string) rules {
	r := rules{needs: map[string][]string{}, recipe: map[string][]string{}, vars: map[string][]string{}}
	var open []string // the targets whose recipe is being read
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\\\n", " ")
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "\t") {
			for _, t := range open {
				r.recipe[t] = append(r.recipe[t], strings.TrimSpace(line))
			}
			continue
		}
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			open = r.line(line, open)
		}
	}
	return r
}

// line reads one line that is no recipe and gives the targets that it opens.
func (r *rules) line(line string, open []string) []string {
	word, _, _ := strings.Cut(line, " ")
	if m := makeVar.FindStringSubmatch(line); m != nil {
		r.vars[m[2]] = append(r.vars[m[2]], m[3]+m[4])
		if strings.HasPrefix(line, "export") || slices.Contains([]string{"SHELL", ".SHELLFLAGS", "MAKEFLAGS"}, m[2]) {
			r.always = append(r.always, line)
		}
		if m[2] == ".DEFAULT_GOAL" {
			r.first = m[4]
		}
		return nil
	}
	targets, rest, isRule := strings.Cut(line, ":")
	if !isRule || strings.HasSuffix(word, "include") {
		if strings.HasSuffix(word, "include") || word == "export" {
			r.always = append(r.always, line)
		}
		return open // a conditional stands inside a recipe too
	}
	needs, recipe, inline := strings.Cut(strings.TrimPrefix(rest, ":"), ";")
	for _, t := range strings.Fields(targets) {
		if r.first == "" && !strings.HasPrefix(t, ".") && !strings.Contains(t, "%") {
			r.first = t
		}
		r.needs[t] = append(r.needs[t], strings.Fields(needs)...)
		if inline {
			r.recipe[t] = append(r.recipe[t], strings.TrimSpace(recipe))
		}
	}
	return strings.Fields(targets)
}

// meaning is everything that decides what making a target does, as one text.
func (r rules) meaning(target string) string {
	var b strings.Builder
	seen := map[string]bool{}
	var refer func(text string)
	refer = func(text string) {
		for _, m := range makeRef.FindAllStringSubmatch(text, -1) {
			if name := m[1]; !seen["$"+name] {
				seen["$"+name] = true
				value := strings.Join(r.vars[name], " ")
				b.WriteString("$" + name + "=" + value + "\n")
				refer(value)
			}
		}
	}
	var visit func(t string)
	visit = func(t string) {
		if seen[t] {
			return
		}
		seen[t] = true
		needs, recipe := strings.Join(r.needs[t], " "), strings.Join(r.recipe[t], "\n")
		b.WriteString(t + ": " + needs + "\n" + recipe + "\n")
		refer(needs + "\n" + recipe)
		for _, n := range r.needs[t] {
			if _, there := r.needs[n]; there {
				visit(n)
			}
		}
		for _, goal := range again(recipe) {
			if _, there := r.needs[goal]; there {
				visit(goal)
			}
		}
	}
	for _, t := range []string{target, ".EXPORT_ALL_VARIABLES", ".ONESHELL", ".SILENT", ".IGNORE"} {
		visit(t)
	}
	always := strings.Join(r.always, "\n")
	refer(always)
	return b.String() + always
}

// again are the targets that a recipe makes by calling make itself.
func again(recipe string) []string {
	recipe = strings.NewReplacer("$(MAKE)", "make", "${MAKE}", "make", "@", "").Replace(recipe)
	goals, _ := makeGoals(commands(recipe))
	return goals
}
