package internal_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// pages are where people begin to read; what a page links to is asked, not followed.
var pages = []string{"*.md", "docs/*.md", "docs/*/*.md", "specs/*.md"}

func TestEveryLinkOfTheDocumentsLeadsSomewhere(t *testing.T) {
	tree := os.DirFS("..")
	asked := 0
	for _, glob := range pages {
		names, err := fs.Glob(tree, glob)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			broken, n, err := links(tree, name)
			if err != nil {
				t.Fatal(err)
			}
			asked += n
			for _, b := range broken {
				t.Error(b)
			}
		}
	}
	if asked < 10 {
		t.Errorf("%d links were asked, and the README alone has more", asked)
	}
}

func TestABrokenLinkIsNamedWithItsLine(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	tree := fstest.MapFS{
		"a.md":      file("# A\n\n[b](docs/b.md) and [c](docs/c.md).\n\n[up](#A-b) [here](#a)\n\n```\n[no](link.md)\n```\n[web](https://example.com) [dir](docs)\n"),
		"docs/b.md": file("# B\n\n## What it asks\n\n[up](../a.md#a) [its own](#what-it-asks) [gone](../a.md#z) [out](../../x.md)\n"),
	}
	for name, want := range map[string][]string{
		"a.md":      {"a.md:3: docs/c.md leads nowhere", "a.md:5: #A-b: a.md has no such heading"},
		"docs/b.md": {"docs/b.md:5: ../a.md#z: a.md has no such heading", "docs/b.md:5: ../../x.md leads nowhere"},
	} {
		got, _, err := links(tree, name)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, and %q is wanted", name, got, want)
		}
	}
}

// links asks every relative link of a page: the broken ones are named with the line
// that they stand in.
func links(tree fs.FS, name string) (broken []string, asked int, err error) {
	source, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, 0, err
	}
	err = ast.Walk(parse(source), func(n ast.Node, in bool) (ast.WalkStatus, error) {
		link, is := n.(*ast.Link)
		if !in || !is {
			return ast.WalkContinue, nil
		}
		to := string(link.Destination)
		u, err := url.Parse(to)
		if err == nil && (u.Scheme != "" || u.Host != "") {
			return ast.WalkContinue, nil
		}
		asked++
		if why := leads(tree, name, u, err); why != "" {
			broken = append(broken, fmt.Sprintf("%s:%d: %s%s", name, line(source, link), to, why))
		}
		return ast.WalkContinue, nil
	})
	return broken, asked, err
}

// leads is why a link of a page leads nowhere; empty when it does not.
func leads(tree fs.FS, from string, u *url.URL, err error) string {
	if err != nil {
		return ": " + err.Error()
	}
	to := from
	if u.Path != "" {
		to = path.Join(path.Dir(from), u.Path)
	}
	info, err := fs.Stat(tree, to)
	switch {
	case err != nil:
		return " leads nowhere"
	case u.Fragment == "" || info.IsDir() || path.Ext(to) != ".md":
		return ""
	}
	source, err := fs.ReadFile(tree, to)
	if err == nil && slices.Contains(headings(source), u.Fragment) {
		return ""
	}
	return ": " + to + " has no such heading"
}

// headings are the anchors of a page.
func headings(source []byte) []string {
	var ids []string
	_ = ast.Walk(parse(source), func(n ast.Node, in bool) (ast.WalkStatus, error) {
		if h, is := n.(*ast.Heading); in && is {
			if id, has := h.AttributeString("id"); has {
				ids = append(ids, string(id.([]byte)))
			}
		}
		return ast.WalkContinue, nil
	})
	return ids
}

func parse(source []byte) ast.Node {
	md := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	return md.Parser().Parse(text.NewReader(source))
}

// line is where the block of an inline node begins, and the link within it.
func line(source []byte, link *ast.Link) int {
	for n := ast.Node(link); n != nil; n = n.Parent() {
		if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
			start := n.Lines().At(0).Start
			if i := bytes.Index(source[start:], link.Destination); i >= 0 {
				start += i
			}
			return 1 + strings.Count(string(source[:start]), "\n")
		}
	}
	return 1
}
