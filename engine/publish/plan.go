package publish

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/review"
)

// MaxInline is how many comments go onto lines and files; the rest stands in
// the summary. (reviewdog's figure; more drown a pull request.)
const MaxInline = 30

// OnMoved says what to do when the head moved after the review.
type OnMoved string

// What can be done about a moved head.
const (
	Refuse      OnMoved = ""         // nothing is posted
	Reanchor    OnMoved = "reanchor" // onto lines that did not change, the rest in the summary
	SummaryOnly OnMoved = "summary"
)

// Options are what the person chose.
type Options struct {
	Untriaged bool // post a run that nobody has decided on, as such
	Event     forge.ReviewEvent
	OnMoved   OnMoved
	// PostSecurity are the ids of critical security findings that go onto a
	// public page because the person said so of each.
	PostSecurity map[string]bool
	// Suggest are the ids of findings whose replacement was shown as a diff.
	Suggest map[string]bool
	// Known are values that must never leave: tokens, keys, passwords.
	Known []string
}

// Facts are what the forge says now; see Look.
type Facts struct {
	PR     *forge.PullRequest
	Viewer forge.User
	// Now is the change at the present head; nil while it is the reviewed one.
	Now *diff.Set
	// Pending is the viewer's pending review, 0 if none.
	Pending int64
	// Ours are the viewer's comments on lines and files that carry a key.
	Ours []Ours
	// Summaries are the trusted summary comments, newest first.
	Summaries []Summary
	// Reported are comments that claim to be a summary and are not trusted.
	Reported []string
}

// Ours is a comment on a line that mrv posted.
type Ours struct {
	ID       int64
	Key      document.Key
	Body     string
	URL      string
	Answered bool
}

// Post is one finding and where it is to land.
type Post struct {
	ID     string // of the finding
	As     string // "inline", "file", "summary", "kept", "there" (posted before)
	Anchor Anchor
	Body   string
	Key    document.Key
	Why    string
	There  *Ours // the comment that is there already
}

func (x Post) onLines() bool { return x.As == "inline" || x.As == "file" }

// Planned is all that would be written.
type Planned struct {
	Doc     document.Document
	Opt     Options
	Facts   Facts
	Posts   []Post
	Gone    []Ours // posted by this run for findings that are not accepted any more
	Blocked string // why nothing can be posted; "" if it can
	Moved   bool
}

// Plan works out where each accepted finding lands. reviewed is the change as
// it was reviewed.
func Plan(doc document.Document, reviewed *diff.Set, facts Facts, opt Options) Planned {
	if opt.Event == "" {
		opt.Event = forge.EventComment
	}
	if nothingToDecide(doc) && !opt.Untriaged && !facts.Viewer.Bot && facts.Viewer.Login != "" {
		doc.TriagedBy = []string{facts.Viewer.Login} // who posts it has seen that there is nothing
	}
	doc.Findings = inBytes(doc.Findings, reviewed)
	p := Planned{Doc: doc, Opt: opt, Facts: facts, Moved: facts.PR.HeadSHA != doc.Change.Head}
	p.Blocked = blocked(doc, facts, opt, p.Moved)
	target := reviewed
	if p.Moved {
		target = facts.Now
	}
	comments := 0
	for _, f := range p.findings() {
		post := p.place(f, reviewed, target)
		post.Key = document.KeyOf(doc.Run, f)
		p.already(&post)
		if post.onLines() {
			if comments++; comments > MaxInline {
				post.As, post.Why = "summary", fmt.Sprintf("more than %d comments", MaxInline)
			}
		}
		if post.onLines() || post.As == "there" {
			post.Body = document.Inline(doc, f, document.InlineOptions{
				Key: post.Key, As: facts.Viewer.Login,
				Suggest: post.Anchor.Line > 0 && opt.Suggest[f.ID] && suggestible(f, post.Anchor, target),
			})
		}
		p.Posts = append(p.Posts, post)
	}
	p.Gone = p.gone()
	return p
}

// inBytes gives back to paths that are not UTF-8 the bytes that they lost on
// the way through JSON, so that they are shown, and linked to, as they are.
func inBytes(findings []document.Finding, reviewed *diff.Set) []document.Finding {
	out := slices.Clone(findings)
	for i := range out {
		if f := reviewed.Find(out[i].Place.Path); f != nil && !utf8.ValidString(f.Path()) && strings.ContainsRune(out[i].Place.Path, utf8.RuneError) {
			out[i].Place.Path = f.Path()
		}
	}
	return out
}

// nothingToDecide reports whether a run has no finding on its board, and so
// nobody can have decided anything.
func nothingToDecide(doc document.Document) bool {
	return len(doc.TriagedBy) == 0 && !slices.ContainsFunc(doc.Findings, func(f document.Finding) bool { return f.Hidden == "" })
}

// findings are those that go out: the accepted ones, or all of a run that was
// not triaged.
func (p Planned) findings() []document.Finding {
	if p.Opt.Untriaged {
		return p.Doc.With(document.Undecided)
	}
	return p.Doc.With(document.Open)
}

func (p Planned) place(f document.Finding, reviewed, target *diff.Set) Post {
	post := Post{ID: f.ID, As: "summary"}
	if f.Security && f.Worst == review.Critical && p.Doc.Change.Visibility != "private" && !p.Opt.PostSecurity[f.ID] {
		post.As, post.Why = "kept", "a critical security finding and a page that anybody may read: it goes to the inbox only, unless you say so; report it in private at "+advisory(p.Doc.Change)
		return post
	}
	switch {
	case p.Opt.Untriaged:
		post.Why = "not triaged: the summary only"
	case p.Moved && p.Opt.OnMoved != Reanchor:
		post.Why = "the head moved after the review"
	default:
		a, why, ok := anchor(f, reviewed, target)
		post.Anchor, post.Why = a, why
		switch {
		case ok && a.Line > 0:
			post.As = "inline"
		case ok:
			post.As = "file"
		}
	}
	return post
}

// advisory is where a weakness is reported to the maintainers alone.
func advisory(c document.Change) string {
	return fmt.Sprintf("https://%s/%s/security/advisories/new", cmp.Or(c.Host, "github.com"), c.Repository)
}

// already keeps what is there from being posted again. Another run's other
// words at the same place may be about another problem: the new ones go into
// the summary.
func (p Planned) already(post *Post) {
	if !post.onLines() {
		return
	}
	for _, o := range p.Facts.Ours {
		switch {
		case o.Key.Run == post.Key.Run && o.Key.Finding == post.Key.Finding, o.Key.Place == post.Key.Place && o.Key.Text == post.Key.Text:
			post.As, post.Why, post.There = "there", "posted before: "+o.URL, &o
			return
		case o.Key.Run != post.Key.Run && o.Key.Place == post.Key.Place:
			post.As, post.Why = "summary", "a comment of an earlier review stands there: "+o.URL
			return
		}
	}
}

// gone are comments of this run whose finding is not among the accepted ones.
func (p Planned) gone() []Ours {
	var out []Ours
	run := document.KeyOf(p.Doc.Run, document.Finding{}).Run
	for _, o := range p.Facts.Ours {
		here := slices.ContainsFunc(p.Posts, func(x Post) bool { return x.Key.Finding == o.Key.Finding && x.As != "kept" })
		if o.Key.Run == run && !here {
			out = append(out, o)
		}
	}
	return out
}

// suggestible reports whether a replacement is for exactly the lines that the
// comment stands at: on the right, and the quote is all of them.
func suggestible(f document.Finding, a Anchor, target *diff.Set) bool {
	if a.Side == diff.Left || !f.Place.QuoteFound || !document.Suggestible(f) {
		return false
	}
	start := cmp.Or(a.Start, a.Line)
	lines, ok := textAt(target.Find(a.Path), diff.Place{Path: a.Path, Side: a.Side, Start: start, End: a.Line})
	return ok && strings.Join(lines, "\n") == strings.Trim(f.Quote, "\n")
}

// blocked says in plain words why nothing can be posted.
func blocked(doc document.Document, facts Facts, opt Options, moved bool) string {
	own := facts.Viewer.ID != 0 && facts.Viewer.ID == facts.PR.Author.ID
	switch {
	case doc.Change.Source != event.FromPR:
		return "the review is not of a pull request"
	case doc.Change.Number != facts.PR.Number:
		return fmt.Sprintf("the review is of #%d, not #%d", doc.Change.Number, facts.PR.Number)
	case facts.PR.State != "open":
		return "the pull request is " + facts.PR.State
	case !opt.Untriaged && len(doc.TriagedBy) == 0:
		return "nobody has triaged this run: decide first, or post it as it is with --untriaged"
	case opt.Untriaged && len(doc.TriagedBy) > 0:
		return "this run is triaged: post it without --untriaged"
	case moved && opt.OnMoved == Refuse:
		return fmt.Sprintf("the head moved from %s to %s after the review: review again, or post onto unchanged lines (reanchor) or the summary alone (summary)",
			event.Short(doc.Change.Head), event.Short(facts.PR.HeadSHA))
	case moved && opt.OnMoved == Reanchor && facts.Now == nil:
		return "the change at the new head could not be read"
	case own && opt.Event != forge.EventComment:
		return "one's own pull request can only be commented on"
	case moved && opt.Event != forge.EventComment:
		return "a head that was not reviewed can only be commented on"
	case facts.Pending != 0:
		return "you have a review under way on this pull request that is not submitted; submit or discard it first"
	case opt.Untriaged && triagedStands(doc, facts):
		return "a triaged review of this head stands there; it is not replaced by one that is not triaged"
	case doc.Leaks(opt.Known...):
		return "the review holds a token or password that mrv knows; nothing is sent. Reject or edit the finding that quotes it"
	}
	return ""
}

func triagedStands(doc document.Document, facts Facts) bool {
	return slices.ContainsFunc(facts.Summaries, func(s Summary) bool { return s.Meta.Triaged && s.Meta.Head == doc.Change.Head })
}

// Destination is the plan as the outbox shows it.
func (p Planned) Destination() event.Destination {
	d := event.Destination{Target: "pr", Ready: p.Blocked == "", Why: p.Blocked, Where: []string{p.Facts.PR.URL}}
	for _, x := range p.Posts {
		d.Items = append(d.Items, event.Item{Entry: x.ID, As: x.As, Where: where(x), Why: x.Why})
	}
	return d
}

func where(x Post) string {
	switch x.As {
	case "inline", "file", "there":
		return x.Anchor.String()
	}
	return ""
}
