package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/text"
)

// spoken is the language a person is told things in: the flag's, the
// environment's, else that of their file. It is known before the arguments are
// read in whole, so that what is wrong with these is told in it too.
func spoken(args []string) review.Lang {
	flags := pflag.NewFlagSet("mrv", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}
	said := flags.String("lang", "", "")
	flags.BoolP("help", "h", false, "")
	_ = flags.Parse(args) // what is wrong is said where they are read
	if *said == "" {
		*said = os.Getenv("MRV_LANG")
	}
	if *said == "" {
		if person, _, err := config.LoadPerson(config.Directories()); err == nil {
			*said = string(person.Lang)
		}
	}
	if *said == string(review.Chinese) {
		return review.Chinese
	}
	return review.English
}

// speaking are the same streams in another language: a run's own, where it is known.
func (s streams) speaking(lang review.Lang) streams {
	if lang != "" {
		s.lang = lang
	}
	return s
}

// say words a sentence of mrv's own, which is English, in the person's language.
func (s streams) say(sentence string) string { return review.Say(s.lang, sentence) }

// tell writes a line of a command's answer; its arguments are clean.
func (s streams) tell(format string, args ...any) {
	fmt.Fprintln(s.out, s.say(fmt.Sprintf(format, args...)))
}

// note writes a line beside the answer.
func (s streams) note(format string, args ...any) {
	fmt.Fprintln(s.err, "mrv: "+text.Line(s.say(fmt.Sprintf(format, args...))))
}

// padLeft puts a word at the right end of w cells.
func padLeft(word string, w int) string { return text.Pad("", w-text.Width(word)) + word }

// complain prints an error as one clean line.
func complain(s streams, err error) {
	var said []string
	for line := range strings.SplitSeq(err.Error(), "\n") { // of joined errors
		said = append(said, s.say(line))
	}
	fmt.Fprintln(s.err, "mrv: "+text.Line(strings.Join(said, "\n")))
}

// speaks gives every command that has none of its own the flag for the language.
func speaks(root *cobra.Command) {
	root.PersistentFlags().String("lang", "", "language of what is said: en or zh; help, JSON and journals are English")
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		f := c.Flags().Lookup("lang")
		if f == nil { // a command that parses no flags
			return nil
		}
		if v := f.Value.String(); v != "" && v != string(review.English) && v != string(review.Chinese) {
			return fmt.Errorf("--lang: %q is not known; use en, zh", v)
		}
		return nil
	}
}
