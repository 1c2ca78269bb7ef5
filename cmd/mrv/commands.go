package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// chapter is a part of the help: commands in the order in which they are used.
type chapter struct {
	id, title string
	commands  []*cobra.Command
}

// chapters are all commands, in the order of a review's life.
func chapters(s streams) []chapter {
	return []chapter{
		{"review", "Review a change:", []*cobra.Command{tuiCommand(s), reviewCommand(s), planCommand(s)}},
		{"again", "Come back to it:", []*cobra.Command{runsCommand(s), resumeCommand(s), replayCommand(s), mergeCommand(s)}},
		{"out", "Hand it on:", []*cobra.Command{publishCommand(s), pullCommand(s), inboxCommand(s), gateCommand(s)}},
		{"setup", "Set it up:", []*cobra.Command{
			doctorCommand(s), setupCommand(s), modelsCommand(s), personasCommand(s), configCommand(s), keysCommand(s), initCommand(s),
			versionCommand(s),
		}},
	}
}

// addCommands gives the root its commands, and them what all commands have.
func addCommands(root *cobra.Command, s streams) {
	cobra.EnableCommandSorting = false // cobra has no other way to keep their order
	for _, ch := range chapters(s) {
		root.AddGroup(&cobra.Group{ID: ch.id, Title: ch.title})
		for _, c := range ch.commands {
			c.GroupID = ch.id
			root.AddCommand(c)
		}
	}
	root.AddCommand(ciCommand(s))
	root.SetCompletionCommandGroupID("setup")
	root.AddCommand(topics()...)
	root.SetHelpCommand(helpCommand())
	root.SetFlagErrorFunc(badFlag)
	root.InitDefaultCompletionCmd()
	complete(root)
	spellOut(root)
}

func versionCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.out, "mrv "+version)
			return err
		},
	}
}
