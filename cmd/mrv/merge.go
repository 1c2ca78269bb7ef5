package main

import (
	"fmt"
	"io"
	"os"

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
		Long: "Reads findings as {\"findings\":[...]}, as JSON lines of the same objects, or as SARIF 2.1.0\n" +
			"(- is standard input), and prints each problem once with everyone who reported it.",
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
				who := "alone"
				if m.Confirmed {
					who = "confirmed"
				}
				fmt.Fprintf(s.out, "[%s] %s:%d  %s  (%s: %s)\n", m.Severity, text.Line(m.File), m.Line, text.Line(m.Title), who, text.Line(fmt.Sprint(m.Reviewers)))
			}
			fmt.Fprintf(s.out, "%d findings, %d problems\n", result.Findings, len(result.Merged))
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().StringVar(&diffFile, "diff", "", "the change the findings are about, to check their places")
	return c
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
