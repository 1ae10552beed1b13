package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// attemptOf is an attempt as the record has it.
type attemptOf struct {
	task         string
	n            int
	worktree     string
	end, ref     string
	head, why    string
	judged, over bool
}

// counted are the ends that count against a budget.
var counted = []string{"done", "halted", "time", "idle", "money"}

// attempts are all that the record holds, in order; the record is asked whether it is whole.
func (g *ground) attempts() []attemptOf {
	g.t.Helper()
	var list []attemptOf
	g.check(recorded(context.Background(), g.dsn, filepath.Join(g.dir, ".git/torve/record.db"), func(f fact) error {
		var p struct{ Worktree, End, Ref, Head, Why string }
		at := slices.IndexFunc(list, func(a attemptOf) bool { return a.task == f.task && a.n == f.attempt })
		switch f.kind {
		case "attempt.started":
			list = append(list, attemptOf{task: f.task, n: f.attempt})
			at = len(list) - 1
			err := json.Unmarshal(f.payload, &p)
			list[at].worktree = p.Worktree
			return err
		case "attempt.finished":
			err := json.Unmarshal(f.payload, &p)
			list[at].over, list[at].end, list[at].ref, list[at].head, list[at].why = true, p.End, p.Ref, p.Head, p.Why
			return err
		case "gate.judged":
			list[at].judged = true
		}
		return nil
	}))
	return list
}

// outcome is the end of a story, as far as two tellings of it must agree.
type outcome struct {
	States  map[string]string // by task
	Tree    string            // of the target, whatever the names of the landing files say of time and attempt
	Counted map[string]int    // attempts that count, by task
	Starts  int               // of agents
	Heads   string            // branches that a person has
}

// status is what `torve status --json` says.
type status struct {
	Tasks []struct{ ID, State, Why, Next string }
}

func (g *ground) status() status {
	g.t.Helper()
	var said bytes.Buffer
	cmd := g.command(nil, g.torve, "status", "--json")
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		g.t.Fatalf("torve status --json: %v\n%s%s", err, out, &said)
	}
	var s status
	g.check(json.Unmarshal(out, &s))
	return s
}

// outcome reads it; target is the commit that is asked.
func (g *ground) outcome(target string, attempts []attemptOf) outcome {
	g.t.Helper()
	o := outcome{States: map[string]string{}, Counted: map[string]int{}, Tree: g.landedTree(target)}
	for _, t := range g.status().Tasks {
		o.States[t.ID] = t.State
	}
	for _, a := range attempts {
		if slices.Contains(counted, a.end) {
			o.Counted[a.task]++
		}
	}
	o.Heads = g.git("for-each-ref", "--format=%(refname)", "refs/heads")
	o.Starts = strings.Count(g.read("home/starts"), "\n")
	return o
}

var (
	landingName = regexp.MustCompile(`^\S+ \S+ \S+\t(.*execution/[A-Z]+-[0-9]+)-[0-9]+-[0-9TZ]+\.yaml$`)
	logName     = regexp.MustCompile(`^\S+ \S+ \S+\t(.*/log\.yaml)$`)
)

// landedTree is the tree of a commit, a path and its content a line; of landing files and
// logs, which tell of attempts and times, the path alone.
func (g *ground) landedTree(commit string) string {
	g.t.Helper()
	var lines []string
	for l := range strings.Lines(g.git("ls-tree", "-r", commit)) {
		l = strings.TrimSpace(l)
		for _, told := range []*regexp.Regexp{landingName, logName} {
			if m := told.FindStringSubmatch(l); m != nil {
				l = m[1]
			}
		}
		lines = append(lines, l)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// agree says where two ends differ. What counts, and how often an agent was started, may
// be less after a death, as what an agent had done by then is gone on from; and one start
// more is what the death interrupted.
func (o outcome) agree(undisturbed outcome) []string {
	var faults []string
	if fmt.Sprint(o.States) != fmt.Sprint(undisturbed.States) {
		faults = append(faults, fmt.Sprintf("the states are %v, and without the death they are %v", o.States, undisturbed.States))
	}
	if o.Tree != undisturbed.Tree {
		faults = append(faults, fmt.Sprintf("the target's tree is\n%s\nand without the death it is\n%s", o.Tree, undisturbed.Tree))
	}
	if o.Heads != undisturbed.Heads {
		faults = append(faults, fmt.Sprintf("the branches are\n%s\nand without the death they are\n%s", o.Heads, undisturbed.Heads))
	}
	for task, n := range o.Counted {
		if n > undisturbed.Counted[task] {
			faults = append(faults, fmt.Sprintf("%d attempts of %s count, and without the death %d do", n, task, undisturbed.Counted[task]))
		}
	}
	if o.Starts > undisturbed.Starts+1 {
		faults = append(faults, fmt.Sprintf("agents were started %d times, and without the death %d times", o.Starts, undisturbed.Starts))
	}
	return faults
}

// house says what is not in order: in the record, in git, on the disk, among the processes.
func (g *ground) house(o outcome, attempts []attemptOf) []string {
	g.t.Helper()
	var faults []string
	add := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	refs := g.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/torve") + "\n"
	for _, a := range attempts {
		switch {
		case !a.over:
			add("%s, attempt %d, was started and has no end", a.task, a.n)
		case a.ref == "" && a.why == "":
			add("%s, attempt %d, has no kept tree, and nothing says why", a.task, a.n)
		case a.ref != "" && !strings.Contains(refs, a.ref+" "+a.head+"\n"):
			add("%s does not hold %s", a.ref, a.head)
		}
	}
	for task, state := range o.States {
		if slices.Contains([]string{"claimed", "running", "gated", "reviewed"}, state) {
			add("%s is %s for ever", task, state)
		}
	}
	if r := g.verb("verify"); r.code != 0 {
		add("%v", r)
	}
	faults = append(faults, g.rows(attempts)...)
	faults = append(faults, g.disk(o)...)
	for name, pid := range g.left() {
		add("what the agent of %s left still runs, as process %d", name, pid)
	}
	if r := g.run(nil, "git", "fsck", "--no-dangling", "--no-progress"); r.code != 0 || strings.TrimSpace(r.out) != "" {
		add("%v", r)
	}
	return faults
}

// rows asks that every attempt that is over has just one row of telemetry.
func (g *ground) rows(attempts []attemptOf) []string {
	var faults []string
	have := map[string]int{}
	for l := range strings.Lines(g.read("shop/.torve/telemetry.jsonl")) {
		var row struct {
			Task    string
			Attempt int
		}
		if err := json.Unmarshal([]byte(l), &row); err != nil {
			faults = append(faults, fmt.Sprintf("a row of telemetry does not read: %q", l))
		}
		have[fmt.Sprint(row.Task, " ", row.Attempt)]++
	}
	for _, a := range attempts {
		want := 1
		if a.end == "done" && !a.judged {
			want = 0
		}
		if n := have[fmt.Sprint(a.task, " ", a.n)]; n != want {
			faults = append(faults, fmt.Sprintf("%s, attempt %d (%s), has %d rows of telemetry", a.task, a.n, a.end, n))
		}
	}
	return faults
}

// disk asks that nothing is left on it that has no reason.
func (g *ground) disk(o outcome) []string {
	g.t.Helper()
	var faults []string
	junk, err := filepath.Glob(filepath.Join(g.rooms(), "*/a/junk.log"))
	g.check(err)
	stays := func(name string) bool { // a task that has not landed keeps its rooms and its state
		m := regexp.MustCompile(`^([A-Z]+-[0-9]+)[-.]`).FindStringSubmatch(name)
		return m != nil && o.States[m[1]] != "landed" || slices.ContainsFunc(junk, func(file string) bool { // git ignores it and nobody holds it
			room := filepath.Base(filepath.Dir(filepath.Dir(file)))
			return name == room || name == room+".d" || name == room+".json"
		})
	}
	for _, place := range []string{g.rooms(), filepath.Join(g.dir, ".wt"), filepath.Join(g.dir, ".git/worktrees")} {
		entries, err := os.ReadDir(place)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			g.t.Fatal(err)
		}
		for _, e := range entries {
			if name := e.Name(); name != ".gitignore" && name != "other" && !stays(name) {
				faults = append(faults, "left over: "+filepath.Join(place, name))
			}
		}
	}
	going, err := filepath.Glob(filepath.Join(g.home, "cache/torve/*.going-*"))
	g.check(err)
	for _, folder := range going {
		faults = append(faults, "left over: "+folder)
	}
	_ = filepath.WalkDir(filepath.Join(g.dir, ".git"), func(path string, _ os.DirEntry, err error) error {
		name := filepath.Base(path)
		lock := strings.HasSuffix(name, ".lock") && (filepath.Base(filepath.Dir(path)) != "lock" || strings.HasPrefix(name, "claim-"))
		if err == nil && (lock || strings.HasSuffix(name, ".torve")) {
			faults = append(faults, "left over: "+path)
		}
		return nil
	})
	if out := g.git("status", "--porcelain"); out != "" {
		faults = append(faults, "the checkout is not clean:\n"+out)
	}
	return faults
}

// rooms is the folder of the repository's worktrees.
func (g *ground) rooms() string {
	g.t.Helper()
	found, err := filepath.Glob(filepath.Join(g.home, "state/torve/shop-*"))
	g.check(err)
	if len(found) == 0 {
		return filepath.Join(g.home, "state/torve/shop")
	}
	return found[0]
}

// age makes the halves of files that a death left old enough to be taken for what they are.
func (g *ground) age() {
	g.t.Helper()
	old := time.Now().Add(-time.Hour)
	for _, pattern := range []string{filepath.Join(g.dir, ".wt/.tmp-*"), filepath.Join(g.rooms(), ".*.json.*")} {
		halves, err := filepath.Glob(pattern)
		g.check(err)
		for _, half := range halves {
			g.check(os.Chtimes(half, old, old))
		}
	}
}
