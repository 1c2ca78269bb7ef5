package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/tui/text"
)

// workflows are examples: they run as they are, with checks for an agent.
//
//go:embed workflows/*.yml
var workflows embed.FS

func initCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use: "init", Short: "Write a configuration and example workflows into this repository", Args: cobra.NoArgs,
		Long: "Writes .mrv/config.yaml with everything commented out, and workflows for pull requests and for the\n" +
			"comments /multi-review and /mr. A file that exists is left alone. Nothing is committed.",
		RunE: func(c *cobra.Command, _ []string) error {
			clone, err := here(c.Context())
			if err != nil {
				return err
			}
			names, err := fs.Glob(workflows, "workflows/*.yml")
			if err != nil {
				return fmt.Errorf("listing the workflows: %w", err)
			}
			if err := writeNew(s, clone.Root, ".mrv/config.yaml", []byte(config.ProjectExample())); err != nil {
				return err
			}
			build, _ := debug.ReadBuildInfo()
			to := pin(version, build)
			for _, n := range names {
				raw, err := workflows.ReadFile(n)
				if err != nil {
					return fmt.Errorf("reading a workflow: %w", err)
				}
				if err := writeNew(s, clone.Root, ".github/"+n, withPin(raw, to)); err != nil {
					return err
				}
			}
			if to == "" {
				s.note("this mrv was built from no commit: the workflows take its actions from the branch main; name a commit or a tag there")
			}
			s.note("read them, take off the # of what you want, and commit them; mrv config lint checks them")
			return nil
		},
	}
	return c
}

// writeNew writes a file that is not there yet, never through a link out of
// the repository.
func writeNew(s streams, dir, name string, data []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("opening the repository: %w", err)
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("making a place for %s: %w", name, err)
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		fmt.Fprintln(s.out, text.Pad(s.say("kept"), 5)+" "+text.Line(name))
		return nil
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	fmt.Fprintln(s.out, text.Pad(s.say("wrote"), 5)+" "+text.Line(name))
	return nil
}
