package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/inbox"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui"
)

// values completes the value of a flag, whichever command has it. What a shell
// asks for must come at once: nothing here starts a server or asks a forge.
var values = map[string]cobra.CompletionFunc{
	"agent": completeAgents, "model": completeModels, "team": completeTeam, "run": completeRuns,
	"theme": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return tui.Themes(), noFiles
	},
	"tier":     oneOf("trivial", "lite", "full"),
	"lang":     oneOf("en", "zh"),
	"effort":   oneOf("low", "medium", "high", "max"),
	"fail-on":  oneOf("critical", "warning", "suggestion", "none"),
	"format":   oneOf("journal", "json", "markdown", "sarif"),
	"event":    oneOf("comment", "request-changes", "approve"),
	"on-moved": oneOf("reanchor", "summary"),
	"out":      directories,
}

const noFiles = cobra.ShellCompDirectiveNoFileComp

func oneOf(list ...string) cobra.CompletionFunc { return cobra.FixedCompletions(list, noFiles) }

func directories(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// complete gives a command and all below it their completions.
func complete(c *cobra.Command) {
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if fill, ok := values[f.Name]; ok {
			_ = c.RegisterFlagCompletionFunc(f.Name, fill) // the flag exists and has none
		}
	})
	if c.CommandPath() == "mrv inbox resolve" {
		c.ValidArgsFunction = completeOutcomes
	}
	if c.ValidArgsFunction == nil && !strings.Contains(c.Use, "FILE") {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	for _, sub := range c.Commands() {
		complete(sub)
	}
}

// completeRuns completes ids of runs, with what the newest were about.
func completeRuns(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	const described = 15
	paths, err := journal.Paths(config.Directories().Runs())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	out := make([]string, 0, len(paths)+1)
	if len(paths) > 0 {
		out = append(out, "latest")
	}
	for i, p := range paths {
		id := runID(p)
		if i < described {
			if info := describe(p); info.Error == "" {
				id += fmt.Sprintf("\t%s, %s", info.Change, review.Count(info.Findings, "finding"))
			}
		}
		out = append(out, id)
	}
	return out, noFiles | cobra.ShellCompDirectiveKeepOrder
}

// completeOutcomes completes what an answer to a finding can be, behind its id.
func completeOutcomes(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return nil, noFiles
	}
	return []string{string(inbox.Fixed), string(inbox.Rejected), string(inbox.Escalated)}, noFiles
}

// completePersonas completes one persona.
func completePersonas(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	list, err := ownPersonas()
	if err != nil || len(args) > 0 {
		return nil, noFiles
	}
	out := make([]string, 0, len(list))
	for _, p := range list {
		out = append(out, p.Name+"\t"+p.Description)
	}
	return out, noFiles
}

// completeTeam completes the last persona of quality:1,secur
func completeTeam(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	list, err := ownPersonas()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	done := typed[:strings.LastIndexByte(typed, ',')+1]
	var out []string
	for _, p := range list {
		if !slices.ContainsFunc(strings.Split(done, ","), func(part string) bool {
			name, _, _ := strings.Cut(part, ":")
			return name == p.Name
		}) {
			out = append(out, done+p.Name+"\t"+p.Description)
		}
	}
	return out, noFiles | cobra.ShellCompDirectiveNoSpace
}

func completeAgents(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	out := []string{engine.AgentOpenCode, engine.AgentChecks}
	person, _, err := config.LoadPerson(config.Directories())
	if err != nil {
		return out, noFiles
	}
	for _, name := range slices.Sorted(maps.Keys(person.Endpoints)) {
		out = append(out, engine.AgentDirect+":"+name)
	}
	for _, name := range slices.Sorted(maps.Keys(person.Commands)) {
		out = append(out, engine.AgentCommand+":"+name)
	}
	return out, noFiles
}

// completeModels completes the models that the person's file names.
func completeModels(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	person, _, err := config.LoadPerson(config.Directories())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return person.Models(), noFiles
}
