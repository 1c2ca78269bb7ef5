package main

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed topics/*.txt
var pages embed.FS

// topics are pages of help that belong to no one command.
func topics() []*cobra.Command {
	var out []*cobra.Command
	for _, t := range []struct{ name, short string }{
		{"exit-codes", "What a script can read from how mrv ends"},
		{"environment", "The variables that mrv reads"},
		{"json", "What --json prints"},
		{"trouble", "It says X: do Y"},
	} {
		page, err := pages.ReadFile("topics/" + t.name + ".txt")
		if err != nil { // the pages are embedded
			panic(err)
		}
		out = append(out, &cobra.Command{Use: t.name, Short: t.short, Long: strings.TrimSpace(string(page))})
	}
	return out
}
