package cli

import (
	"bytes"
	_ "embed"
	"os"
	"path/filepath"

	"torve/internal/contract"
)

//go:embed config.schema.json
var configSchemaJSON []byte

// writeSchemas keeps the ignored .torve/schemas/ as this torve has them, for editors.
// It touches nothing where they are right, and nothing but a repository with .torve.
func writeSchemas(root string) error {
	if root == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(root, ".torve")); err != nil {
		return nil
	}
	for name, want := range map[string][]byte{"contract.json": contract.SchemaJSON(), "config.json": configSchemaJSON} {
		file := filepath.Join(root, ".torve", "schemas", name)
		if have, err := os.ReadFile(file); err == nil && bytes.Equal(have, want) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return broken("writing "+file, "", err)
		}
		if err := os.WriteFile(file, want, 0o644); err != nil {
			return broken("writing "+file, "", err)
		}
	}
	return nil
}
