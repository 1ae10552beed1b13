package village

import (
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestTheVillageStillImportsNeitherTheModelClientNorTheStore(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		read++
		for _, imported := range file.Imports {
			path, err := strconv.Unquote(imported.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, barred := range []string{"torve/internal/lang", "torve/internal/record", "ollama", "database/sql", "pgx", "sqlite"} {
				if strings.Contains(path, barred) {
					t.Errorf("%s imports %s", f.Name(), path)
				}
			}
		}
	}
	if read < 2 {
		t.Fatalf("%d files were read", read)
	}
	t.Log("every file of the package read, and none of them names the model client or the store")
}
