package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/git"
	"github.com/mrv-dev/mrv/engine/inbox"
	"github.com/mrv-dev/mrv/tui/text"
)

func inboxCommand(s streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "inbox [NAME]", Short: "Is the review in .ai/reviews fresh, what is open, what is answered",
		Long: "Exit 0 when the review in the inbox is about the commit that is checked out (or that plus your\nown commits answering it), 3 when it is stale.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			clone, err := here(c.Context())
			if err != nil {
				return err
			}
			stem := ""
			if len(args) > 0 {
				stem = args[0]
			}
			status, err := inbox.Read(c.Context(), clone.Root, stem, cloneRepo{clone}, trackedInbox(c.Context(), clone)...)
			if err != nil {
				return err
			}
			if asJSON {
				if err := writeJSON(s, status); err != nil {
					return err
				}
				return exit(status.Exit())
			}
			printInbox(s, status)
			return exit(status.Exit())
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.AddCommand(resolveCommand(s))
	return c
}

func here(ctx context.Context) (*git.Clone, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("finding the current directory: %w", err)
	}
	return git.Discover(ctx, dir)
}

func printInbox(s streams, st inbox.Status) {
	state := "fresh"
	if !st.Fresh {
		state = "stale"
	}
	fmt.Fprintf(s.out, "%s  %s: %s\n", text.Line(st.Path), s.say(state), text.Line(s.say(st.Why)))
	for _, f := range st.Open {
		fmt.Fprintf(s.out, "%s %-16s [%s] %s  %s\n", text.Pad(s.say("open"), 9), f.ID, s.say(string(f.Severity)), text.Line(f.Where), text.Line(f.Title))
	}
	for _, a := range st.Answered {
		fmt.Fprintf(s.out, "%s %-16s %s: %s (%s)\n", text.Pad(s.say("answered"), 9), a.Finding.ID, s.say(string(a.Answer.Outcome)), text.Line(a.Answer.Note), s.say(string(a.Standing)))
	}
	for _, b := range st.Bad {
		s.note("answers, line %d: %s", b.Line, b.Why)
	}
	for _, a := range st.Unknown {
		s.note("an answer to %s, which is not open in this review", a.ID)
	}
	for _, n := range st.Notes {
		s.note("%s", n)
	}
}

func resolveCommand(s streams) *cobra.Command {
	var note, stem string
	c := &cobra.Command{
		Use: "resolve ID fixed|rejected|escalated --note TEXT", Short: "Answer one finding of the inbox", Args: cobra.ExactArgs(2),
		Example: "  mrv inbox resolve security-1.2 fixed --note \"bound the parameter\"",
		RunE: func(c *cobra.Command, args []string) error {
			if note == "" {
				return errors.New("an answer needs --note: what was done, or why not")
			}
			clone, err := here(c.Context())
			if err != nil {
				return err
			}
			where, err := inbox.Resolve(clone.Root, stem, inbox.Answer{ID: args[0], Outcome: inbox.Outcome(args[1]), Note: note}, time.Now())
			if err != nil {
				return err
			}
			s.tell("noted in %s", text.Line(where))
			return nil
		},
	}
	c.Flags().StringVar(&note, "note", "", "what was done, or why not")
	c.Flags().StringVar(&stem, "review", "", "which review, such as pr-123; the latest without it")
	return c
}

// cloneRepo answers the inbox's questions from the clone.
type cloneRepo struct{ clone *git.Clone }

func (r cloneRepo) Head(ctx context.Context) (string, error) { return r.clone.Head(ctx) }

func (r cloneRepo) Since(ctx context.Context, from string) ([]inbox.Commit, bool, error) {
	list, ok, err := r.clone.Since(ctx, from)
	commits := make([]inbox.Commit, 0, len(list))
	for _, c := range list {
		commits = append(commits, inbox.Commit{SHA: c.SHA, Author: c.Author, Committer: c.Committer, Parents: c.Parents})
	}
	return commits, ok, err
}

func (r cloneRepo) Tree(ctx context.Context) (string, error) {
	store, err := cloneStore(ctx, r.clone)
	if err != nil {
		return "", err
	}
	w, err := store.WorktreeTree(ctx)
	return w.Tree, err
}

func cloneStore(ctx context.Context, clone *git.Clone) (*git.Store, error) {
	return git.OpenStore(ctx, git.Place(config.Directories().Cache, clone, "", "", ""), clone)
}

// trackedInbox lists inbox files that HEAD itself tracks; they are no inbox.
func trackedInbox(ctx context.Context, clone *git.Clone) []string {
	store, err := cloneStore(ctx, clone)
	if err != nil {
		return nil // without a store nothing is known to be tracked
	}
	head, err := clone.Head(ctx)
	if err != nil {
		return nil // a repository without a commit tracks nothing
	}
	list, err := store.List(ctx, head, inbox.Dir)
	if err != nil {
		return nil // no such folder at HEAD
	}
	paths := make([]string, 0, len(list))
	for _, e := range list {
		paths = append(paths, e.Path)
	}
	return paths
}

// File reads a file of the working tree, never out of it.
func (r cloneRepo) File(_ context.Context, path string) (string, error) {
	root, err := os.OpenRoot(r.clone.Root)
	if err != nil {
		return "", fmt.Errorf("opening the working tree: %w", err)
	}
	defer root.Close()
	info, err := root.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no plain file", path)
	}
	raw, err := root.ReadFile(path)
	return string(raw), err
}

func (r cloneRepo) Me(ctx context.Context) (string, error) { return r.clone.Email(ctx) }
