package personas

import (
	_ "embed"
	"slices"
)

//go:embed schema.json
var schema []byte

// Schema is the JSON Schema of a persona's file, for editors. It says what
// can be said without a regular expression engine or the other personas; Lint
// says the rest.
func Schema() []byte { return slices.Clone(schema) }
