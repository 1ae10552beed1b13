package gate

import (
	"strings"
	"testing"

	"torve/internal/contract"
	"torve/internal/seam"
)

func TestANilLawRefusesEverything(t *testing.T) {
	p, r := good()
	v, n := arrive(p, r, Terms{})
	if v.Failed != seam.OnLaw || v.Reason != "no law was handed to the check, and no law permits nothing" || n != 4 {
		t.Errorf("Arrive = %s after %d", v, n)
	}
}

func TestTheLawWithNoClausesPermitsEverything(t *testing.T) {
	p, r := good()
	p.Changes[0].Path = ".torve/config.yaml"
	if v, _ := arrive(p, r, Terms{Law: Lawless{}}); !v.OK {
		t.Error(v)
	}
}

type mute struct{ Lawless }

func (mute) Permits(contract.Contract, Change) (string, bool) { return "", false }

func TestALawThatRefusesWithoutAWordStillRefuses(t *testing.T) {
	p, r := good()
	if v, _ := arrive(p, r, Terms{Law: mute{}}); v.Reason != "change 1: the law refuses it and names no clause" {
		t.Error(v)
	}
}

var aKey = "AKIA" + "Z3M5KQ7TW2XB4LNC"

func TestTheLawHasItsSentences(t *testing.T) {
	wide := func(p *Proposal) { p.Contract.Scope = contract.Scope{Allow: []string{"**"}} }
	for _, c := range []struct {
		name, want string
		how        func(*Proposal)
	}{
		{"torve's own paths", "change 2: .torve/execution/T-0001-1-20260101T000000Z.yaml is torve's own, and no attempt changes it",
			func(p *Proposal) {
				p.Changes[1] = Change{Path: ".torve/execution/T-0001-1-20260101T000000Z.yaml", Verb: Add}
			}},
		{"torve's own paths though allowed by name", "change 2: .Torve/x is torve's own, and no attempt changes it",
			func(p *Proposal) {
				p.Changes[1] = Change{Path: ".Torve/x", Verb: Add}
				p.Contract.Scope.Allow = append(p.Contract.Scope.Allow, ".Torve/x")
			}},
		{"the host's folder", "change 2: .wt/T-0001.state.json is torve's own, and no attempt changes it",
			func(p *Proposal) { p.Changes[1] = Change{Path: ".wt/T-0001.state.json", Verb: Add} }},
		{"a specification", "change 2: specs/S-0001-law.md is a specification, and no pattern of scope.allow begins with specs/",
			func(p *Proposal) { wide(p); p.Changes[1] = Change{Path: "specs/S-0001-law.md", Verb: Add} }},
		{"a specification that is allowed", "",
			func(p *Proposal) {
				p.Contract.Scope.Allow = append(p.Contract.Scope.Allow, "specs/S-0001-*.md")
				p.Changes[1] = Change{Path: "specs/S-0001-law.md", Verb: Add}
			}},
		{"deny", "change 2: docs/a.md is denied by scope.deny docs/**",
			func(p *Proposal) {
				p.Changes[1].Path = "docs/a.md"
				p.Contract.Scope = contract.Scope{Allow: []string{"**"}, Deny: []string{"docs/**"}}
			}},
		{"outside", "change 2: mail/cart.go is outside scope.allow internal/**, x.go",
			func(p *Proposal) { p.Changes[1].Path = "mail/cart.go" }},
		{"protected", "change 2: .github/x.yml is protected by .github/**",
			func(p *Proposal) { wide(p); p.Changes[1].Path = ".github/x.yml" }},
		{"protected at any depth", "change 2: docs/AGENTS.md is protected by AGENTS.md",
			func(p *Proposal) { wide(p); p.Changes[1].Path = "docs/AGENTS.md" }},
		{"protected by the repository", "change 2: deploy/prod.yml is protected by deploy/**",
			func(p *Proposal) { wide(p); p.Changes[1].Path = "deploy/prod.yml" }},
		{"protected, and named with a wildcard", "change 2: .github/x.yml is protected by .github/**",
			func(p *Proposal) {
				p.Contract.Scope.Allow = append(p.Contract.Scope.Allow, ".github/*.yml")
				p.Changes[1].Path = ".github/x.yml"
			}},
		{"protected, and named without a wildcard", "",
			func(p *Proposal) {
				p.Contract.Scope.Allow = append(p.Contract.Scope.Allow, ".github/x.yml")
				p.Changes[1].Path = ".github/x.yml"
			}},
		{"a secret", "change 2: x.go adds what looks like a secret (aws access key) at line 12",
			func(p *Proposal) { p.Changes[1].AddedLines = []Line{{11, "key :="}, {12, `"` + aKey + `"`}} }},
		{"a secret in a binary", "change 2: x.go is binary and gains what looks like a secret (aws access key)",
			func(p *Proposal) { p.Changes[1].AddedLines = []Line{{0, aKey}} }},
		{"a secret for a name", "change 2: a name in keys is what looks like a secret (aws access key)",
			func(p *Proposal) { wide(p); p.Changes[1] = Change{Path: "keys/" + aKey, Verb: Add} }},
		{"a secret where it may be", "",
			func(p *Proposal) {
				wide(p)
				p.Changes[1].Path = "testdata/key.txt"
				p.Changes[1].AddedLines = []Line{{1, aKey}}
			}},
		{"lost tests", "change 3: internal/get_test.go loses 14 lines, and the contract keeps tests",
			func(p *Proposal) {
				p.Changes[2] = Change{Path: "internal/get_test.go", Verb: Modify, InBase: true, Added: 1, Removed: 15}
			}},
		{"scripts", "change 2: internal/package.json changes scripts.test, which acceptance runs",
			func(p *Proposal) {
				p.Changes[1].Path, p.Changes[1].Scripts = "internal/package.json", []string{"scripts.test"}
			}},
		{"scripts of a file that is named", "",
			func(p *Proposal) { p.Changes[1].Scripts = []string{"scripts.test"} }}, // x.go stands in scope.allow
		{"the first of two", "change 1: internal/secret/a.go is denied by scope.deny internal/secret/**",
			func(p *Proposal) { p.Changes[0].Path = "internal/secret/a.go"; p.Changes[1].Path = "y.go" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, r := good()
			c.how(&p)
			law := repository
			law.Protect = []string{"deploy/**"}
			v, _ := arrive(p, r, Terms{Law: law, Stale: 200})
			switch {
			case c.want == "" && !v.OK:
				t.Errorf("got %s, want it accepted", v)
			case c.want != "" && (v.Failed != seam.OnLaw || v.Reason != c.want):
				t.Errorf("got  %s\nwant refused by law: %s", v, c.want)
			}
		})
	}
}

func TestProtectedPathsAreAddedToAndNeverReplaced(t *testing.T) {
	p, r := good()
	p.Contract.Scope = contract.Scope{Allow: []string{"**"}}
	law := Repository{Protect: []string{"deploy/**"}}
	for _, path := range []string{".github/w.yml", ".gitlab-ci.yml", "CODEOWNERS", "AGENTS.md", "CLAUDE.md", ".claude/settings.json", ".gitmodules", "deploy/x"} {
		p.Changes[1].Path = path
		if v, _ := arrive(p, r, Terms{Law: law}); v.OK || !strings.Contains(v.Reason, "is protected by") {
			t.Errorf("%s: %s", path, v)
		}
	}
}

func TestSecretsAreAskedOnlyWhereTheSettingIsOn(t *testing.T) {
	p, r := good()
	p.Changes[1].AddedLines = []Line{{1, aKey}}
	if v, _ := arrive(p, r, Terms{Law: Repository{}}); !v.OK {
		t.Error(v)
	}
}

func TestWhatReachesTheRecordIsRefusedWhateverTheSettingsAllow(t *testing.T) {
	law := Repository{SecretsAllow: []string{"**"}, Reaches: func(text string) bool { return strings.Contains(text, "of-the-record") }}
	for want, ch := range map[string]Change{
		"a.go holds what reaches the record (its dsn, or the password)":            {Path: "a.go", Verb: Add, AddedLines: []Line{{1, "x"}, {2, "postgres://u:of-the-record@h/d"}}},
		"of-the-record/x holds what reaches the record (its dsn, or the password)": {Path: "of-the-record/x", Verb: Add},
		"": {Path: "b.go", Verb: Add, AddedLines: []Line{{1, "x"}}},
	} {
		if got, ok := law.Permits(contract.Contract{}, ch); got != want || ok != (want == "") {
			t.Errorf("%q, %v, and %q is wanted", got, ok, want)
		}
	}
}

func TestOutsideListsEveryPathThatAWiderScopeWouldLetIn(t *testing.T) {
	p, _ := good()
	p.Changes = append(p.Changes,
		Change{Path: "mail/cart.go", Verb: Add},
		Change{Path: "internal/secret/k.go", Verb: Add}, // denied: wider does not help
		Change{Path: ".torve/config.yaml", Verb: Add},   // torve's own: never
		Change{Path: "board/row.go", Verb: Add})
	got := strings.Join(Outside(p.Contract, p.Changes), " ")
	if got != "mail/cart.go board/row.go" {
		t.Errorf("Outside = %s", got)
	}
	if !ByScope(p, repository) {
		t.Error("the first clause is the scope's")
	}
	p.Changes[0].Path = "internal/secret/a.go"
	if ByScope(p, repository) {
		t.Error("the first clause is deny, and a wider scope is no answer to it")
	}
	p.Changes[0].Path = ".torve/x"
	if ByScope(p, repository) || ByScope(p, nil) {
		t.Error("a clause that is not the scope's was taken for it")
	}
	if ok, _ := good(); ByScope(ok, repository) {
		t.Error("a yes has no clause")
	}
}

func TestProveBreaksEachCheckAndShowsThatItRefuses(t *testing.T) {
	sample := func() (Proposal, Reading) { return Sample() }
	for name, of := range map[string]func() (Proposal, Reading){"an attempt": good, "the sample": sample} {
		p, r := of()
		cases, err := Prove(Code(terms()), p, r)
		if err != nil {
			t.Fatal(name, err)
		}
		if len(cases) != 6 {
			t.Fatalf("%s: %d cases", name, len(cases))
		}
		for i, c := range cases {
			if c.Check != seam.Checks[i] || !c.Held || c.Verdict.Failed != c.Check || c.Broke == "" {
				t.Errorf("%s: %s, broken by %q: %s", name, c.Check, c.Broke, c.Verdict)
			}
		}
		if v, _ := arrive(p, r, terms()); !v.OK {
			t.Errorf("%s: proving has changed what was handed in: %s", name, v)
		}
	}
	p, r := good()
	cases, err := Prove(Code(Terms{Law: Lawless{}}), p, r)
	if err != nil || cases[3].Held {
		t.Errorf("a law with no clauses was said to hold: %v, %v", cases, err)
	}
	p.Changes = nil
	if _, err := Prove(Code(terms()), p, r); err == nil {
		t.Error("something was proved on a proposal that does not pass")
	}
}
