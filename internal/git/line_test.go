package git

import (
	"slices"
	"strings"
	"testing"
)

func TestALineIsAllCommitsWithTheirTreesAndParents(t *testing.T) {
	u, r, base := seeded(t)
	u.Git("checkout", "-q", "-b", "side")
	u.Write("s", "1\n")
	side := u.Commit("side")
	u.Git("checkout", "-q", "main")
	u.Write("m", "1\n")
	main := u.Commit("main")
	u.Git("merge", "-q", "--no-ff", "-m", "both", "side")
	line := must(r.Line(ctx, "main"))(t)
	if len(line) != 4 || !slices.Equal(line[0].Parents, []string{main, side}) || line[3].ID != base || len(line[3].Parents) != 0 {
		t.Fatalf("%+v", line)
	}
	for _, l := range line {
		same(t, "the tree of "+l.ID, l.Tree, must(r.TreeID(ctx, l.ID))(t))
	}
}

func TestEditsAreWhatEachCommitMadeOfAPathAndAMergeOnlyWhatNoParentHas(t *testing.T) {
	u, r, _ := seeded(t)
	u.Write("f/odd name\n:x", "1\n")
	u.Write("elsewhere", "1\n")
	added := u.Commit("add")
	u.Git("checkout", "-q", "-b", "side")
	u.Write("f/side", "1\n")
	side := u.Commit("side")
	u.Git("checkout", "-q", "main")
	u.Write("f/odd name\n:x", "2\n")
	changed := u.Commit("change")
	u.Git("merge", "-q", "--no-commit", "--no-ff", "side")
	u.Write("f/side", "another\n")
	evil := u.Commit("merge, and change what it brings")
	u.Git("rm", "-q", "f/side")
	gone := u.Commit("remove")
	var got []string
	for _, e := range must(r.Edits(ctx, "main", "f", "g"))(t) {
		how := "changed"
		if e.New {
			how = "added"
		}
		if e.ID == "" {
			how = "gone"
		} else {
			same(t, e.Path, e.ID, must(r.Entry(ctx, e.Commit, e.Path))(t).ID)
		}
		got = append(got, how+" "+e.Path+" "+e.Commit)
	}
	slices.Sort(got)
	want := []string{
		"added f/odd name\n:x " + added, "added f/side " + side, "changed f/odd name\n:x " + changed,
		"changed f/side " + evil, "gone f/side " + gone,
	}
	if !slices.Equal(got, want) {
		t.Errorf("it lists\n%s\nand\n%s\nwas expected", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
