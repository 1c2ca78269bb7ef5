package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// commands lists the commands in the order of a review's life.
func commands(s streams) []*cobra.Command {
	return []*cobra.Command{
		tuiCommand(s), reviewCommand(s), planCommand(s),
		runsCommand(s), resumeCommand(s), replayCommand(s), mergeCommand(s),
		publishCommand(s), pullCommand(s), gateCommand(s), ciCommand(s), initCommand(s),
		inboxCommand(s),
		personasCommand(s), modelsCommand(s), keysCommand(s), setupCommand(s), doctorCommand(s),
		versionCommand(s),
	}
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
