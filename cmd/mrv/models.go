package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine/agent/opencode"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/text"
)

func catalogRoot(p config.Paths) string { return filepath.Join(p.Cache, "opencode") }

func modelsCommand(s streams) *cobra.Command {
	var asJSON bool
	var binary string
	c := &cobra.Command{
		Use: "models", Short: "List the models that have credentials, with prices and windows", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			paths := config.Directories()
			b, err := opencode.Find(c.Context(), opencode.FindOptions{Path: binary, DataDir: paths.Data})
			if err != nil {
				return err
			}
			if s.errTTY {
				said := time.AfterFunc(slow, func() { fmt.Fprintln(s.err, "mrv: asking OpenCode which models there are") })
				defer said.Stop()
			}
			providers, err := catalog(c.Context(), b, paths)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(s, modelList(providers))
			}
			for _, p := range providers {
				for _, m := range p.Models {
					fmt.Fprintf(s.out, "%-48s %9s  %-22s %s\n", text.Line(m.Model.String()), contextWindow(m.Context), price(m), text.Line(strings.Join(m.Variants, ", ")))
				}
			}
			if len(providers) == 0 {
				s.tell("no provider has credentials; %s gives one a key, and so does its variable, such as OPENAI_API_KEY", login(b))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().StringVar(&binary, "opencode", "", "`PATH` of the OpenCode 1.x binary")
	return c
}

// modelJSON is a model as mrv models --json prints it.
type modelJSON struct {
	Model        string     `json:"model"` // PROVIDER/MODEL, as --model takes it
	Name         string     `json:"name"`
	Credentials  string     `json:"credentials"` // env, api or config: where the provider's stand
	Subscription bool       `json:"subscription"`
	Loopback     bool       `json:"loopback"` // it runs on this machine
	Context      int64      `json:"context"`  // tokens; 0 = not known
	Output       int64      `json:"output"`
	Price        *priceJSON `json:"price"` // null: not known
	Efforts      []string   `json:"efforts"`
	Released     string     `json:"released,omitempty"`
	Discontinued bool       `json:"discontinued"`
}

// priceJSON is in US dollars for a million tokens.
type priceJSON struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cache_read"`
	CacheWrite float64 `json:"cache_write"`
}

func modelList(providers []opencode.Provider) []modelJSON {
	out := []modelJSON{}
	for _, p := range providers {
		for _, m := range p.Models {
			j := modelJSON{
				Model: m.Model.String(), Name: m.Name, Credentials: p.Source, Subscription: p.Subscription, Loopback: p.Loopback,
				Context: m.Context, Output: m.Output, Efforts: append([]string{}, m.Variants...), Released: m.Released, Discontinued: m.Discontinued,
			}
			if m.Price == review.PriceKnown {
				j.Price = &priceJSON{m.Input, m.OutputPrice, m.CacheRead, m.CacheWrite}
			}
			out = append(out, j)
		}
	}
	return out
}

// login is the command that gives a provider a key; a private copy of OpenCode
// is not on PATH.
func login(b opencode.Binary) string {
	if path, err := exec.LookPath("opencode"); err == nil && path == b.Path {
		return "opencode auth login"
	}
	return b.Path + " auth login"
}

func contextWindow(tokens int64) string {
	if tokens == 0 {
		return "window ?"
	}
	return fmt.Sprintf("%dk", tokens/1000)
}

func price(m opencode.ModelInfo) string {
	if m.Price != review.PriceKnown {
		return "price " + string(m.Price)
	}
	return fmt.Sprintf("$%.2f / $%.2f per M", m.Input, m.OutputPrice)
}
