package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// docs/liars.md is the one list of what agents try and how each try ends. Its table is
// made from the heads of the plays; LIARS_UPDATE=1 writes it anew.

const liarsPage = "../../docs/liars.md"

const (
	tableBegins = "<!-- made from cmd/torve/testdata/script/liar_*.txtar -->\n"
	tableEnds   = "<!-- the end of it -->\n"
)

func TestThePageOfLiarsNamesEveryLieAndItsEnd(t *testing.T) {
	page, err := os.ReadFile(liarsPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), tableBegins)
	table, after, closed := strings.Cut(rest, tableEnds)
	if !ok || !closed {
		t.Fatalf("%s has no place for the table", liarsPage)
	}
	want, n := tableOfLies(t)
	if n < 24 {
		t.Errorf("only %d lies", n)
	}
	if os.Getenv("LIARS_UPDATE") != "" {
		if err := os.WriteFile(liarsPage, []byte(before+tableBegins+want+tableEnds+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if table != want {
		t.Errorf("%s says otherwise than the scripts do; LIARS_UPDATE=1 go test ./cmd/torve -run PageOfLiars writes it anew", liarsPage)
	}
}

// tableOfLies is the table, a part for each script, and how many lies are in it.
func tableOfLies(t *testing.T) (string, int) {
	files, err := filepath.Glob("testdata/script/liar_*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	n := 0
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(a.Comment), "\n")
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		fmt.Fprintf(&b, "\n### `%s`\n\n%s\n%s\n| the agent | ends | and it is said |\n|---|---|---|\n", name, strings.TrimPrefix(first, "# "), byHand(string(a.Comment)))
		for _, f := range a.Files {
			play, is := strings.CutPrefix(f.Name, "home/plays/")
			l, lies := lieOf(play, string(f.Data))
			if !is || !lies {
				continue
			}
			n++
			said := "`" + strings.Join(l.says, "`, `") + "`"
			if len(l.says) == 0 {
				said = ""
			}
			if l.end == "" {
				t.Errorf("%s: %s has no end", name, play)
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", l.what, l.end, strings.ReplaceAll(said, "|", `\|`))
		}
	}
	b.WriteString("\n")
	return b.String(), n
}

// byHand says of a script that does not ask the whole list what it asks instead.
func byHand(script string) string {
	if asksAll.MatchString(script) {
		return ""
	}
	return "\nThe list above is not asked here as a whole, as the run does not end as the others do: the script's own lines are what is asked.\n"
}

// asksAll is the command that asks all that the page lists.
var asksAll = regexp.MustCompile(`(?m)^told\b`)
