package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInitSaysWhatItFoundAndWritesOneFile(t *testing.T) {
	s := empty(t)
	s.Write("go.mod", "module shop\n")
	s.Write("package-lock.json", "{}\n")
	s.Git("remote", "add", "origin", "git@example.com:acme/shop.git")
	s.shows("init", words("init"), words("init"), words("status"), words("agents"))
	s.golden("init-config.txt", s.Read(configFile))
	if got := s.Git("status", "--porcelain", "--untracked-files=all"); !strings.Contains(got, ".torve/config.yaml") || !strings.Contains(got, ".torve/.gitignore") || strings.Count(got, ".torve/") != 2 {
		t.Errorf("init left %s", got)
	}
}

func TestARepositoryWithoutTorveIsToldWhatToDo(t *testing.T) {
	s := empty(t)
	s.shows("without", words("status"), words("landings"), words("why README.md:1"), words("dispatch"), words("mint"), words("gate"),
		[]string{"new", "x", "--accept", "true"}, words("requeue T-0001"), words("-C nowhere status"))
}

func TestNewSaysWhatHolds(t *testing.T) {
	s := shop(t)
	s.shows("new",
		[]string{"new", "Answer 404 for an unknown order", "--allow", "orders/**"},
		[]string{"new", "Anything at all"},
		[]string{"new", "Test more", "--allow", "orders/**", "--allow", "orders/**_test.go"},
		[]string{"new", "By another", "--allow", "orders/**", "--agent", "ghost", "--commit"},
		[]string{"new", "", "--allow", "orders/**"},
		[]string{"new", "Out", "--allow", "../x"},
		words("new two words"), words("new"), words("new x --nope"),
		words("status"), words("mint"), words("dispatch --dry-run"))
}

func TestNewOpensAnEditorAndKeepsWhatItLeft(t *testing.T) {
	s := shop(t)
	t.Setenv("EDITOR", "sed -i s/title:.*/title:\\ Edited/")
	if r := s.ends(0, "new", "Before", "--allow", "orders/**", "--edit", "--commit"); !strings.Contains(r.out, "committed on main") {
		t.Errorf("%s", r.out)
	}
	if got := s.Read(".torve/tasks/T-0001/contract.yaml"); !strings.Contains(got, "title: Edited") {
		t.Errorf("%s", got)
	}
	t.Setenv("EDITOR", "sed -i s/title:/tittle:/")
	if r := s.ends(3, "new", "Broken", "--allow", "orders/**", "--edit", "--commit"); !strings.Contains(r.err, "T-0002/contract.yaml:4:1") || !strings.Contains(r.err, "did you mean title?") {
		t.Errorf("%s", r.err)
	}
	t.Setenv("EDITOR", "false")
	if r := s.ends(3, "new", "Left", "--allow", "orders/**", "--edit"); !strings.Contains(r.err, "false exited 1; the file stays as it is") {
		t.Errorf("%s", r.err)
	}
	s.Read(".torve/tasks/T-0003/contract.yaml")
}

// night is what the screens and the documents below are about: landed, repaired, out of
// scope, waiting for what needs a person, and a kept tree that is let in.
func night(t *testing.T) *stage {
	t.Helper()
	s := shop(t)
	for _, args := range [][]string{
		{"new", "Log the request id", "--allow", "orders/**", "--commit"},
		{"new", "Validate the postal code, wherever one is typed", "--allow", "post/**", "--accept", "grep -q two post/code", "--commit"},
		{"new", "Rename Basket to Cart", "--allow", "cart/**", "--commit"},
		{"new", "Drop the v1 price endpoint", "--allow", "price/**", "--depends-on", "T-0003", "--commit"},
	} {
		s.ends(0, args...)
	}
	s.plays("T-0001", "echo id >> orders/list\n")
	s.plays("T-0002.1", "mkdir -p post; echo one > post/code\n")
	s.plays("T-0002.2", "mkdir -p post; echo two > post/code\n")
	s.plays("T-0003", "mkdir -p cart mail; echo cart > cart/cart; echo cart > mail/cart\n")
	s.plays("T-0004", "mkdir -p price; echo v2 > price/list\n")
	return s
}

func TestANightAndTheMorningAfter(t *testing.T) {
	s := night(t)
	s.shows("night", words("dispatch"))
	s.shows("morning", words("status"), words("why T-0003"), words("show T-0003"), words("diff T-0003"), words("why T-0001"), words("why orders/list:2"), words("why T-0004"),
		words("dispatch"), words("dispatch --quiet"), words("dispatch --dry-run"))
	s.shows("answers", words("widen T-0003 mail/cart"), words("widen T-0003 mail/cart --yes"), words("widen T-0003 mail/cart --yes"), words("requeue T-0003"), words("land T-0003"),
		words("land"), words("dispatch"), words("abandon T-0001"), words("requeue T-0001"), words("widen T-0001 x --yes"), words("requeue T-0001 --fresh --continue"), words("landings"), words("status"))
	fresh := filepath.Join(t.TempDir(), "fresh")
	s.Git("clone", "-q", s.Dir, fresh)
	c := &stage{Repo: s.Repo, t: t}
	c.Repo.Dir = fresh
	c.shows("clone", words("status"), words("why T-0002"), words("why post/code:1"), words("landings"), words("mint"))
}

func TestNothingBeyondASCIIIsPrintedWhereTheLocaleIsNotUTF8(t *testing.T) {
	s := night(t)
	for _, locale := range []string{"C", "POSIX", "en_US.ISO-8859-1", ""} {
		t.Setenv("LANG", locale)
		for _, args := range [][]string{words("dispatch"), words("status"), words("why T-0003"), words("init"), words("agents"), words("gate"), words("help"), words("landings"), words("dispatch --dry-run"), words("why nope"),
			words("context"), words("context --markdown"), words("spend"), words("findings")} {
			r := s.torve(args...)
			for _, text := range []string{r.out, r.err} {
				if i := strings.IndexFunc(text, func(r rune) bool { return r > 126 }); i >= 0 {
					t.Errorf("LANG=%q torve %s prints %q", locale, strings.Join(args, " "), text[max(0, i-30):])
				}
			}
		}
	}
	if r := s.torve("status"); !strings.Contains(r.out, "-> torve widen T-0003 mail/cart") {
		t.Errorf("no arrow in\n%s", r.out)
	}
	t.Setenv("LC_ALL", "en_US.UTF-8")
	if r := s.torve("status"); !strings.Contains(r.out, "→ torve widen T-0003 mail/cart") {
		t.Errorf("no arrow in\n%s", r.out)
	}
}

func TestColourIsForATerminalAlone(t *testing.T) {
	s := dispatched(t)
	r := s.torve("status")
	if strings.Contains(r.out+r.err, "\x1b") {
		t.Errorf("an escape in a pipe: %q", r.out)
	}
	a := &app{out: os.Stdout, env: func(name string) string { return map[string]string{"NO_COLOR": "1"}[name] }}
	if a.color() {
		t.Error("NO_COLOR is set, and there is colour")
	}
}

func TestTheHelpFitsAndNamesEveryVerb(t *testing.T) {
	s := empty(t)
	all := s.ends(0, "help", "all").out
	main := s.ends(0, "help").out
	a := &app{out: os.Stdout, env: os.Getenv}
	for _, c := range a.verbs() {
		if c.Hidden {
			continue
		}
		if !strings.Contains(all, "torve "+c.Name()) {
			t.Errorf("help all says nothing of %s", c.Name())
		}
		if !strings.Contains(main, c.Name()) && c.Name() != "note" && c.Name() != "version" {
			t.Errorf("help says nothing of %s", c.Name())
		}
		s.narrow("help "+c.Name(), s.ends(0, "help", c.Name()).out)
		if got := s.ends(0, c.Name(), "--help").out; got != s.ends(0, "help", c.Name()).out {
			t.Errorf("torve %s --help is another page than torve help %s", c.Name(), c.Name())
		}
	}
	for _, concept := range concepts() {
		s.narrow("help "+concept, s.ends(0, "help", concept).out)
	}
	s.narrow("help", main)
	if got := s.ends(0).out; got != main {
		t.Error("torve alone prints another page than torve help")
	}
}

func TestTheDemoTellsItsStoryToTheEnd(t *testing.T) {
	s := empty(t)
	r := s.ends(0, "demo")
	for _, want := range []string{"The story went as written", "4 tasks landed", "torve widen T-0003 mail/receipt.sh", "next: cd your-repository && torve init"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("the demo does not say %q", want)
		}
	}
	s.narrow("demo", r.out)
	if r := s.torve("demo", "--keep", s.Dir); r.code != 3 || !strings.Contains(r.err, "not empty") {
		t.Errorf("a folder that is not empty: %d, %s", r.code, r.err)
	}
}
