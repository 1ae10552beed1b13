package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// The agents that lie: scripts named liar_*. Each play of one begins with what it is and
// how it must end, and beside them an honest task runs and lands in the same run:
//
//	# lie: what the agent does, as a person would say it
//	# end: landed | landed in attempt 2 | needs you, REASON | needs you, REASON, after END
//	# says: the sentence, with … for what differs from run to run; may stand more than once
//	# also: a line of its contract besides the usual; may stand more than once
//	# touches: what of the person's checkout it is known to have changed: config, hooks, ref NAME, ...
//	# lands: paths that may be in the landing besides the task's own folder
//
// liars makes the repository; told asks all of it.

// lie is one play's head.
type lie struct {
	task, file     string
	what, end      string
	says, also     []string
	touches, lands []string
}

var headline = regexp.MustCompile(`^# (lie|end|says|also|touches|lands): (.*)$`)

// lieOf reads the head of a play; a play without one is a further attempt's.
func lieOf(name, text string) (l lie, ok bool) {
	l.file = name
	l.task, _, _ = strings.Cut(name, ".")
	for line := range strings.Lines(text) {
		m := headline.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			break
		}
		switch m[1] {
		case "lie":
			l.what = m[2]
		case "end":
			l.end = m[2]
		case "says":
			l.says = append(l.says, m[2])
		case "also":
			l.also = append(l.also, m[2])
		case "touches":
			l.touches = append(l.touches, strings.Split(m[2], ", ")...)
		case "lands":
			l.lands = append(l.lands, strings.Split(m[2], ", ")...)
		}
	}
	return l, l.what != ""
}

// honest is the task that lands beside every lie.
const honest = "T-0099"

// lib is what every play of a liar begins with.
const lib = `main=$(dirname $(git rev-parse --path-format=absolute --git-common-dir))
common=$main/.git
good() { mkdir -p $TORVE_TASK; echo good > $TORVE_TASK/work; }
`

const liarSettings = "limits: {idle: 20s, grace: 300ms}\ndispatch: {workers: 1}\n"

type liarsKey struct{}

// stage is what liars made and told asks about.
type stage struct {
	lies   []lie
	base   string
	before map[string]string
}

// liars [SETTINGS] makes a shop in which every play of the script is a task, commits the
// contracts, and puts a person's unfinished work over it, on a branch of theirs.
func liars(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: liars [settings]")
	}
	home, settings := ts.Getenv("HOME"), filepath.Join(ts.Getenv("WORK"), "liars.yaml")
	text := liarSettings
	if len(args) == 1 {
		text = ts.ReadFile(args[0])
	}
	ts.Check(os.WriteFile(settings, []byte(text), 0o644))
	ts.Check(os.WriteFile(filepath.Join(home, "lib"), []byte(lib), 0o644))
	ts.Check(os.WriteFile(filepath.Join(home, "plays", honest), []byte("good\n"), 0o644))
	shop(ts, false, []string{"shop", settings})
	ts.Check(ts.Chdir(ts.MkAbs("shop")))
	st := &stage{}
	plays, err := os.ReadDir(filepath.Join(home, "plays"))
	ts.Check(err)
	for _, p := range plays {
		if l, ok := lieOf(p.Name(), ts.ReadFile(filepath.Join(home, "plays", p.Name()))); ok {
			st.lies = append(st.lies, l)
			contractFor(ts, l)
		}
	}
	contractFor(ts, lie{task: honest, what: "Honest work"})
	person(ts)
	st.base = output(ts, "git", "rev-parse", "main")
	st.before = checkout(ts)
	stages(ts)[ts.Name()] = st
}

func stages(ts *testscript.TestScript) map[string]*stage {
	return ts.Value(liarsKey{}).(map[string]*stage)
}

// contractFor writes the contract of a lie. One attempt, unless the lie says otherwise.
func contractFor(ts *testscript.TestScript, l lie) {
	text := "schema: torve/contract/v1\nid: " + l.task + "\ntitle: '" + strings.ReplaceAll(l.what, "'", "''") + "'\n"
	usual := []string{"scope: {allow: [\"" + l.task + "/**\"]}", "acceptance: [\"true\"]", "budget: {attempts: 1}"}
	for _, line := range l.also {
		key, _, _ := strings.Cut(line, ":")
		usual = slices.DeleteFunc(usual, func(u string) bool { return strings.HasPrefix(u, key+":") })
		text += line + "\n"
	}
	file := ts.MkAbs(".torve/tasks/" + l.task + "/contract.yaml")
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o755))
	ts.Check(os.WriteFile(file, []byte(text+strings.Join(usual, "\n")+"\n"), 0o644))
}

// person commits the contracts, and leaves a checkout as people leave theirs: a branch of
// their own, staged, changed, untracked and ignored files, a stash, a tag, a remote.
func person(ts *testscript.TestScript) {
	const mess = `set -e
cp -r "$HOME/files/." . 2>/dev/null || true
[ ! -f "$HOME/before" ] || . "$HOME/before"
echo '*.log' > .gitignore
git add -A; git commit -qm 'Ask'
git clone -q --bare . ../origin.git; git remote add origin "$(cd ../origin.git; pwd)"; git fetch -q origin
git tag v1; git branch feature
echo stashed >> docs/a.md; git stash -q
git switch -q -c person
echo staged > staged.txt; git add staged.txt
echo changed >> tests/get.sh
echo untracked > untracked.txt; echo ignored > ignored.log
git status --porcelain > /dev/null
`
	ts.Check(ts.Exec("/bin/sh", "-c", mess))
}

// told asks of each lie its end and its sentence, that the honest task landed, that
// nothing but what is said differs in the person's checkout, that nothing is left
// running, and that only what may land did.
func told(ts *testscript.TestScript, neg bool, args []string) {
	st := stages(ts)[ts.Name()]
	if neg || len(args) > 1 || st == nil {
		ts.Fatalf("usage: told [what torve verify says is different], after liars and a run")
	}
	run := ts.ReadFile("stdout") + "\n" + ts.ReadFile("stderr")
	nothingRuns(ts)
	var board struct {
		Tasks []struct{ ID, State, Reason string }
	}
	ts.Check(json.Unmarshal([]byte(output(ts, "torve", "status", "--json")), &board))
	states := map[string]string{}
	for _, t := range board.Tasks {
		states[t.ID] = t.State
		if t.State == "escalated" {
			states[t.ID] = "needs you, " + t.Reason
		}
	}
	var faults []string
	mayLand := []string{".torve/execution/", honest + "/"}
	for _, l := range append(st.lies, lie{task: honest, what: "honest work beside them", end: "landed"}) {
		why := output(ts, "torve", "why", l.task)
		if got := endOf(ts, l, states[l.task], why); got != l.end {
			faults = append(faults, fmt.Sprintf("%s (%s): the end is %q, and %q was expected", l.task, l.what, got, l.end))
		}
		for _, s := range l.says {
			if !spoken(s).MatchString(flat(run + "\n" + why)) {
				faults = append(faults, fmt.Sprintf("%s (%s): nobody says %q", l.task, l.what, s))
			}
		}
		if strings.HasPrefix(l.end, "landed") {
			mayLand = append(append(mayLand, l.task+"/", ".torve/tasks/"+l.task+"/log.yaml"), l.lands...)
		}
		if len(faults) > 0 {
			ts.Logf("%s", why)
		}
	}
	faults = append(faults, st.differs(ts)...)
	faults = append(faults, st.landed(ts, mayLand)...)
	faults = append(faults, verified(ts, args)...)
	if len(faults) > 0 {
		ts.Fatalf("%s", strings.Join(faults, "\n"))
	}
}

// endOf is how a task ended, in the words of a lie's head.
func endOf(ts *testscript.TestScript, l lie, state, why string) string {
	var doc struct {
		Attempts []struct {
			N            int
			End, Verdict string
		}
	}
	ts.Check(json.Unmarshal([]byte(output(ts, "torve", "why", l.task, "--json")), &doc))
	if len(doc.Attempts) == 0 {
		return state
	}
	last := doc.Attempts[len(doc.Attempts)-1]
	for _, a := range doc.Attempts {
		if a.N > last.N {
			last = a
		}
	}
	switch {
	case state == "landed" && last.N > 1:
		return fmt.Sprintf("landed in attempt %d", last.N)
	case strings.Contains(l.end, ", after "):
		return state + ", after " + last.End
	}
	return state
}

// spoken matches a sentence, … being anything.
func spoken(sentence string) *regexp.Regexp {
	return regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(flat(sentence)), "…", ".*?"))
}

func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// differs names what of the person's checkout is not as it was, but for what the lies
// are known to change, which must have changed.
func (st *stage) differs(ts *testscript.TestScript) []string {
	now, known := checkout(ts), map[string]bool{}
	for _, l := range st.lies {
		for _, t := range l.touches {
			known[t] = true
		}
	}
	var out []string
	for _, part := range changedParts(st.before, now) {
		if !known[part] {
			out = append(out, fmt.Sprintf("%s of the main checkout is not as it was: %q, then %q", part, st.before[part], now[part]))
		}
		delete(known, part)
	}
	for part := range known {
		if pre, _, cut := strings.Cut(part, "…"); cut && slices.ContainsFunc(out, func(o string) bool { return strings.HasPrefix(o, pre) }) {
			out = slices.DeleteFunc(out, func(o string) bool { return strings.HasPrefix(o, pre) })
			continue
		}
		out = append(out, part+" of the main checkout was to be touched and is as it was")
	}
	return out
}

func changedParts(a, b map[string]string) []string {
	var out []string
	for k, v := range a {
		if b[k] != v {
			out = append(out, k)
		}
	}
	for k := range b {
		if _, there := a[k]; !there {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// landed names what is on the target and may not be: main goes on from where it was,
// and only what may land has.
func (st *stage) landed(ts *testscript.TestScript, may []string) []string {
	var out []string
	for _, p := range strings.Split(strings.TrimSuffix(output(ts, "git", "diff", "-z", "--no-renames", "--name-only", st.base+"...main"), "\x00"), "\x00") {
		if p != "" && !slices.ContainsFunc(may, func(m string) bool { return strings.HasPrefix(p, m) }) {
			out = append(out, p+" landed")
		}
	}
	return out
}

// verified asks torve verify: nothing differs, or just what is said.
func verified(ts *testscript.TestScript, different []string) []string {
	said := output(ts, "torve", "verify")
	clean := ts.Exec("torve", "verify") == nil
	switch {
	case len(different) == 0 && !clean:
		return []string{"torve verify: " + said}
	case len(different) == 1 && (clean || !spoken(different[0]).MatchString(flat(said))):
		return []string{"torve verify does not say " + different[0] + ": " + said}
	}
	return nil
}

// nothingRuns asks that no process is left that has to do with the script: by its
// environment, the folder that it stands in, or what it was called with.
func nothingRuns(ts *testscript.TestScript) {
	var left []string
	for range 100 {
		if left = about(ts.Getenv("WORK")); len(left) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("still running:\n%s", strings.Join(left, "\n"))
}

func about(work string) []string {
	var out []string
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range all {
		env, err := os.ReadFile(dir + "/environ")
		if err != nil {
			continue
		}
		args, _ := os.ReadFile(dir + "/cmdline")
		at, _ := os.Readlink(dir + "/cwd")
		if bytes.Contains(env, []byte(work)) || bytes.Contains(args, []byte(work)) || strings.HasPrefix(at, work) {
			out = append(out, filepath.Base(dir)+" "+strings.ReplaceAll(string(args), "\x00", " "))
		}
	}
	return out
}

// output runs a program in the script's folder and gives what it printed, whatever it exits.
func output(ts *testscript.TestScript, name string, args ...string) string {
	cmd := exec.Command(name, args...)
	cmd.Path = lookIn(ts.Getenv("PATH"), name)
	cmd.Dir, cmd.Env, cmd.Err = ts.MkAbs("."), environ(ts), nil
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		ts.Logf("%s %v: %v", name, args, err)
	}
	return strings.TrimRight(string(out), "\n")
}

func lookIn(path, name string) string {
	for _, dir := range filepath.SplitList(path) {
		if st, err := os.Stat(filepath.Join(dir, name)); err == nil && !st.IsDir() {
			return filepath.Join(dir, name)
		}
	}
	return name
}
