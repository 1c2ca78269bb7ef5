package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mrv-dev/mrv/engine/review"
)

// spellOut makes a command and all below it say how they are written when they
// are given something else: cobra counts arguments, and leaves out what was
// probably meant where a command takes none.
func spellOut(c *cobra.Command) {
	if c.HasSubCommands() && !c.Runnable() {
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
	if fits := c.Args; fits != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			switch {
			case fits(c, args) == nil:
				return nil
			case c.HasSubCommands():
				return unknownCommand(c, args[0])
			}
			return wrongCount(c, len(args))
		}
	}
	for _, sub := range c.Commands() {
		spellOut(sub)
	}
}

// unknownCommand names the command that was probably meant: by its spelling, or
// by what other tools call it.
func unknownCommand(c *cobra.Command, name string) error {
	var known []string
	near := ""
	for _, sub := range c.Commands() {
		known = append(known, sub.Name())
		if slices.Contains(sub.SuggestFor, name) {
			near = sub.Name()
		}
	}
	hint := c.CommandPath() + " --help lists them"
	if near = cmp.Or(near, review.Nearest(name, known)); near != "" {
		hint = fmt.Sprintf("did you mean %s %s?", c.CommandPath(), near)
	}
	return fmt.Errorf("unknown command %q for %q; %s", name, c.CommandPath(), hint)
}

func wrongCount(c *cobra.Command, n int) error {
	given := fmt.Sprintf("%d arguments were", n)
	switch n {
	case 0:
		given = "no argument was"
	case 1:
		given = "1 argument was"
	}
	return fmt.Errorf("%s given; it is written: %s", given, strings.TrimSuffix(c.UseLine(), " [flags]"))
}

// kinds say what the value of a flag is, by pflag's word for its type.
var kinds = map[string]string{
	"float64": "a number such as 2.5", "int": "a whole number", "int64": "a whole number", "bool": "true or false",
	"duration": "a duration such as 90s, 25m or 2h", "age": "an age such as 30d or 12h",
}

// badFlag words pflag's errors about a flag: which was probably meant, or what
// its value looks like.
func badFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError
	var bare *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(c, unknown)
	case errors.As(err, &value):
		f := value.GetFlag()
		if kind, ok := kinds[f.Value.Type()]; ok {
			return fmt.Errorf("--%s: %q is not %s", f.Name, value.GetValue(), kind)
		}
	case errors.As(err, &bare):
		name, _ := pflag.UnquoteUsage(bare.GetFlag())
		return fmt.Errorf("--%s wants a value: --%[1]s %s", bare.GetFlag().Name, name)
	}
	return err
}

func unknownFlag(c *cobra.Command, err *pflag.NotExistError) error {
	name := err.GetSpecifiedName()
	if err.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("unknown flag -%s; %s --help lists them", name, c.CommandPath())
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	hint := c.CommandPath() + " --help lists them"
	if near := review.Nearest(name, known); near != "" {
		hint = "did you mean --" + near + "?"
	}
	return fmt.Errorf("unknown flag --%s for %s; %s", name, c.CommandPath(), hint)
}

// helpCommand is cobra's, which takes a command that is not there for none.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Help about a command or a topic", GroupID: "setup", ValidArgsFunction: completeHelp,
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknownCommand(about, rest[0])
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// completeHelp completes commands and topics, one word after the other.
func completeHelp(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	about, rest, err := c.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, sub := range about.Commands() {
		if !sub.Hidden {
			out = append(out, sub.Name()+"\t"+sub.Short)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
