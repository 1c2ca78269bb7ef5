package personas

import (
	_ "embed"
	"strings"
)

//go:embed starter.txt
var starter string

// Starter is a file for a new persona, to be written on.
func Starter(name string) []byte {
	return []byte(strings.ReplaceAll(starter, "NAME", name))
}
