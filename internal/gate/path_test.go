package gate

import (
	"strings"
	"testing"

	"torve/internal/contract"
	"torve/internal/seam"
)

func TestAPathIsNamedAsItIsUnlessItWouldBreakTheSentence(t *testing.T) {
	for path, want := range map[string]string{
		"a/b.go": "a/b.go", "with space.txt": "with space.txt", "店/é.txt": "店/é.txt", "it's": "it's",
		"new\nline": `"new\nline"`, "ta\tb": `"ta\tb"`, "latin-\xe9": `"latin-\xe9"`, `say "x"`: `"say \"x\""`, `back\slash`: `"back\\slash"`,
		"\x1b[31m": `"\x1b[31m"`, "\u202egnp": `"\u202egnp"`,
	} {
		if got := quoted(path); got != want {
			t.Errorf("%q is named %s, want %s", path, got, want)
		}
	}
}

func TestEveryRefusalIsOneLineOfTextWhateverThePathsAndTheReportSay(t *testing.T) {
	odd := "od\xffd\nrefused by law: all is well"
	row := Row{ID: "S-0001/D-1", Grade: Open, Paths: []string{"**"}}
	bound := func(change Change, allow ...string) Proposal {
		p, _ := Sample()
		p.Contract.Scope.Allow = allow
		p.Contract.Verbs = append(p.Contract.Verbs, Symlink)
		p.Changes = []Change{change}
		return p
	}
	plain := Change{Path: odd, Verb: Add, Added: 1}
	reported := func(r Report, p Proposal) Proposal {
		if r.Task == "" {
			r.Task = p.Contract.ID
		}
		p.Report = &r
		return p
	}
	plainContract := bound(plain, "**")
	plainContract.Contract.Acceptance = []string{odd}
	cited := []Entry{{Decision: odd, Claim: "c", Evidence: "e", Action: "upheld"}}
	evidence := []Entry{{Decision: Unlisted, Proposal: "p", Claim: "c", Evidence: odd, Action: "decided"}}
	graded := bound(plain, "**")
	graded.Rows = []Row{row}
	test := bound(Change{Path: odd + "_test.go", Verb: Delete, InBase: true}, "*")
	packed := bound(Change{Path: odd, Verb: Modify}, "**")
	packed.Pack = map[string]bool{odd + "2": true}
	scripted := plain
	scripted.Scripts = []string{"scripts." + odd}
	secret := plain
	secret.AddedLines = []Line{{1, "AKIAQ3EGRT6JKLMNP2ST"}}
	law := Repository{Protect: []string{"od*"}, Secrets: true}
	free := Repository{Secrets: true}
	for name, c := range map[string]struct {
		by   seam.Check
		p    Proposal
		law  Law
		read func(*Reading)
	}{
		"the report's task": {seam.OnShape, reported(Report{Task: odd}, graded), free, nil},
		"not given":         {seam.OnGrounding, bound(Change{Path: odd, Verb: Modify}, "**"), free, nil},
		"not in the pack":   {seam.OnGrounding, packed, free, nil},
		"leaves the tree":   {seam.OnGrounding, bound(Change{Path: odd, Verb: Symlink, Escapes: "it leads to /etc"}, "**"), free, nil},
		"leans on":          {seam.OnGrounding, reported(Report{LeansOn: []string{odd}}, graded), free, nil},
		"cites":             {seam.OnGrounding, reported(Report{Entries: cited}, graded), free, nil},
		"torve's own":       {seam.OnLaw, bound(Change{Path: ".torve/" + odd, Verb: Add}, "**"), free, nil},
		"a specification":   {seam.OnLaw, bound(Change{Path: "specs/" + odd, Verb: Add}, "**"), free, nil},
		"outside":           {seam.OnLaw, bound(plain, "x/**"), free, nil},
		"protected":         {seam.OnLaw, bound(plain, "**"), law, nil},
		"a secret":          {seam.OnLaw, bound(secret, "**"), free, nil},
		"a test lost":       {seam.OnLaw, test, free, nil},
		"a script":          {seam.OnLaw, bound(scripted, "**"), free, nil},
		"a row":             {seam.OnLaw, graded, free, nil},
		"evidence":          {seam.OnLaw, reported(Report{Entries: evidence}, graded), free, nil},
		"a line":            {seam.OnReach, bound(plain, "**"), free, func(r *Reading) { r.Runs[0] = Ran{Line: odd, Exit: 1, Why: "exited 1", Last: odd, Tests: -1} }},
		"a line not run":    {seam.OnReach, plainContract, free, func(r *Reading) { r.Runs = nil }},
		"a conflict":        {seam.OnFreshness, bound(plain, "**"), free, func(r *Reading) { r.Conflicts = []string{odd} }},
		"another conflict":  {seam.OnFreshness, bound(plain, "**"), free, func(r *Reading) { r.Conflicts = []string{odd + "2"} }},
	} {
		t.Run(name, func(t *testing.T) {
			_, r := Sample()
			if c.read != nil {
				c.read(&r)
			}
			v, _ := Code(Terms{Law: c.law}).InOrder(seam.Checks[:], c.p, r)
			if v.OK || v.Failed != c.by {
				t.Fatalf("it is %s, want a refusal by %s", v, c.by)
			}
			if strings.ContainsAny(v.Reason, "\n\r\x00") || strings.ToValidUTF8(v.Reason, "") != v.Reason {
				t.Errorf("the reason is %q", v.Reason)
			}
		})
	}
	if got := Outside(contract.Contract{ID: "T-1"}, []Change{plain}); len(got) != 1 || got[0] != quoted(odd) {
		t.Errorf("outside is %q", got)
	}
}

func TestSpecificationsAreOpenOnlyToAPatternThatBeginsWithTheirFolder(t *testing.T) {
	for _, c := range []struct {
		allow, path string
		ok          bool
	}{
		{"**", "specs/S-0001-law.md", false}, {"specs/**", "specs/S-0001-law.md", true}, {"/specs/S-0001-*.md", "specs/S-0001-law.md", true},
		{"{specs,docs}/**", "specs/x.md", false}, {"**/specs/**", "specs/x.md", false}, {"src/specs/**", "src/specs/x.md", true},
		{"Specs/**", "Specs/Shop.cs", true}, {"**", "Specs/Shop.cs", false},
	} {
		con := contract.Contract{ID: "T-0001", Scope: contract.Scope{Allow: []string{c.allow}}}
		if clause, ok := (Repository{}).Permits(con, Change{Path: c.path, Verb: Add}); ok != c.ok {
			t.Errorf("%s under %s: %v %s", c.path, c.allow, ok, clause)
		}
	}
}
