package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/text"
)

// runInfo is a line of `mrv runs`.
type runInfo struct {
	Run       string         `json:"run"`
	Change    string         `json:"change"`
	Title     string         `json:"title,omitempty"`
	Head      string         `json:"head"`
	Phase     event.Phase    `json:"phase"`
	Verdict   review.Verdict `json:"verdict,omitempty"`
	Findings  int            `json:"findings"`
	Undecided int            `json:"undecided"`
	Started   string         `json:"started"`
	Journal   string         `json:"journal"`
	Error     string         `json:"error,omitempty"`
}

// runID is the run's name, which its journal has.
func runID(path string) string { return strings.TrimSuffix(filepath.Base(path), ".jsonl") }

func describe(path string) runInfo {
	info := runInfo{Run: runID(path), Journal: path}
	_, events, err := journal.Read(path)
	if err != nil {
		info.Error = err.Error()
		return info
	}
	s, err := event.Fold(events)
	if err != nil || s.Plan == nil {
		info.Error = "it ended before it was planned"
		if err != nil {
			info.Error = err.Error()
		}
		return info
	}
	t := s.Tally()
	info.Change, info.Title, info.Head = s.Plan.Change.Name(), s.Plan.Change.Title, s.Plan.Change.Identity
	info.Phase, info.Verdict, info.Findings, info.Undecided = s.Phase, s.Verdict(), t.Total, t.Undecided
	info.Started = s.StartedWall
	return info
}

func runsCommand(s streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "runs", Short: "List the runs that are kept", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			paths, err := journal.Paths(config.Directories().Runs())
			if err != nil {
				return err
			}
			infos := make([]runInfo, 0, len(paths))
			for _, p := range paths {
				infos = append(infos, describe(p))
			}
			if asJSON {
				return writeJSON(s, infos)
			}
			if len(infos) == 0 {
				s.tell("no runs yet; mrv tui --demo makes one")
			}
			for _, i := range infos {
				if i.Error != "" {
					fmt.Fprintf(s.out, "%s  %s\n", i.Run, text.Line(s.say(i.Error)))
					continue
				}
				fmt.Fprintf(s.out, "%s  %s %s %s, %s  %s\n", i.Run, text.Pad(s.say(string(i.Phase)), 9), text.Pad(s.say(string(i.Verdict)), 20),
					padLeft(s.say(review.Count(i.Findings, "finding")), 11), s.say(fmt.Sprintf("%d undecided", i.Undecided)), text.Line(strings.TrimSpace(i.Change+"  "+i.Title)))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.AddCommand(runsRemove(s), runsPrune(s), runsExport(s))
	return c
}

func runsRemove(s streams) *cobra.Command {
	return &cobra.Command{
		Use: "rm RUN...", Short: "Remove runs", SuggestFor: []string{"remove", "delete"}, Args: cobra.MinimumNArgs(1), ValidArgsFunction: completeRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			for _, id := range args {
				path, err := journal.Find(config.Directories().Runs(), id)
				if err == nil {
					err = journal.Remove(path)
				}
				if err != nil {
					return err
				}
				s.tell("removed %s", runID(path))
			}
			return nil
		},
	}
}

func runsPrune(s streams) *cobra.Command {
	age := age(30 * day)
	var yes bool
	c := &cobra.Command{
		Use: "prune", Short: "Remove runs that are older than a time", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			paths, err := journal.Paths(config.Directories().Runs())
			if err != nil {
				return err
			}
			var old []string
			for _, p := range paths {
				st, err := os.Stat(p)
				if err != nil {
					return fmt.Errorf("looking at a run: %w", err)
				}
				if time.Since(st.ModTime()) > time.Duration(age) {
					old = append(old, p)
				}
			}
			if !yes && len(old) > 0 {
				s.tell("not used for %s: %s; mrv runs prune --older %[1]s --yes removes them", &age, review.Count(len(old), "run"))
				return nil
			}
			removed := 0
			for _, p := range old {
				var locked *journal.LockedError
				if err := journal.Remove(p); errors.As(err, &locked) {
					s.note("kept: %s", s.say(err.Error()))
				} else if err != nil {
					return err
				} else {
					removed++
				}
			}
			s.tell("removed %s", review.Count(removed, "run"))
			return nil
		},
	}
	c.Flags().Var(&age, "older", "`AGE` from which a run is removed, such as 30d or 12h")
	c.Flags().BoolVar(&yes, "yes", false, "remove without showing the count first")
	return c
}

const day = 24 * time.Hour

// age is a duration that is said in days where it has some: 30d, 12h.
type age time.Duration

func (a *age) String() string {
	if d := time.Duration(*a); d%day == 0 {
		return strconv.Itoa(int(d/day)) + "d"
	}
	return time.Duration(*a).String()
}

// Set reads one.
func (a *age) Set(text string) error {
	d, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		d = time.Duration(n) * day
	}
	if err != nil || d < 0 {
		return errors.New("an age is written like 30d or 12h")
	}
	*a = age(d)
	return nil
}

// Type is pflag's word for it.
func (*age) Type() string { return "age" }

func runsExport(s streams) *cobra.Command {
	var redact, all bool
	var format string
	c := &cobra.Command{
		Use: "export RUN", Short: "Print a run's journal, or its findings as JSON, Markdown or SARIF", Args: cobra.ExactArgs(1), ValidArgsFunction: completeRuns,
		Example: "  mrv runs export latest --redact > bug.jsonl\n  mrv runs export latest --format sarif > review.sarif",
		RunE: func(c *cobra.Command, args []string) error {
			path, err := journal.Find(config.Directories().Runs(), args[0])
			if err != nil {
				return err
			}
			if format != "journal" {
				return exportAs(c.Context(), s, path, format, all)
			}
			h, events, err := journal.Read(path)
			if err != nil {
				return err
			}
			enc := json.NewEncoder(s.out)
			if err := enc.Encode(h); err != nil {
				return err
			}
			for _, e := range events {
				if redact {
					e = event.Redact(e)
				}
				if err := enc.Encode(e); err != nil {
					return fmt.Errorf("writing the journal: %w", err)
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&format, "format", "journal", "journal, json, markdown or sarif")
	c.Flags().BoolVar(&all, "all", false, "all findings, not only the accepted ones (not for the journal, which has them all)")
	c.Flags().BoolVar(&redact, "redact", false, "leave out code, texts and names: only what happened when")
	return c
}

// exportAs prints a run's findings in a format for other tools.
func exportAs(ctx context.Context, s streams, path, format string, all bool) error {
	doc, err := engine.ReadDocument(ctx, path)
	if err != nil {
		return err
	}
	if !all {
		doc = doc.Triaged()
	}
	var raw []byte
	switch format {
	case "json":
		raw, err = document.JSON(doc)
	case "markdown":
		raw = []byte(document.Markdown(doc, all))
	case "sarif":
		raw, err = document.SARIF(doc, all)
	default:
		return fmt.Errorf("--format: %q is not known; use journal, json, markdown or sarif", format)
	}
	if err != nil {
		return err
	}
	if _, err := s.out.Write(raw); err != nil {
		return fmt.Errorf("writing the findings: %w", err)
	}
	return nil
}

func writeJSON(s streams, v any) error {
	enc := json.NewEncoder(s.out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false) // it is read by programs and people, not put into a page
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}
