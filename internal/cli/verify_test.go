package cli

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// agrees asks that nothing differs, and that everything was asked of something.
func (s *stage) agrees(t *testing.T) {
	doc := s.verifies()
	for _, d := range doc.Differences {
		t.Errorf("%s %s: %s", d.Kind, d.Subject, d.Says)
	}
	for _, q := range doc.Asked {
		if q.NotAsked != "" || q.Of == 0 && !slices.Contains(words("claim lock"), q.Question) {
			t.Errorf("%s was asked of %d: %s", q.Question, q.Of, q.NotAsked)
		}
	}
}

func TestEachDamageIsFoundByItsKindAndByNoOther(t *testing.T) {
	s := auditedShop(t)
	t.Run("nothing_is_damaged", s.agrees)
	k := s.keep()
	for _, d := range damages {
		t.Run(strings.ReplaceAll(d.name, " ", "_"), func(t *testing.T) {
			defer k.back()
			d.do(s)
			if !slices.Equal(d.kinds, d.left) { // else a repair mends nothing, and names all
				d.named(t, s.verifies(), d.kinds)
			}
			mended := s.verifies("--repair")
			d.named(t, mended, d.left)
			if d.note != "" && !slices.ContainsFunc(mended.Notes, func(n string) bool { return strings.Contains(n, d.note) }) {
				t.Errorf("the notes are %q, and %q was expected", mended.Notes, d.note)
			}
			if (len(mended.Repaired) > 0) != (len(d.left) < len(d.kinds)) {
				t.Errorf("it mended %v", mended.Repaired)
			}
		})
	}
}

// named asks that a document names just these kinds.
func (d damage) named(t *testing.T, doc verifyDocument, kinds []string) {
	t.Helper()
	if got := kindsOf(doc.Differences); !slices.Equal(got, kinds) {
		t.Errorf("it names %v, and %v are there", got, kinds)
		for _, one := range doc.Differences {
			t.Logf("%s %s: %s", one.Kind, one.Subject, one.Says)
		}
	}
}

func TestVerifyForPeople(t *testing.T) {
	s := night(t) // not a copy of one: verify looks at where its worktrees stand
	s.ends(2, "dispatch")
	s.shows("verify", words("verify"), words("verify --repair"), words("verify --files"), words("verify --quiet"))
	s.pins("verify", 0, words("verify"), "schema", "sources", "counts", "asked", "differences", "notes", "repaired")
	fresh := filepath.Join(t.TempDir(), "fresh")
	s.Git("clone", "-q", s.Dir, fresh)
	s.Git("update-ref", "-d", keptRef+"T-0003/1")
	s.Write(telemetryFile, strings.Join(s.lines(telemetryFile)[1:], "")+"who wrote this?\n")
	s.changes(s.landingOf("T-0001"), "(?m)^title: .*$", "title: Another")
	s.Commit("Edit a landing")
	s.shows("verify-differs", words("verify"), words("verify --repair"), words("verify"))
	s.pins("verify-differs", 1, words("verify"), "schema", "sources", "counts", "asked", "differences", "notes", "repaired")
	s.Repo.Dir = fresh
	s.shows("verify-clone", words("verify"), words("verify --repair"), words("status"))
	s.pins("verify-clone", 0, words("verify"), "schema", "sources", "counts", "asked", "differences", "notes", "repaired")
}

func TestEachKindOfDifferenceIsWrittenDownAndHasADamage(t *testing.T) {
	text, err := os.ReadFile("../../docs/record.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## What verify asks")
	table, _, _ = strings.Cut(table, "\n## ")
	written := map[string]bool{}
	word := regexp.MustCompile("`([a-z]+)`")
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		if len(cells) != 5 || !strings.Contains(cells[1], "`") {
			continue
		}
		question := strings.Trim(cells[1], " `")
		for _, m := range word.FindAllStringSubmatch(cells[3], -1) {
			written[question+"."+m[1]] = true
		}
	}
	for _, rule := range words("R1 R2 R3 R4 R5 R6 R7") {
		written["record."+rule] = true
	}
	done := map[string]bool{}
	for _, d := range damages {
		for _, kind := range d.kinds {
			done[kind] = true
		}
	}
	if a, b := slices.Sorted(maps.Keys(written)), slices.Sorted(maps.Keys(done)); !slices.Equal(a, b) {
		t.Errorf("written down are\n%v\nand damaged\n%v", a, b)
	}
}
