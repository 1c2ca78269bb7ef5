package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/personas"
	"github.com/mrv-dev/mrv/tui/text"
)

// ownPersonas are the built-in personas with the person's own over them.
func ownPersonas() ([]review.Persona, error) {
	list, err := personas.Builtin()
	if err != nil {
		return nil, err
	}
	own, err := personas.Load(filepath.Join(config.Directories().Config, "personas"))
	if err != nil {
		return nil, err
	}
	return personas.Merge(list, own), nil
}

func personasCommand(s streams) *cobra.Command {
	c := &cobra.Command{Use: "personas", Short: "The roles that reviewers play", Args: cobra.NoArgs}
	c.AddCommand(personasList(s), personasShow(s), personasNew(s), personasLint(s), personasSchema(s))
	return c
}

func personasList(s streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the personas", SuggestFor: []string{"ls"}, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			list, err := ownPersonas()
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(s, list)
			}
			for _, p := range list {
				fmt.Fprintf(s.out, "%-14s %s  (%s, %s)\n", p.Name, text.Line(p.Description), review.Count(len(p.Checks), "check"), text.Line(p.Source))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func personasShow(s streams) *cobra.Command {
	var lang string
	c := &cobra.Command{
		Use: "show NAME", Short: "Show one persona: its labels, its prompt and its checks", Args: cobra.ExactArgs(1),
		ValidArgsFunction: completePersonas,
		RunE: func(_ *cobra.Command, args []string) error {
			if lang != "en" && lang != "zh" {
				return fmt.Errorf("--lang: %q is not known; use en or zh", lang)
			}
			list, err := ownPersonas()
			if err != nil {
				return err
			}
			p, ok := personas.Find(list, args[0])
			if !ok {
				return fmt.Errorf("there is no persona %q; mrv personas list shows them", args[0])
			}
			showPersona(s, p, review.Lang(lang))
			return nil
		},
	}
	c.Flags().StringVar(&lang, "lang", "en", "en or zh")
	return c
}

func showPersona(s streams, p review.Persona, lang review.Lang) {
	l := p.LabelsIn(lang)
	fmt.Fprintf(s.out, "%s  %s\n%s\nlabels: %s / %s / %s\n", p.Name, text.Line(review.In(p.Title, lang)), text.Line(p.Source),
		text.Line(l.Pass), text.Line(l.Concerns), text.Line(l.Block))
	if len(p.Paths) > 0 {
		fmt.Fprintf(s.out, "paths: %s\n", text.Line(strings.Join(p.Paths, ", ")))
	}
	fmt.Fprintf(s.out, "\n%s\n", text.Clean(personas.Prompt(p, lang)))
	for _, k := range p.Checks {
		fmt.Fprintf(s.out, "\ncheck %s [%s] %s\n  %s\n", k.ID, k.Severity, text.Line(review.In(k.Title, lang)), text.Line(k.Pattern))
	}
}

// personasNew writes a persona to begin with.
func personasNew(s streams) *cobra.Command {
	var project bool
	c := &cobra.Command{
		Use: "new NAME", Short: "Write a file for a persona of your own", SuggestFor: []string{"add", "create", "init"}, Args: cobra.ExactArgs(1),
		Example: "  mrv personas new accessibility\n  mrv personas new accessibility --project",
		RunE: func(c *cobra.Command, args []string) error {
			name, raw := args[0], personas.Starter(args[0])
			if errs, _ := personas.Lint(raw, name, personas.Options{TiersOnly: true}); len(errs) > 0 {
				return errors.New(errs[0].Text)
			}
			dir, file := config.Directories().Config, "personas/"+name+".yaml"
			if project {
				clone, err := here(c.Context())
				if err != nil {
					return err
				}
				dir, file = clone.Root, ".mrv/"+file
			} else if err := os.MkdirAll(dir, 0o700); err != nil {
				return fmt.Errorf("making your configuration directory: %w", err)
			}
			if err := writeNew(s, dir, file, raw); err != nil {
				return err
			}
			s.note("write on %s, check it with mrv config lint, use it with --team %s", filepath.Join(dir, file), name)
			return nil
		},
	}
	c.Flags().BoolVar(&project, "project", false, "the repository's: .mrv/personas, in force once it is on the base branch")
	return c
}

func personasSchema(s streams) *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of a persona's file, for editors", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := s.out.Write(personas.Schema())
			return err
		},
	}
}

func personasLint(s streams) *cobra.Command {
	var project bool
	c := &cobra.Command{
		Use: "lint FILE...", Short: "Check persona files", SuggestFor: []string{"check", "validate"}, Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			l := linter{s: s}
			for _, file := range args {
				l.persona(file, personas.Options{TiersOnly: project})
			}
			return l.end()
		},
	}
	c.Flags().BoolVar(&project, "project", false, "as a repository's own persona: model tiers only")
	return c
}
