package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/spec"
)

func TestThisProjectsOwnSettingsAndSpecsRead(t *testing.T) {
	root := filepath.Join("..", "..")
	if _, err := readConfig(root); err != nil {
		t.Error(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "specs", "S-*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no specs: %v", err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		s, err := spec.Parse("specs/"+filepath.Base(f), data)
		if err != nil {
			t.Error(err)
		}
		if len(s.Decisions) == 0 {
			t.Errorf("%s decides nothing", f)
		}
	}
}

func TestEveryDependencyHasItsReason(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mod)) {
		name, _, ok := strings.Cut(strings.TrimSpace(line), " v")
		if !ok || strings.Contains(line, "// indirect") {
			continue
		}
		if !strings.Contains(string(page), name) {
			t.Errorf("%s is not in docs/dependencies.md", name)
		}
	}
}
