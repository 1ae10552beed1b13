package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// sizes differ between file systems, and with them how wide their column is filled.
var sizes = regexp.MustCompile(`(\S)?( *)\b[0-9.]+ ([KMGT]iB|B)\b`)

func unsized(text string) string {
	return sizes.ReplaceAllStringFunc(text, func(found string) string {
		m := sizes.FindStringSubmatch(found)
		if m[1] != "" && m[2] != "" {
			return m[1] + " SIZE"
		}
		return m[1] + m[2] + "SIZE"
	})
}

// keeps is shows for what names sizes and folders of the machine.
func (s *stage) keeps(name string, commands ...[]string) {
	s.t.Helper()
	var b strings.Builder
	for _, c := range commands {
		r := s.torve(c...)
		fmt.Fprintf(&b, "$ torve %s\n%s%s", typedAs(c), r.out, r.err)
		if r.code != 0 {
			fmt.Fprintf(&b, "[%d]\n", r.code)
		}
		b.WriteString("\n")
	}
	text := strings.ReplaceAll(masked(b.String(), s.Dir), os.Getenv("HOME"), "HOME")
	text = regexp.MustCompile(`torve/[^/ ]+-[0-9a-f]{8}`).ReplaceAllString(text, "torve/shop-01234567")
	text = regexp.MustCompile(`(?m)^\d{3}  main`).ReplaceAllString(text, "shop  main") // the folder of a test
	s.verbatim(name+".txt", unsized(text))
}

// littered is a shop after a night that left what it had to: ignored files in the worktree
// of a task that landed, kept work of one that did not.
func littered(t *testing.T) *stage {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	s := shop(t, `worktree: {copy: [.env]}`)
	s.Write(".gitignore", "*.log\n.env\n")
	s.Commit("Ignore")
	s.Write(".env", "KEY=1\n")
	for _, args := range [][]string{
		{"new", "Log the request id", "--allow", "orders/**", "--commit"},
		{"new", "Rename Basket to Cart, wherever it is named, in the shop and in its mails", "--allow", "cart/**", "--commit"},
	} {
		s.ends(0, args...)
	}
	s.plays("T-0001", "echo id >> orders/list; echo trace > run.log\n")
	s.plays("T-0002", "mkdir -p cart mail; echo cart > cart/cart; echo cart > mail/cart; echo trace > run.log\n")
	s.ends(2, "dispatch")
	return s
}

func TestWhatTheNightLeftIsListedShownAndPutAway(t *testing.T) {
	s := littered(t)
	s.keeps("recover", words("recover"), words("recover --all"), words("recover show T-0002"), words("recover show T-0002.7"),
		words("recover adopt T-0002"), words("recover adopt T-0002 1"), words("recover adopt T-0002 --branch a..b"),
		words("recover adopt T-0002 --branch mine"))
	s.keeps("gc", words("gc --dry-run"), words("gc"), words("gc --ignored"), words("gc --ignored --yes"), words("gc"),
		words("gc --refs --keep 5x"), words("gc --refs"), words("gc --refs --keep 0s --yes"), words("recover"))
	s.keeps("footprint", words("doctor --footprint"))
}

func TestADoctorSaysWhatIsMissingOrOddAndWhatMendsIt(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := empty(t)
	s.keeps("doctor-new", words("doctor"), words("doctor --footprint"))
	s = littered(t)
	s.keeps("doctor", words("doctor"))
	s.ends(0, "gc", "--ignored", "--yes")
	s.Write(".torve/telemetry.jsonl", s.Read(".torve/telemetry.jsonl"))
	s.Git("add", "-f", ".torve/telemetry.jsonl")
	s.Write(".torve/.gitignore", "telemetry.jsonl\n")
	s.Write(".git/index.lock", "")
	long := noon().Add(-3 * 24 * 60 * 60e9)
	if err := os.Chtimes(filepath.Join(s.Dir, ".git/index.lock"), long, long); err != nil {
		t.Fatal(err)
	}
	s.Hook("pre-commit", "exit 1")
	s.keeps("doctor-odd", words("doctor"))
	s.Write(configFile, "schema: torve/config/v1\ntarget: main\nagnt: {}\n")
	s.keeps("doctor-broken", words("doctor"))
	if r := s.torve("doctor", "--json"); r.code != 3 || !strings.Contains(r.err, "no JSON document") {
		t.Errorf("%d %s", r.code, r.err)
	}
}

func TestADoctorIsQuietWhereAllIsWell(t *testing.T) {
	s := night(t)
	for _, task := range []string{"T-0001", "T-0002"} {
		s.ends(0, "dispatch", task)
	}
	s.keeps("doctor-well", words("doctor"))
}

func TestADoctorTellsAClockThatWasWrong(t *testing.T) {
	s := night(t)
	s.ends(0, "mint")
	var out bytes.Buffer
	a := &app{in: strings.NewReader(""), out: &out, err: &out, now: func() time.Time { return noon().Add(-time.Hour) }, env: os.Getenv}
	if code := a.run(t.Context(), []string{"-C", s.Dir, "doctor"}); code != 0 || !strings.Contains(out.String(), "which is to come") {
		t.Errorf("%d %s", code, out.String())
	}
}
