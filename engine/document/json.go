package document

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
)

// SchemaJSON is the JSON Schema (draft 2020-12) of what JSON writes.
//
//go:embed schema.json
var SchemaJSON []byte

// JSON is the whole document, for scripts. Characters that mean something in
// HTML are escaped, so that it can stand in a comment mark.
func JSON(d Document) ([]byte, error) {
	raw, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the review as JSON: %w", err)
	}
	return append(raw, '\n'), nil
}

// ParseJSON reads a document back. A schema this version does not know is an
// error that says so.
func ParseJSON(raw []byte) (Document, error) {
	var d Document
	dec := json.NewDecoder(bytes.NewReader(raw))
	if err := dec.Decode(&d); err != nil {
		return Document{}, fmt.Errorf("reading a review from JSON: %w", err)
	}
	if d.Schema != Schema {
		return Document{}, fmt.Errorf("reading a review from JSON: its schema is %q, this mrv knows %q", d.Schema, Schema)
	}
	return d, nil
}
