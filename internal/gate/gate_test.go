package gate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"torve/internal/contract"
	"torve/internal/seam"
)

const (
	baseID  = "9c41e07aa0b1c2d3e4f5061728394a5b6c7d8e9f"
	minted  = "1f3c9abaa0b1c2d3e4f5061728394a5b6c7d8e9f1f3c9abaa0b1c2d3e4f50617"
	inForce = "9ab2e1faa0b1c2d3e4f5061728394a5b6c7d8e9f1f3c9abaa0b1c2d3e4f50617"
)

var repository = Repository{Secrets: true, SecretsAllow: []string{"testdata/**"}}

// good is a proposal and a reading that every check accepts.
func good() (Proposal, Reading) {
	c := contract.Default()
	c.ID, c.Title = "T-0001", "Answer 404"
	c.Scope.Allow = []string{"internal/**", "x.go"}
	c.Scope.Deny = []string{"internal/secret/**"}
	c.Acceptance = []string{"go vet ./...", "go test ./..."}
	p := Proposal{
		Contract: c, Digest: minted, Base: baseID,
		Changes: []Change{
			{Path: "internal/a.go", Verb: Modify, Added: 10, Removed: 2, InBase: true},
			{Path: "x.go", Verb: Modify, Added: 3, Removed: 3, InBase: true},
			{Path: "internal/b.go", Verb: Add, Added: 20},
		},
		Report: &Report{Task: "T-0001"},
		Known:  []string{"T-0003"},
	}
	r := Reading{
		Target: "main", Head: baseID, OnTarget: true, InForce: minted, Since: 2, Planned: 2,
		Runs: []Ran{{Line: "go vet ./...", Tests: -1, Seconds: 1}, {Line: "go test ./...", Tests: 41, Seconds: 0.84}},
	}
	return p, r
}

func terms() Terms { return Terms{Law: repository, Stale: 200} }

func arrive(p Proposal, r Reading, t Terms) (seam.Verdict, int) {
	v, n, _ := Code(t).Arrive(p, func() (Reading, error) { return r, nil })
	return v, n
}

func TestAProposalThatKeepsEveryRuleIsAccepted(t *testing.T) {
	p, r := good()
	if v, n := arrive(p, r, terms()); !v.OK || n != 6 {
		t.Fatalf("Arrive = %s after %d", v, n)
	}
	want := map[seam.Check]string{
		seam.OnShape:     "3 changes",
		seam.OnVerb:      "2 modify, 1 add; 38 lines",
		seam.OnGrounding: "all in the tree it was given",
		seam.OnLaw:       "scope, protected paths, secrets, tests",
		seam.OnReach:     "go vet ./... 1.0 s, tests: not counted; go test ./... 0.8 s, 41 tests",
		seam.OnFreshness: "2 commits touched its scope since, the cap is 200",
	}
	for _, c := range seam.Checks {
		if got := Saw(c, p, terms(), r); got != want[c] {
			t.Errorf("%s saw %q, want %q", c, got, want[c])
		}
	}
}

// refusals are every sentence of the five checks that need no graded rows.
var refusals = []struct {
	name  string
	check seam.Check
	want  string
	how   func(*Proposal, *Reading)
}{
	{"a broken report", seam.OnShape, "not the shape asked for: line 1: not JSON",
		func(p *Proposal, _ *Reading) { p.Report = &Report{Fault: "line 1: not JSON"} }},
	{"a halt", seam.OnShape, "not the shape asked for: the report says halted, and a halt is no proposal",
		func(p *Proposal, _ *Reading) { p.Report.Halted = true }},
	{"an action of no list", seam.OnShape, `not the shape asked for: entry 1 has the action "ignored", and an action is upheld, departed, decided or halted`,
		func(p *Proposal, _ *Reading) { p.Report.Entries = []Entry{{Decision: "T-0003", Action: "ignored"}} }},
	{"an entry of no decision", seam.OnShape, "not the shape asked for: entry 1 names no decision",
		func(p *Proposal, _ *Reading) { p.Report.Entries = []Entry{{Action: "upheld"}} }},
	{"an unlisted decision without a proposal", seam.OnShape, "not the shape asked for: entry 1 is of an unlisted decision and proposes nothing",
		func(p *Proposal, _ *Reading) { p.Report.Entries = []Entry{{Decision: Unlisted, Action: "decided"}} }},
	{"another task", seam.OnShape, "the report answers for T-0002, and the task is T-0001",
		func(p *Proposal, _ *Reading) { p.Report.Task = "T-0002" }},
	{"no task", seam.OnShape, "the report answers for no task, and the task is T-0001",
		func(p *Proposal, _ *Reading) { p.Report.Task = "" }},
	{"no changes", seam.OnShape, "an attempt of no changes",
		func(p *Proposal, _ *Reading) { p.Changes = nil }},
	{"too many changes", seam.OnShape, "an attempt of 612 changes, and the cap is 500",
		func(p *Proposal, _ *Reading) { p.Changes = make([]Change, 612) }},

	{"a verb of no contract", seam.OnVerb, `change 3: "symlink" is not a verb this contract allows`,
		func(p *Proposal, _ *Reading) { p.Changes[2].Verb = Symlink }},
	{"a verb of no table", seam.OnVerb, `change 1: "rename" is not a verb this contract allows`,
		func(p *Proposal, _ *Reading) {
			p.Changes[0].Verb = "rename"
			p.Contract.Verbs = append(p.Contract.Verbs, "rename")
		}},
	{"a verb that the contract leaves out", seam.OnVerb, `change 1: "modify" is not a verb this contract allows`,
		func(p *Proposal, _ *Reading) { p.Contract.Verbs = []string{Add} }},
	{"a mode that changes besides", seam.OnVerb, `change 2: "mode" is not a verb this contract allows`,
		func(p *Proposal, _ *Reading) {
			p.Changes[1].Remode, p.Contract.Verbs = true, []string{Add, Modify}
		}},
	{"too many lines", seam.OnVerb, "the changes span 7310 lines, and the horizon is 5000",
		func(p *Proposal, _ *Reading) { p.Changes[0].Added = 7310 - 28 }},

	{"an ungrounded path", seam.OnGrounding, "change 2 modifies x.go, which is not in the tree it was given (9c41e07)",
		func(p *Proposal, _ *Reading) { p.Changes[1].InBase = false }},
	{"an ungrounded delete", seam.OnGrounding, "change 2 deletes x.go, which is not in the tree it was given (9c41e07)",
		func(p *Proposal, _ *Reading) { p.Changes[1].InBase, p.Changes[1].Verb = false, Delete }},
	{"an ungrounded mode", seam.OnGrounding, "change 2 changes the mode of x.go, which is not in the tree it was given (9c41e07)",
		func(p *Proposal, _ *Reading) { p.Changes[1].InBase, p.Changes[1].Verb = false, Mode }},
	{"a path that was not in the pack", seam.OnGrounding, "change 2 modifies x.go, which is not in the pack it was given (internal/a.go)",
		func(p *Proposal, _ *Reading) { p.Pack = map[string]bool{"internal/a.go": true} }},
	{"a path through a link", seam.OnGrounding, "change 3: internal/b.go leaves the tree: through the link internal",
		func(p *Proposal, _ *Reading) { p.Changes[2].Escapes = "through the link internal" }},
	{"a path upwards", seam.OnGrounding, `change 3: internal/../../b.go leaves the tree: it goes through ".."`,
		func(p *Proposal, _ *Reading) { p.Changes[2].Path = "internal/../../b.go" }},
	{"a path at the root", seam.OnGrounding, "change 3: /etc/passwd leaves the tree: it begins at the root",
		func(p *Proposal, _ *Reading) { p.Changes[2].Path = "/etc/passwd" }},
	{"git's folder", seam.OnGrounding, "change 3: internal/.GIT/config leaves the tree: it goes into git's own folder",
		func(p *Proposal, _ *Reading) { p.Changes[2].Path = "internal/.GIT/config" }},
	{"a dependency not given", seam.OnGrounding, "the report leans on T-0009, which was not given to it (given: T-0003)",
		func(p *Proposal, _ *Reading) { p.Report.LeansOn = []string{"T-0003", "T-0009"} }},
	{"a decision not given", seam.OnGrounding, "entry 1 cites S-0001/D-9, which was not given to it (given: nothing)",
		func(p *Proposal, _ *Reading) {
			p.Known = nil
			p.Report.Entries = []Entry{{Decision: "S-0001/D-9", Action: "upheld"}}
		}},

	{"a failed line", seam.OnReach, "go test ./... exited 1: --- FAIL: TestUnknown",
		func(_ *Proposal, r *Reading) {
			r.Runs[1] = Ran{Line: "go test ./...", Why: "exited 1", Exit: 1, Last: "--- FAIL: TestUnknown"}
		}},
	{"a failed line that the reading calls green", seam.OnReach, "go vet ./... exited 2: oops",
		func(_ *Proposal, r *Reading) { r.Runs[0] = Ran{Line: "go vet ./...", Exit: 2, Last: "oops", Tests: -1} }},
	{"a line over its time", seam.OnReach, "go test ./... did not end within 10m",
		func(_ *Proposal, r *Reading) {
			r.Runs[1].Why, r.Runs[1].Last = Why("go test ./...", -1, -1, 10*time.Minute), "ok"
		}},
	{"a line that is not there", seam.OnReach, "vitest run is not there: sh: vitest: not found",
		func(_ *Proposal, r *Reading) {
			r.Runs[1] = Ran{Line: "vitest run", Why: Why("vitest run", 127, -1, 0), Exit: 127, Last: "sh: vitest: not found"}
		}},
	{"a runner that ran nothing", seam.OnReach, "go test ./... ran no test",
		func(_ *Proposal, r *Reading) { r.Runs[1].Tests = 0 }},
	{"a line that was ended", seam.OnReach, "go test ./... did not exit by itself",
		func(_ *Proposal, r *Reading) { r.Runs[1].Exit = -1 }},
	{"a line that was not run", seam.OnReach, "go test ./... was not run",
		func(_ *Proposal, r *Reading) { r.Runs = r.Runs[:1] }},
	{"a repository's line that was not run", seam.OnReach, "acceptance line 3 of 3 was not run",
		func(_ *Proposal, r *Reading) { r.Planned = 3 }},
	{"no line at all", seam.OnReach, "there is no acceptance line, and what was not run is not green",
		func(_ *Proposal, r *Reading) { r.Runs, r.Planned = nil, 0 }},
	{"no money, asked first", seam.OnReach, "$5.02 is spent, and the budget is $5.00",
		func(_ *Proposal, r *Reading) {
			r.Money = "$5.02 is spent, and the budget is $5.00"
			r.Runs[0].Exit = 1
		}},

	{"a base that is gone", seam.OnFreshness, "asked at 9c41e07, which is no longer on main",
		func(_ *Proposal, r *Reading) { r.OnTarget, r.InForce = false, inForce }},
	{"another contract", seam.OnFreshness, "minted as 1f3c9ab, and the contract in force is 9ab2e1f",
		func(_ *Proposal, r *Reading) { r.InForce, r.Conflicts = inForce, []string{"x.go"} }},
	{"no contract in force", seam.OnFreshness, "minted as 1f3c9ab, and no contract is in force",
		func(_ *Proposal, r *Reading) { r.InForce = "" }},
	{"a conflict", seam.OnFreshness, "change 2 names x.go, which has changed since and does not merge",
		func(_ *Proposal, r *Reading) { r.Conflicts, r.Since = []string{"x.go"}, 201 }},
	{"a conflict beside the changes", seam.OnFreshness, "y.go has changed since and does not merge",
		func(_ *Proposal, r *Reading) { r.Conflicts = []string{"y.go"} }},
	{"staleness", seam.OnFreshness, "asked at 9c41e07, and 201 commits have touched its scope since: the cap is 200",
		func(_ *Proposal, r *Reading) { r.Since, r.Unlanded = 201, []string{"T-0003"} }},
	{"a dependency", seam.OnFreshness, "the task depends on T-0003, which is not landed",
		func(_ *Proposal, r *Reading) { r.Unlanded = []string{"T-0003"} }},
}

func TestEveryRefusalHasItsSentence(t *testing.T) {
	for _, c := range refusals {
		t.Run(c.check+"/"+c.name, func(t *testing.T) {
			p, r := good()
			c.how(&p, &r)
			v, n := arrive(p, r, terms())
			if v.OK || v.Failed != c.check || v.Reason != c.want {
				t.Errorf("got  %s\nwant refused by %s: %s", v, c.check, c.want)
			}
			if want := slices.Index(seam.Checks[:], c.check) + 1; n != want {
				t.Errorf("asked %d, want %d: a refusal means that the earlier checks said yes", n, want)
			}
		})
	}
}

func TestTheFirstNoWinsWhateverElseIsWrong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		picked := rapid.SliceOfNDistinct(rapid.IntRange(0, len(refusals)-1), 1, 4, rapid.ID).Draw(t, "faults")
		p, r := good()
		for _, i := range picked {
			if len(p.Changes) < 3 || len(p.Changes) > 3 || p.Report == nil || len(r.Runs) < 2 {
				continue // an earlier fault took away what this one edits
			}
			refusals[i].how(&p, &r)
		}
		before := fmt.Sprint(p.Changes)
		v, n := arrive(p, r, terms())
		if v.OK {
			t.Fatalf("accepted with faults %v", picked)
		}
		for i, c := range seam.Checks[:n-1] {
			if w := Code(terms()).Run(c, p, r); !w.OK {
				t.Fatalf("refused by %s, and check %d %s says %s", v.Failed, i+1, c, w)
			}
		}
		if after := fmt.Sprint(p.Changes); after != before {
			t.Fatal("a refusal refuses the whole: the changes were trimmed")
		}
	})
}

func TestACapOfZeroIsNoLimit(t *testing.T) {
	p, r := good()
	p.Contract.Budget = contract.Budget{}
	p.Changes[0].Added = 1_000_000
	for len(p.Changes) < 1000 {
		p.Changes = append(p.Changes, Change{Path: fmt.Sprintf("internal/n%d.go", len(p.Changes)), Verb: Add, Added: 1})
	}
	r.Since = 100_000
	if v, _ := arrive(p, r, Terms{Law: repository}); !v.OK {
		t.Error(v)
	}
}

func TestWhatIsNotCountedIsNoPartOfTheHorizon(t *testing.T) {
	p, r := good()
	p.Changes[2] = Change{Path: "internal/package-lock.json", Verb: Add, Added: 9000, Uncounted: true}
	if v, _ := arrive(p, r, terms()); !v.OK {
		t.Error(v)
	}
	if got := Saw(seam.OnVerb, p, terms(), r); got != "2 modify, 1 add; 18 lines, 1 uncounted" {
		t.Errorf("saw %q", got)
	}
}

func TestSymlinksAndSubmodulesComeOnlyWhereTheContractListsThem(t *testing.T) {
	p, r := good()
	p.Changes[2].Verb = Symlink
	p.Contract.Verbs = append(p.Contract.Verbs, Symlink)
	if v, _ := arrive(p, r, terms()); !v.OK {
		t.Error(v)
	}
}

func TestAtMostTwelveNamesArePrinted(t *testing.T) {
	p, r := good()
	p.Pack = map[string]bool{}
	for i := range 4222 {
		p.Pack[fmt.Sprintf("p%04d.go", i)] = true
	}
	v, _ := arrive(p, r, terms())
	if !strings.HasSuffix(v.Reason, "p0010.go, p0011.go and 4210 more)") {
		t.Errorf("reason = %s", v.Reason)
	}
}

func TestAnAddedPathIsNoIdentity(t *testing.T) {
	p, r := good()
	p.Pack = map[string]bool{"internal/a.go": true, "x.go": true} // internal/b.go is added
	if v, _ := arrive(p, r, terms()); !v.OK {
		t.Error(v)
	}
	if got := Saw(seam.OnGrounding, p, terms(), r); got != "all in the pack it was given" {
		t.Errorf("saw %q", got)
	}
}

func TestAConflictWhenDueBelongsToFreshnessAlone(t *testing.T) {
	p, r := good()
	r.Runs, r.Conflicts = nil, []string{"x.go"} // no merged tree, so nothing could be run
	v := Code(terms()).Due(1, p, r)
	if v.Failed != seam.OnFreshness {
		t.Errorf("due = %s, want it refused by freshness", v)
	}
	if v, _ := arrive(p, r, terms()); v.Failed != seam.OnReach {
		t.Errorf("on arrival what was not run is not green: %s", v)
	}
}

func TestWithoutAContractTheRepositorysOwnLawIsAskedAlone(t *testing.T) {
	p, r := good()
	p.Contract, p.Digest, p.Report = contract.Contract{}, "", nil
	p.Changes[0].Path = ".torve/tasks/T-0001/contract.yaml" // a person may
	p.Changes[1].Path, p.Changes[1].Verb = ".github/x.yml", Symlink
	r.InForce, r.OnTarget, r.Since = "", false, 900
	if v, _ := arrive(p, r, terms()); !v.OK {
		t.Fatal(v)
	}
	for _, c := range []seam.Check{seam.OnVerb, seam.OnFreshness} {
		if NotAsked(c, p, r) == "" {
			t.Errorf("%s says that it was asked", c)
		}
	}
	if why := NotAsked(seam.OnReach, p, r); why != "" {
		t.Errorf("acceptance was run, and it says %q", why)
	}
	if NotAsked(seam.OnReach, p, Reading{}) == "" {
		t.Error("nothing was run, and reach says that it was asked")
	}
	if got := Saw(seam.OnLaw, p, terms(), r); got != "secrets, tests, no contract: scope and decisions are not asked" {
		t.Errorf("the law saw %q", got)
	}
	p.Changes[2] = Change{Path: "get_test.go", Verb: Delete, InBase: true}
	if v, _ := arrive(p, r, terms()); v.Reason != "change 3: get_test.go is deleted, and the contract keeps tests" {
		t.Error(v)
	}
}

func TestAHundredThousandChangesAreAskedInSeconds(t *testing.T) {
	p, r := good()
	p.Contract.Budget = contract.Budget{}
	p.Rows = []Row{{ID: "S-0001/D-1", Grade: Assumed, Paths: []string{"nowhere/**"}}, {ID: "S-0001/D-2", Grade: Open, Paths: []string{"*.rs"}}}
	for i := range 100_000 {
		p.Changes = append(p.Changes, Change{Path: fmt.Sprintf("internal/d%d/f%d.go", i%300, i), Verb: Add, Added: 1, AddedLines: []Line{{1, "package d"}}})
	}
	for _, ch := range p.Changes {
		r.Conflicts = append(r.Conflicts, ch.Path+"~")
	}
	began := time.Now()
	v, _ := arrive(p, r, terms())
	if v.Failed != seam.OnFreshness {
		t.Error(v)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("took %s", took)
	}
}

func TestACapIsTheLastThatIsAllowed(t *testing.T) {
	for name, how := range map[string]func(*Proposal, *Reading){
		"changes": func(p *Proposal, _ *Reading) { p.Contract.Budget.Changes = len(p.Changes) },
		"lines":   func(p *Proposal, _ *Reading) { p.Contract.Budget.Lines = Lines(p.Changes) },
		"commits": func(_ *Proposal, r *Reading) { r.Since = 200 },
	} {
		p, r := good()
		how(&p, &r)
		if v, _ := arrive(p, r, terms()); !v.OK {
			t.Errorf("%s: at its cap it is %s", name, v)
		}
	}
	if got := names(strings.Fields("a b c d e f g h i j k l")); got != "a, b, c, d, e, f, g, h, i, j, k, l" {
		t.Errorf("twelve names are printed as %s", got)
	}
}

func TestAContractThatListsNoVerbsAllowsThoseOfTheTable(t *testing.T) {
	p, r := good()
	p.Contract.Verbs = nil
	if v, _ := arrive(p, r, terms()); !v.OK {
		t.Error(v)
	}
	p.Changes[2].Verb = Symlink
	if v, _ := arrive(p, r, terms()); v.Failed != seam.OnVerb {
		t.Errorf("a symlink is %s", v)
	}
}

func TestOneCommitIsSaidAsOne(t *testing.T) {
	p, r := good()
	r.Since = 1
	if got := Saw(seam.OnFreshness, p, terms(), r); got != "1 commit touched its scope since, the cap is 200" {
		t.Errorf("saw %q", got)
	}
	r.Since = 2
	if v, _ := arrive(p, r, Terms{Law: repository, Stale: 1}); v.Reason != "asked at 9c41e07, and 2 commits have touched its scope since: the cap is 1" {
		t.Error(v)
	}
}
