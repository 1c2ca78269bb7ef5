package main

import (
	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/keys"
	"github.com/mrv-dev/mrv/tui/words"
)

func keysCommand(s streams) *cobra.Command {
	var lang string
	c := &cobra.Command{
		Use: "keys", Short: "Print the table of keys, as your config.yaml has them", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			person, _, err := config.LoadPerson(config.Directories())
			if err != nil {
				return err
			}
			m, err := keys.New(remap(person))
			if err != nil {
				return err
			}
			return m.Markdown(s.out, nil, words.For(review.Lang(lang)))
		},
	}
	c.Flags().StringVar(&lang, "lang", "en", "en or zh")
	return c
}

// remap is the person's own keys.
func remap(p config.Person) map[string][]string {
	out := map[string][]string{}
	for id, keys := range p.Keys {
		out[id] = keys
	}
	return out
}
