package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/tui/text"
)

func pullCommand(s streams) *cobra.Command {
	var repo, out, run string
	var asJSON bool
	c := &cobra.Command{
		Use: "pull [PR|URL]", Short: "Bring the review that stands on a pull request into .ai/reviews", Args: cobra.MaximumNArgs(1),
		Long: "Reads mrv's summary comment, if its author and its last editor are you or a publisher of the default\n" +
			"branch's .mrv/config.yaml, checks it, and writes the inbox. Answers in the inbox stay.\n" +
			"Exit 0 when the review is of the current head, 3 when it is stale (it is written all the same).",
		Example: "  mrv pull\n  mrv pull 123 --repo acme/shop --out .",
		RunE: func(c *cobra.Command, args []string) error {
			src, err := sourceOf(repo, args)
			if err != nil {
				return err
			}
			o := engine.PullOptions{Source: src, Out: out, Run: run}
			if clone, err := here(c.Context()); err == nil && out == "" { // without a clone nothing is tracked
				o.Tracked = trackedInbox(c.Context(), clone)
			}
			p, err := engine.Pull(c.Context(), o)
			for _, n := range append(p.Notes, p.Written.Notes...) {
				s.note("%s", n)
			}
			if err != nil {
				return err
			}
			if err := printPulled(s, p, asJSON); err != nil {
				return err
			}
			return exit(p.Exit())
		},
	}
	c.Flags().StringVar(&repo, "repo", "", "repository of the pull request, [HOST/]OWNER/NAME")
	c.Flags().StringVar(&out, "out", "", "write the inbox under this `DIRECTORY`")
	c.Flags().StringVar(&run, "run", "", "`RUN` that vouches for a review posted by a workflow")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func printPulled(s streams, p engine.PulledReview, asJSON bool) error {
	if asJSON {
		return writeJSON(s, struct {
			URL     string   `json:"url"`
			Author  string   `json:"author"`
			Run     string   `json:"run"`
			Head    string   `json:"head"`
			Stale   bool     `json:"stale"`
			Triaged bool     `json:"triaged"`
			Open    int      `json:"open"`
			Paths   []string `json:"paths"`
			Notes   []string `json:"notes,omitempty"`
		}{p.URL, p.Author, p.Meta.Run, p.Meta.Head, p.Stale, p.Meta.Triaged, p.Document.Counts.Accepted, p.Written.Paths, append(p.Notes, p.Written.Notes...)})
	}
	if !p.Meta.Triaged {
		s.note("nobody has triaged this review: none of its findings is open")
	}
	state := "of the current head"
	if p.Stale {
		state = "stale: the head has moved since"
	}
	s.tell("%s by %s, run %s, head %s, %s", text.Line(p.URL), text.Line(p.Author), text.Line(p.Meta.Run), text.Line(p.Meta.Head), state)
	for _, path := range p.Written.Paths {
		s.tell("wrote %s", text.Line(path))
	}
	return nil
}

// sourceOf names a pull request: by number, by URL, or the current branch's.
func sourceOf(repo string, args []string) (engine.SourceOptions, error) {
	dir, err := os.Getwd()
	if err != nil {
		return engine.SourceOptions{}, fmt.Errorf("finding the current directory: %w", err)
	}
	o := engine.SourceOptions{Repo: repo, Dir: dir, CacheDir: config.Directories().Cache}
	if len(args) > 0 {
		o.Ref = args[0]
	}
	return o, nil
}
