package main

import (
	"fmt"

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
			person, file, err := config.LoadPerson(config.Directories())
			if err != nil {
				return err
			}
			said := config.First("lang", config.Choice{Text: lang, From: "flag"}, config.Env("MRV_LANG"), config.Choice{Text: string(person.Lang), From: file}).Text
			if said != "" && said != string(review.English) && said != string(review.Chinese) {
				return fmt.Errorf("--lang: %q is not known; use en or zh", said)
			}
			m, err := keys.New(remap(person))
			if err != nil {
				return err
			}
			return m.Markdown(s.out, nil, words.For(review.Lang(said)))
		},
	}
	c.Flags().StringVar(&lang, "lang", "", "en or zh")
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
