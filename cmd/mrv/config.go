package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/merge"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/personas"
	"github.com/mrv-dev/mrv/tui"
	"github.com/mrv-dev/mrv/tui/keys"
	"github.com/mrv-dev/mrv/tui/text"
)

func configCommand(s streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "config", Short: "What is set, and where it comes from", Args: cobra.NoArgs,
		Long: "Prints what your file and the environment set, and what each stands before: a flag goes before the\n" +
			"environment, then your file, then the project's, then what is built in. Blocking, publishers and gate\n" +
			"are the project's alone; models, keys and spending are yours alone. mrv plan shows a change's rules.",
		Example: "  mrv config\n  mrv config init\n  mrv config lint",
		RunE: func(*cobra.Command, []string) error {
			person, file, err := config.LoadPerson(config.Directories())
			if err != nil {
				return err
			}
			list := config.Describe(person, file)
			if asJSON {
				return writeJSON(s, append([]config.Value{}, list...))
			}
			printSettings(s, list, file)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.AddCommand(configInit(s), configExample(s), configTheme(s), configLint(s))
	return c
}

func printSettings(s streams, list []config.Value, file string) {
	width := 0
	for _, v := range list {
		width = max(width, len(v.Key))
	}
	for _, v := range list {
		fmt.Fprintf(s.out, "%-*s  %s  (%s", width, text.Line(v.Key), text.Line(v.Text), text.Line(v.From))
		if v.Over != "" {
			fmt.Fprint(s.out, s.say(fmt.Sprintf(", before %s", text.Line(v.Over))))
		}
		fmt.Fprintln(s.out, ")")
	}
	if len(list) == 0 {
		s.tell("all as built in; your file would be %s (mrv config init writes it)", text.Line(file))
	}
}

func configInit(s streams) *cobra.Command {
	return &cobra.Command{
		Use: "init", SuggestFor: []string{"new", "create", "edit"}, Short: "Write your configuration file, with every key commented out", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return writeOwn(s, "config.yaml", []byte(config.PersonExample()))
		},
	}
}

// writeOwn writes a file of the person's that is not there yet.
func writeOwn(s streams, name string, raw []byte) error {
	dir := config.Directories().Config
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making your configuration directory: %w", err)
	}
	if err := writeNew(s, dir, name, raw); err != nil {
		return err
	}
	s.note("it is %s", filepath.Join(dir, name))
	return nil
}

func configExample(s streams) *cobra.Command {
	var project bool
	c := &cobra.Command{
		Use: "example", SuggestFor: []string{"show"}, Short: "Print your configuration file with every key, commented out", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			example := config.PersonExample()
			if project {
				example = config.ProjectExample()
			}
			_, err := fmt.Fprint(s.out, example)
			return err
		},
	}
	c.Flags().BoolVar(&project, "project", false, "the project's instead: .mrv/config.yaml")
	return c
}

func configTheme(s streams) *cobra.Command {
	var own string
	c := &cobra.Command{
		Use: "theme NAME", Short: "Print the file of a built-in theme, to begin one of your own with", Args: cobra.ExactArgs(1),
		Example:           "  mrv config theme dark\n  mrv config theme dark --as mine",
		ValidArgsFunction: oneOf(tui.Themes()[1:]...), // without auto, which has no file
		RunE: func(_ *cobra.Command, args []string) error {
			raw, err := tui.ThemeFile(args[0])
			if err != nil {
				return err
			}
			if own == "" {
				_, err = s.out.Write(raw)
				return err
			}
			if filepath.Base(own) != own || own == "." || own == ".." {
				return fmt.Errorf("--as: %q is no name for a theme", own)
			}
			return writeOwn(s, filepath.Join("themes", own+".yaml"), raw)
		},
	}
	c.Flags().StringVar(&own, "as", "", "write it as your own theme of this `NAME`")
	return c
}

// configLint checks what is written and not yet in force: a mistake on the
// base branch stops every review there.
func configLint(s streams) *cobra.Command {
	return &cobra.Command{
		Use: "lint", SuggestFor: []string{"check", "validate"}, Short: "Check your files, and the project's as they are in the working tree", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			paths := config.Directories()
			l := linter{s: s}
			l.file(filepath.Join(paths.Config, "config.yaml"), func(name string, raw []byte) error {
				person, err := config.ParsePerson(name, raw)
				if err == nil {
					_, err = keys.New(remap(person))
				}
				return err
			})
			l.personas(filepath.Join(paths.Config, "personas"), personas.Options{})
			l.themes(filepath.Join(paths.Config, "themes"))
			if clone, err := here(c.Context()); err == nil { // outside of a clone there is no project
				l.file(filepath.Join(clone.Root, ".mrv/config.yaml"), func(name string, raw []byte) error {
					_, err := config.ParseProject(name, raw)
					return err
				})
				l.personas(filepath.Join(clone.Root, ".mrv/personas"), personas.Options{TiersOnly: true})
				l.file(filepath.Join(clone.Root, ".mrv/coordinator.md"), func(name string, raw []byte) error {
					if err := merge.LintTemplate(string(raw)); err != nil {
						return fmt.Errorf("%s: %w", name, err)
					}
					return nil
				})
			}
			return l.end()
		},
	}
}

// linter says of each file that is there whether it is right.
type linter struct {
	s       streams
	checked int
	bad     bool
}

func (l *linter) file(path string, check func(name string, raw []byte) error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		err = check(path, raw)
	}
	l.said(path, err)
}

// themes checks every theme of a directory.
func (l *linter) themes(dir string) {
	names, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		l.said(dir, err)
	}
	for _, path := range names {
		l.file(path, tui.LintTheme)
	}
}

// personas checks every persona of a directory, with its warnings.
func (l *linter) personas(dir string, o personas.Options) {
	for _, pattern := range []string{"*.yaml", "*.yml"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			l.said(dir, err)
		}
		for _, path := range names {
			l.persona(path, o)
		}
	}
}

func (l *linter) persona(path string, o personas.Options) {
	raw, err := os.ReadFile(path)
	if err != nil {
		l.said(path, fmt.Errorf("reading a persona: %w", err))
		return
	}
	errs, warnings := personas.Lint(raw, path, o)
	for _, w := range warnings {
		fmt.Fprintln(l.s.err, l.s.say("warning: "+text.Line(w.Error())))
	}
	for _, e := range errs {
		l.said(path, e)
	}
	if len(errs) == 0 {
		l.said(path, nil)
	}
}

func (l *linter) said(path string, err error) {
	l.checked++
	if err != nil {
		l.bad = true
		fmt.Fprintln(l.s.err, text.Line(l.s.say(err.Error())))
		return
	}
	fmt.Fprintln(l.s.out, l.s.say("ok")+"  "+text.Line(path))
}

func (l *linter) end() error {
	if l.bad {
		return exit(review.ExitUsage)
	}
	if l.checked == 0 {
		l.s.tell("there is nothing to check: neither you nor this repository has a file of mrv")
	}
	return nil
}
