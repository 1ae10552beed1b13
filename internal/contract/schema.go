package contract

import (
	"bytes"
	_ "embed"
)

//go:embed contract.schema.json
var schemaJSON []byte

// SchemaJSON is the JSON Schema of a contract file, for editors.
func SchemaJSON() []byte { return bytes.Clone(schemaJSON) }
