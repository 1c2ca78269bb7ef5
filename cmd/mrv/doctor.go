package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/agent/opencode"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/git"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/text"
)

// finding of the doctor: one part, what was found, and what to do about it.
type symptom struct {
	Part   string `json:"part"`
	State  string `json:"state"` // ok, missing, warn
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
}

func doctorCommand(s streams) *cobra.Command {
	var asJSON bool
	var binary string
	c := &cobra.Command{
		Use: "doctor", Short: "Say what is here and what is missing, with the remedy", Args: cobra.NoArgs,
		Long: "Looks at everything mrv builds on. mrv tui --demo and --agent checks need only git or nothing;\nAI reviewers need OpenCode 1.x and a model with credentials; pull requests need the forge.",
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(c.Context(), 90*time.Second)
			defer cancel()
			var list []symptom
			for found := range examine(ctx, s, binary) {
				list = append(list, found...)
				if !asJSON { // as it is found: asking OpenCode takes seconds
					printSymptoms(s, found)
				}
			}
			if asJSON {
				if err := writeJSON(s, list); err != nil {
					return err
				}
			}
			for _, d := range list {
				if d.State == "missing" {
					return exit(review.ExitUsage)
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().StringVar(&binary, "opencode", "", "`PATH` of the OpenCode 1.x binary")
	return c
}

func printSymptoms(s streams, list []symptom) {
	for _, d := range list {
		fmt.Fprintf(s.out, "%-9s %s %s\n", d.Part, text.Pad(s.say(d.State), 8), text.Line(s.say(d.Text)))
		if d.Remedy != "" {
			fmt.Fprintf(s.out, "%18s %s\n", "", text.Line(s.say(d.Remedy)))
		}
	}
}

// examine looks at one part after the other.
func examine(ctx context.Context, s streams, path string) iter.Seq[[]symptom] {
	return func(yield func([]symptom) bool) {
		for _, part := range []func() []symptom{
			func() []symptom { return []symptom{examineGit(ctx), examineRipgrep(), examinePlaces()} },
			func() []symptom { return examineOpenCode(ctx, path) },
			func() []symptom { return []symptom{examineForge(ctx), examineTerminal(s)} },
			examineConfig,
		} {
			if !yield(part()) {
				return
			}
		}
	}
}

// examinePlaces tries to write where runs and git objects are kept.
func examinePlaces() symptom {
	paths := config.Directories()
	if err := paths.Ready(); err != nil {
		return symptom{"places", "missing", err.Error(), "free the place, or move it: mrv help environment"}
	}
	return symptom{Part: "places", State: "ok", Text: "runs in " + paths.Runs() + ", git objects in " + paths.Cache}
}

func examineGit(ctx context.Context) symptom {
	v, err := git.Version(ctx)
	if err != nil {
		return symptom{"git", "missing", err.Error(), "install git"}
	}
	return symptom{Part: "git", State: "ok", Text: v}
}

func examineRipgrep() symptom {
	path, err := exec.LookPath("rg")
	if err != nil {
		return symptom{"rg", "warn", "ripgrep is not on PATH: reviewers can not grep", "install the package ripgrep"}
	}
	return symptom{Part: "rg", State: "ok", Text: path}
}

func examineOpenCode(ctx context.Context, path string) []symptom {
	paths := config.Directories()
	b, err := opencode.Find(ctx, opencode.FindOptions{Path: path, DataDir: paths.Data})
	if errors.Is(err, opencode.ErrNotFound) {
		return append(examineServed(ctx, nil), symptom{"opencode", "missing", "OpenCode is not here: no AI reviewers", "mrv setup opencode installs version " + opencode.Version + " for mrv alone"})
	}
	if err != nil {
		return []symptom{{"opencode", "missing", err.Error(), "mrv setup opencode installs version " + opencode.Version + " for mrv alone"}}
	}
	list := []symptom{{Part: "opencode", State: "ok", Text: fmt.Sprintf("%s at %s (%s)", b.Version, b.Path, b.Source), Remedy: b.Warning}}
	providers, err := catalog(ctx, b, paths)
	if err != nil {
		return append(list, symptom{"models", "missing", err.Error(), login(b) + " gives a provider a key"})
	}
	if len(providers) == 0 {
		return append(list, symptom{"models", "missing", "no provider has credentials", login(b) + ", or set a provider's key in the environment, such as OPENAI_API_KEY"})
	}
	for _, p := range providers {
		list = append(list, symptom{Part: "models", State: "ok", Text: fmt.Sprintf("%s: %d models (from %s)", p.ID, len(p.Models), p.Source)})
	}
	return append(list, examineServed(ctx, providers)...)
}

// examineServed compares what model servers on this machine serve with what a
// review needs: some cut a longer prompt without a word.
func examineServed(ctx context.Context, providers []opencode.Provider) []symptom {
	person, _, err := config.LoadPerson(config.Directories())
	if err != nil {
		return nil // said where the config is examined
	}
	var list []symptom
	lines, enough := engine.Served(ctx, providers, person)
	for i, line := range lines {
		state := "ok"
		if !enough[i] {
			state = "warn"
		}
		list = append(list, symptom{Part: "models", State: state, Text: line})
	}
	return list
}

func catalog(ctx context.Context, b opencode.Binary, paths config.Paths) ([]opencode.Provider, error) {
	person, err := opencode.ReadPerson(os.Getenv)
	if err != nil {
		return nil, err
	}
	return opencode.Catalog(ctx, opencode.CatalogConfig{Binary: b, RunRoot: catalogRoot(paths), Person: person})
}

func examineForge(ctx context.Context) symptom {
	const remedy = "gh auth login, or set GH_TOKEN; public repositories work without"
	token, source, err := forge.Token(ctx, "github.com")
	if err != nil {
		return symptom{"github", "warn", err.Error(), remedy}
	}
	if token == "" {
		return symptom{"github", "warn", "no token", remedy}
	}
	return symptom{Part: "github", State: "ok", Text: "a token from " + source}
}

func examineTerminal(s streams) symptom {
	if !s.outTTY {
		return symptom{"terminal", "warn", "standard output is no terminal", "mrv review runs without one"}
	}
	words := []string{"TERM=" + os.Getenv("TERM")}
	for _, v := range []string{"COLORTERM", "NO_COLOR", "TMUX", "LANG"} {
		if x := os.Getenv(v); x != "" {
			words = append(words, v+"="+x)
		}
	}
	return symptom{Part: "terminal", State: "ok", Text: strings.Join(words, " ")}
}

// examineConfig says where each value that is set came from.
func examineConfig() []symptom {
	paths := config.Directories()
	person, file, err := config.LoadPerson(paths)
	if err != nil {
		return []symptom{{"config", "missing", err.Error(), "mend the file; mrv refuses to guess"}}
	}
	var list []symptom
	for _, v := range config.Describe(person, file) {
		list = append(list, symptom{Part: "config", State: "ok", Text: fmt.Sprintf("%s = %s (%s)", v.Key, v.Text, v.From)})
	}
	return list
}
