package law

import (
	"strings"
	"testing"
)

// outside is what no file of a law may name: whatever asks a model, and whatever keeps rows.
var outside = []string{
	"torve/internal/lang", "torve/internal/record", "torve/internal/agent", "github.com/ollama",
	"database/sql", "github.com/jackc", "modernc.org/sqlite", "net",
}

func TestLawImportsNeitherTheModelClientNorTheStore(t *testing.T) {
	for name, f := range sources(t, true) {
		for _, path := range imports(t, f) {
			for _, no := range outside {
				if path == no || strings.HasPrefix(path, no+"/") {
					t.Errorf("%s imports %s", name, path)
				}
			}
		}
	}
	if t.Failed() {
		return
	}
	t.Log("every file of the package read, and none of them names the model client or the store")
}
