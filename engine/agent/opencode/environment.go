package opencode

import (
	_ "embed"
	"encoding/json"
)

//go:embed environment.json
var environmentJSON []byte

// environment maps each provider of the server's catalogue to the environment
// variables it reads. It is what the pinned server answers to GET /provider; a
// test compares the two, and writes the file with -update.
func environment() map[string][]string {
	var m map[string][]string
	if err := json.Unmarshal(environmentJSON, &m); err != nil {
		panic("opencode: environment.json: " + err.Error())
	}
	return m
}
