package cli

import (
	"strings"
	"testing"
)

// becomes asks what texts are once what was typed is in their commands.
func becomes(t *testing.T, at *app, all map[string]string) {
	t.Helper()
	for text, want := range all {
		if got := at.again(text); got != want {
			t.Errorf("%q became\n%s\nand this is wanted\n%s", text, got, want)
		}
	}
}

func TestACommandToPasteIsAboutTheRecordThatWasTyped(t *testing.T) {
	at := app{dsn: "@my file", dsnTyped: true, partition: "acme/shop"}
	flags := " --dsn '@my file' --partition acme/shop"
	becomes(t, &at, map[string]string{
		"next: torve dispatch":                 "next: torve dispatch" + flags,
		"  → torve widen T-0004 x\ntorve why":  "  → torve widen" + flags + " T-0004 x\ntorve why",
		"  -> torve why T-0001":                "  -> torve why" + flags + " T-0001",
		"next: git add .torve && torve mint":   "next: git add .torve && torve mint" + flags,
		"next: git show 4e1f0aa · torve why x": "next: git show 4e1f0aa · torve why" + flags + " x",
		"next: torve init":                     "next: torve init",
		"next: torve help record":              "next: torve help record",
		"next: torve --files status":           "next: torve --files status",
		"hint: torve mint --dsn @FILE":         "hint: torve mint --dsn @FILE",
		"hint: torve x --partition=a":          "hint: torve x --partition=a",
		"torve says yes":                       "torve says yes",
		"→ put .git/torve back from a copy":    "→ put .git/torve back from a copy",
		"→ see x: torve verify --files":        "→ see x: torve verify --files",
		"next: unset TORVE_DSN; torve status":  "next: unset TORVE_DSN; torve status",
		"hint: torve migrate":                  "hint: torve migrate --dsn '@my file'",
		"hint: torve record export x":          "hint: torve record export" + flags + " x",
		"→ torve record copy --from x":         "→ torve record copy --partition acme/shop --from x",
	})
	if got := (&app{dsn: "postgres://u:p@h/d", dsnTyped: true}).again("next: torve mint"); got != "next: torve mint --dsn @FILE" {
		t.Error(got)
	}
	if got := (&app{}).again("next: torve mint"); got != "next: torve mint" {
		t.Error(got)
	}
}

func TestALineWithWhatWasTypedKeepsToItsWidthAndCanBePasted(t *testing.T) {
	at := app{dsn: "@/home/ada/shop/.torve.dsn", dsnTyped: true, partition: "acme/shop"}
	flags := "--dsn @/home/ada/shop/.torve.dsn --partition acme/shop"
	becomes(t, &at, map[string]string{
		"next: torve status          2 tasks need you":               "next: torve status " + flags,
		"next: git commit -qm 'Widen the scope' && torve mint\nmore": "next: git commit -qm 'Widen the scope' && torve mint \\\n        " + flags + "\nmore",
		"next: torve widen T-0001 orders/list.txt":                   "next: torve widen \\\n        " + flags + " T-0001 orders/list.txt",
		"next: torve widen T-0001 orders/list.txt  so":               "next: torve widen \\\n        " + flags + " T-0001 orders/list.txt",
		"          → torve why T-0001":                               "          → torve why \\\n        " + flags + " T-0001",
	})
	at.json = true
	if got := at.again("hint: torve widen T-0001 orders/list.txt"); strings.Contains(got, "\n") {
		t.Errorf("%q", got)
	}
}
