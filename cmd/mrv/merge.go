package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/merge"
	"github.com/mrv-dev/mrv/tui/text"
)

func mergeCommand(s streams) *cobra.Command {
	var asJSON bool
	var diffFile string
	c := &cobra.Command{
		Use:   "merge FILE...",
		Short: "Merge findings of any tools, without a run",
		Long: "Reads findings as {\"findings\":[...]}, as that list alone, as JSON lines of the same objects, or as\n" +
			"SARIF 2.1.0 (- is standard input), and prints each problem once with everyone who reported it.",
		Example: "  mrv merge a.json b.sarif --json\n  mrv merge --diff change.diff findings.jsonl",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var items []merge.Item
			for _, name := range args {
				read, err := readItems(s, name)
				if err != nil {
					return err
				}
				items = append(items, read...)
			}
			if err := merge.Distinct(items); err != nil {
				return err
			}
			set, err := readDiff(diffFile)
			if err != nil {
				return err
			}
			result := merge.MergeItems(items, set)
			if asJSON {
				return writeJSON(s, result)
			}
			for _, m := range result.Merged {
				fmt.Fprintln(s.out, mergedLine(m))
			}
			s.tell("%s, %s", counted(result.Findings, "finding"), counted(len(result.Merged), "problem"))
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().StringVar(&diffFile, "diff", "", "the change the findings are about, to check their places")
	return c
}

// mergedLine is one problem for a person: where, what and who.
func mergedLine(m merge.MergedItem) string {
	place := cmp.Or(m.File, "no place")
	if m.Line > 0 {
		place += ":" + strconv.Itoa(m.Line)
	}
	what := strings.TrimSpace(cmp.Or(m.Title, m.Text))
	what, _, _ = strings.Cut(what, "\n")
	who := strings.Join(m.Reviewers, ", ")
	if m.Confirmed {
		who = "confirmed: " + who
	}
	return text.Line(fmt.Sprintf("[%s] %s  %s  (%s)", cmp.Or(string(m.Severity), "no severity"), place, what, who))
}

func readItems(s streams, name string) ([]merge.Item, error) {
	if name == "-" {
		return merge.ReadFindings(s.in, "standard input")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading findings: %w", err)
	}
	defer f.Close()
	return merge.ReadFindings(io.Reader(f), name)
}

func readDiff(name string) (*diff.Set, error) {
	if name == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading the diff: %w", err)
	}
	return diff.Parse(raw)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
