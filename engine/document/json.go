package document

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
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
	if err := d.check(); err != nil {
		return Document{}, fmt.Errorf("reading a review from JSON: %w", err)
	}
	return d, nil
}

var hash = regexp.MustCompile(`^[0-9A-Za-z:]*$`)

// check refuses what Build never makes. A document that was read came from
// outside, and what follows relies on these.
func (d Document) check() error {
	for _, h := range []string{d.Change.Head, d.Change.Base, d.Change.MergeBase, d.Change.Identity} {
		if !hash.MatchString(h) {
			return fmt.Errorf("%q is no hash", h)
		}
	}
	seen := map[string]bool{}
	for _, f := range d.Findings {
		decided := f.Status == Rejected || f.Status == Escalated
		switch {
		case f.ID == "" || seen[f.ID]:
			return fmt.Errorf("the finding id %q is empty or doubled", f.ID)
		case !decided && f.Status != Open && f.Status != Undecided:
			return fmt.Errorf("%s: unknown status %q", f.ID, f.Status)
		case decided && f.Decision == nil:
			return fmt.Errorf("%s is %s by no decision", f.ID, f.Status)
		case f.Place.Start < 0 || f.Place.End < 0:
			return fmt.Errorf("%s: lines below zero", f.ID)
		}
		seen[f.ID] = true
	}
	return nil
}
