package agent

import (
	"encoding/json"
	"strings"
)

// PromptText is a turn as one text, for agents that know no other form: what
// all reviewers share first, then the reviewer's own, then the JSON Schema of
// the answer if there is one.
func PromptText(t Turn) string {
	text := t.Text
	if t.Prefix != "" {
		text = strings.TrimRight(t.Prefix, "\n") + "\n\n" + t.Text
	}
	if t.Schema != nil {
		text += "\n\nAnswer with one JSON object and nothing else. It must fit this JSON Schema:\n" + string(t.Schema)
	}
	return text
}

// JSONIn is the JSON object in an answer that was asked for one, without the
// fence or the words around it; nil if there is none.
func JSONIn(text string) []byte {
	start, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if start < 0 || end < start || !json.Valid([]byte(text[start:end+1])) {
		return nil
	}
	return []byte(text[start : end+1])
}
