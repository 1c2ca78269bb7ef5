package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine/agent/opencode"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/tui/text"
)

func setupCommand(s streams) *cobra.Command {
	c := &cobra.Command{Use: "setup", Short: "Install what mrv builds on, after asking", Args: cobra.NoArgs}
	var yes bool
	oc := &cobra.Command{
		Use: "opencode", Short: "Install OpenCode 1.x for mrv alone, with your own npm", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			name, err := opencode.Package()
			if err != nil {
				return err
			}
			dir := config.Directories().Data
			if !yes {
				if !s.inTTY {
					return errors.New("nobody is here to ask: add --yes to install " + name)
				}
				ok, err := ask(s, fmt.Sprintf("Install %s with npm into %s (about 180 MB, no script is run)?", name, dir))
				if err != nil {
					return err
				}
				if !ok {
					return errors.New("nothing was installed")
				}
			}
			b, err := opencode.Setup(c.Context(), opencode.SetupOptions{DataDir: dir, Progress: func(step string) {
				fmt.Fprintln(s.err, text.Line(s.say(step)))
			}})
			if err != nil {
				return err
			}
			s.tell("OpenCode %s is at %s", b.Version, b.Path)
			s.tell("next: %s gives a provider your key, mrv models lists what then can be asked", login(b))
			return nil
		},
	}
	oc.Flags().BoolVar(&yes, "yes", false, "do not ask")
	c.AddCommand(oc)
	return c
}
