package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/publish"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/text"
)

// ciCommand is for workflows; people publish with mrv publish.
func ciCommand(s streams) *cobra.Command {
	c := &cobra.Command{Use: "ci", Short: "What workflows call", Args: cobra.NoArgs, Hidden: true}
	var o engine.WorkflowOptions
	post := &cobra.Command{
		Use: "publish", Short: "Say on a pull request that a workflow has reviewed it", Args: cobra.NoArgs,
		Long: "Takes pull request and head from the forge's record of the workflow run, checks that the workflow is the\n" +
			"repository's own and untouched by the pull request, and posts one line; with --raw the findings, headed\n\"not triaged\".",
		RunE: func(c *cobra.Command, _ []string) error {
			url, err := engine.PublishWorkflow(c.Context(), o)
			if errors.Is(err, publish.ErrMoved) {
				return &exitError{code: review.ExitStale, err: err}
			}
			if err != nil {
				return err
			}
			s.tell("posted: %s", text.Line(url))
			return err
		},
	}
	post.Flags().StringVar(&o.Repo, "repo", "", "repository, [HOST/]OWNER/NAME")
	post.Flags().Int64Var(&o.Run, "run-id", 0, "`ID` of the workflow run that reviewed")
	post.Flags().BoolVar(&o.Raw, "raw", false, "post the findings although nobody has triaged them")
	post.Flags().IntVar(&o.Pull, "pr", 0, "`NUMBER` of the pull request, for a run that a comment started")
	for _, name := range []string{"repo", "run-id"} {
		_ = post.MarkFlagRequired(name) // the flags exist
	}
	c.AddCommand(post)
	return c
}
