package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/engine/publish"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/text"
)

// postFlags are what the person chooses about a post.
type postFlags struct {
	dry, untriaged, suggest, yes, asJSON bool
	event, moved                         string
	security                             []string
}

func publishCommand(s streams) *cobra.Command {
	var f postFlags
	c := &cobra.Command{
		Use: "publish RUN", Short: "Post what was accepted to the pull request", Args: cobra.ExactArgs(1), ValidArgsFunction: completeRuns,
		Long: "Shows where each accepted finding will land, then posts: comments on lines as one review, the rest in\n" +
			"one summary comment that later runs update in place. Nothing is posted to a head that has moved.\n" +
			"Exit 0 when posted (or when it could be, with --dry-run), 3 when the head has moved, else 2.",
		Example: "  mrv publish latest --dry-run\n  mrv publish latest --event request-changes\n  mrv publish latest --on-moved reanchor",
		RunE: func(c *cobra.Command, args []string) error {
			opt, err := f.options()
			if err != nil {
				return err
			}
			path, err := journal.Find(config.Directories().Runs(), args[0])
			if err != nil {
				return err
			}
			if f.suggest || len(f.security) > 0 {
				if err := f.perFinding(c.Context(), s, path, &opt); err != nil {
					return err
				}
			}
			if f.dry {
				p, err := engine.PreviewPost(c.Context(), path, opt)
				if err != nil {
					return err
				}
				return errors.Join(f.show(s, p), stopped(p))
			}
			return f.post(c.Context(), s, path, opt)
		},
	}
	fl := c.Flags()
	fl.BoolVar(&f.dry, "dry-run", false, "show what would be posted, and post nothing")
	fl.BoolVar(&f.untriaged, "untriaged", false, "post a run that nobody has triaged: the summary only, headed as such")
	fl.StringVar(&f.event, "event", "comment", "comment, request-changes or approve")
	fl.StringVar(&f.moved, "on-moved", "", "when the head has moved: reanchor (onto lines that did not change) or summary (alone)")
	fl.BoolVar(&f.suggest, "suggest", false, "offer replacements as suggestions; their diffs are shown first")
	fl.StringSliceVar(&f.security, "post-security", nil, "post this critical security finding (`ID`) on a public page")
	fl.BoolVar(&f.yes, "yes", false, "do not ask on the terminal")
	fl.BoolVar(&f.asJSON, "json", false, "print JSON")
	return c
}

func (f *postFlags) options() (publish.Options, error) {
	o := publish.Options{Untriaged: f.untriaged}
	switch f.event {
	case "comment":
		o.Event = forge.EventComment
	case "request-changes":
		o.Event = forge.EventRequestChanges
	case "approve":
		o.Event = forge.EventApprove
	default:
		return o, fmt.Errorf("--event: %q is not known; use comment, request-changes or approve", f.event)
	}
	switch o.OnMoved = publish.OnMoved(f.moved); o.OnMoved {
	case publish.Refuse, publish.Reanchor, publish.SummaryOnly:
		return o, nil
	}
	return o, fmt.Errorf("--on-moved: %q is not known; use reanchor or summary", f.moved)
}

// perFinding turns what was chosen for single findings into options, and asks
// for each security finding that is to stand on a public page.
func (f *postFlags) perFinding(ctx context.Context, s streams, path string, o *publish.Options) error {
	doc, err := engine.ReadDocument(ctx, path)
	if err != nil {
		return err
	}
	o.PostSecurity, o.Suggest = map[string]bool{}, map[string]bool{}
	known := map[string]bool{}
	for _, x := range doc.Findings {
		known[x.ID] = true
		o.Suggest[x.ID] = f.suggest && x.Replacement != ""
	}
	for _, id := range f.security {
		if !known[id] {
			return fmt.Errorf("--post-security: there is no finding %q in %s", id, doc.Run)
		}
		if s.inTTY && !f.yes && !f.dry {
			yes, err := ask(s, fmt.Sprintf("%s is a critical security finding. A private report reaches the maintainers alone (the repository's page, Security, Report a vulnerability). Post it where anybody may read it?", id))
			if err != nil {
				return err
			}
			if !yes {
				continue
			}
		}
		o.PostSecurity[id] = true
	}
	return nil
}

// stopped is the exit for a plan that can not be posted.
func stopped(p publish.Planned) error {
	if p.Blocked == "" {
		return nil
	}
	code := review.ExitUsage
	if p.Moved && p.Opt.OnMoved == publish.Refuse {
		code = review.ExitStale
	}
	return &exitError{code: code, err: &publish.Blocked{Why: p.Blocked}}
}

func (f *postFlags) post(ctx context.Context, s streams, path string, opt publish.Options) (err error) {
	run, err := engine.Open(ctx, path, engine.Options{Paths: config.Directories(), Version: version}, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeRun(run)) }()
	p, err := run.PlanPost(ctx, opt)
	if err != nil {
		return err
	}
	if !f.asJSON || p.Blocked != "" {
		if err := f.show(s, p); err != nil {
			return err
		}
	}
	if err := stopped(p); err != nil {
		return err
	}
	if s.inTTY && !f.yes {
		yes, err := ask(s, "Post this to "+p.Facts.PR.URL+"?")
		if err != nil {
			return err
		}
		if !yes {
			return errors.New("nothing was posted")
		}
	}
	sent, err := run.Post(ctx, p)
	if errors.Is(err, publish.ErrMoved) {
		return &exitError{code: review.ExitStale, err: err}
	}
	if err != nil {
		return err
	}
	if f.asJSON {
		return writeJSON(s, sent.Export())
	}
	for _, n := range sent.Notes {
		s.tell("%s", text.Line(n))
	}
	s.tell("posted: %s", text.Line(sent.URL))
	return err
}

// postJSON is a plan for scripts.
type postJSON struct {
	Change   string            `json:"change"`
	Title    string            `json:"title"`
	Head     string            `json:"head"`
	Current  string            `json:"current"`
	As       string            `json:"as"`
	Event    forge.ReviewEvent `json:"event"`
	Planned  event.Destination `json:"planned"`
	Reported []string          `json:"not_counted,omitempty"`
}

// show prints what would be posted.
func (f *postFlags) show(s streams, p publish.Planned) error {
	d, pr := p.Destination(), p.Facts.PR
	if f.asJSON {
		return writeJSON(s, postJSON{
			Change: p.Doc.Change.Name, Title: pr.Title, Head: p.Doc.Change.Head, Current: pr.HeadSHA, As: p.Facts.Viewer.Login, Event: p.Opt.Event,
			Planned: d, Reported: p.Facts.Reported,
		})
	}
	fmt.Fprintf(s.out, "%s  %s\n", text.Line(p.Doc.Change.Name), text.Line(pr.Title))
	s.tell("head %s, as %s, %s", p.Doc.Change.Head, text.Line(p.Facts.Viewer.Login),
		strings.ToLower(strings.ReplaceAll(string(p.Opt.Event), "_", " ")))
	for i, x := range d.Items {
		fmt.Fprintf(s.out, "%s %-16s %s", text.Pad(s.say(x.As), 8), x.Entry, text.Line(x.Where))
		if x.Why != "" {
			fmt.Fprintf(s.out, "  (%s)", text.Line(s.say(x.Why)))
		}
		fmt.Fprintln(s.out)
		showSuggestion(s, p, p.Posts[i])
	}
	if len(d.Items) == 0 {
		s.tell("no finding is accepted: the summary alone")
	}
	for _, o := range p.Gone {
		s.tell("withdraw %s", text.Line(o.URL))
	}
	for _, r := range p.Facts.Reported {
		s.note("%s", r)
	}
	return nil
}

// showSuggestion prints the diff of a replacement that will be offered.
func showSuggestion(s streams, p publish.Planned, x publish.Post) {
	if !p.Opt.Suggest[x.ID] || !strings.Contains(x.Body, "```suggestion") {
		return
	}
	i := slices.IndexFunc(p.Doc.Findings, func(f document.Finding) bool { return f.ID == x.ID })
	printMarked(s, "-", p.Doc.Findings[i].Quote)
	printMarked(s, "+", p.Doc.Findings[i].Replacement)
}

func printMarked(s streams, mark, lines string) {
	for _, l := range strings.Split(strings.Trim(lines, "\n"), "\n") {
		fmt.Fprintf(s.out, "         %s %s\n", mark, text.Line(l))
	}
}
