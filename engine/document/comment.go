package document

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/engine/secret"
)

// BodyLimit is the size of a comment in bytes. Forges take 65,536 characters;
// the rest is for what they count differently.
const BodyLimit = 60000

// CommentOptions say how a summary comment is written.
type CommentOptions struct {
	// Untriaged is for a run that no person has decided on: every finding is
	// in the comment, and its heading says so.
	Untriaged bool
	// Inline says of each finding that has a comment of its own where it is.
	Inline map[string]string
	// Withheld are the ids of findings that do not go to this page.
	Withheld map[string]bool
	// As is the login that posts: the one name that is written as a mention.
	As string
}

// parts is how the size of a comment is shared out.
const (
	dataLimit    = BodyLimit * 2 / 5
	summaryLimit = 8000
	fieldLimit   = 6000
)

// Comment is the one summary comment of a pull request: marker first, then
// what a person reads, then the data that pull reads. It stays under
// BodyLimit: what does not fit is cut between findings, and said.
func Comment(d Document, opt CommentOptions) (string, error) {
	w := wordsIn(d.Lang)
	meta := metaOf(d, opt)
	d = d.Public(opt.Withheld, opt.Untriaged)
	data, packed, err := pack(d, dataLimit)
	if err != nil {
		return "", err
	}
	meta.Partial = packed.Partial
	marker, err := meta.line()
	if err != nil {
		return "", err
	}
	p := page{marker}
	p.add(headline(d, meta, w, opt)...)
	if d.Summary.Text != "" {
		d.Summary.Text = short(d.Summary.Text, summaryLimit)
	}
	p.add(summary(d, w)...)
	tail := page{}
	tail.add(coverage(d, w), data)
	room := BodyLimit - len(p.String()) - len(tail.String())

	findings, rest := fill(listed(d, w, opt), room, w)
	p.add(findings...)
	folded, _ := fill(folds(d, w), rest, w)
	p.add(folded...)
	p.add(tail...)
	return seal(p.String()), nil
}

// listed are the findings, a block each, below their heading.
func listed(d Document, w words, opt CommentOptions) []string {
	show := d.With(Open)
	if opt.Untriaged {
		show = d.With(Undecided)
	}
	p := page{}
	p.add(fmt.Sprintf("## "+w.findings, len(show)))
	if len(show) == 0 {
		p.add(w.noFindings)
	}
	for _, f := range show {
		title := fmt.Sprintf("### %s (%s)", CodeSpan(f.ID), w.severity[f.Severity])
		if where := opt.Inline[f.ID]; where != "" {
			p.add(title + "\n\n- " + w.inlineAt + ": " + CodeSpan(where))
			continue
		}
		block := page{title}
		block.add(finding(d, clipped(f), w, false)...)
		if link := permalink(d.Change, f); link != "" {
			block.add("[" + w.permalink + "](" + link + ")")
		}
		p.add(strings.TrimSuffix(block.String(), "\n"))
	}
	return p
}

// fill takes blocks while they fit and says how many do not. Blocks are whole:
// every fence and fold that one opens, it closes.
func fill(blocks []string, room int, w words) (taken []string, left int) {
	const note = 200 // for the line that says what was cut
	for i, b := range blocks {
		need := len(b) + 2
		if i < len(blocks)-1 {
			need += note
		}
		if need > room {
			cut := fmt.Sprintf(w.cutHere, len(blocks)-i)
			if len(cut)+2 <= room {
				taken, room = append(taken, cut), room-len(cut)-2
			}
			return taken, room
		}
		taken, room = append(taken, b), room-len(b)-2
	}
	return taken, room
}

func headline(d Document, m Meta, w words, opt CommentOptions) []string {
	p := page{}
	p.add(fmt.Sprintf("## mrv: %s (%s %s)", CodeSpan(string(d.Verdict)), w.reviewed, CodeSpan(event.Short(d.Change.Head))))
	if opt.Untriaged {
		p.add("**" + w.untriaged + "**")
	} else {
		p.add(fmt.Sprintf(w.triage, people(d.TriagedBy, opt.As), m.Accepted, sum(m.Rejected), reasons(m.Rejected, d.Lang), m.Escalated, m.Undecided))
	}
	if len(opt.Withheld) > 0 {
		p.add(fmt.Sprintf(w.withheld, len(opt.Withheld)))
	}
	if !d.Complete {
		why := []string{}
		for _, h := range d.Holds {
			why = append(why, Line(review.Say(d.Lang, h.Text)))
		}
		p.add("**" + w.incomplete + "**: " + strings.Join(why, "; "))
	}
	return p
}

func sum(reasons map[review.Reason]int) int {
	n := 0
	for _, k := range reasons {
		n += k
	}
	return n
}

// reasons lists the rejections by reason: " (duplicate 2, won't fix 1)".
func reasons(by map[review.Reason]int, lang review.Lang) string {
	var out []string
	for _, r := range review.Reasons() {
		if n := by[r]; n > 0 {
			out = append(out, fmt.Sprintf("%s %d", review.Say(lang, string(r)), n))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}

var login = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,38}$`)

// people names who decided; the one who posts is mentioned, nobody else.
func people(names []string, as string) string {
	out := []string{}
	for _, n := range names {
		out = append(out, person(n, as))
	}
	return strings.Join(out, ", ")
}

func person(name, as string) string {
	if name == as && login.MatchString(as) {
		return "@" + as
	}
	return handle(name)
}

// folds are the reviewers, each folded, with what of theirs was accepted.
func folds(d Document, w words) []string {
	p := page{}
	for _, m := range d.Members {
		lines := page{}
		lines.add(Quote(short(m.Summary, fieldLimit)))
		for _, f := range d.Findings {
			if slices.Contains(f.Reviewers, m.Name) && f.Status != Rejected && f.Status != Escalated {
				lines.add("- " + CodeSpan(f.ID) + " (" + w.severity[f.Severity] + "): " + place(f, w))
			}
		}
		for _, g := range d.Gaps {
			if g.Reviewer == m.Name {
				lines.add(Quote(short(g.Text, fieldLimit)))
			}
		}
		if len(lines) == 0 {
			lines.add(w.none)
		}
		p.add("<details><summary>" + memberLine(m, d.Lang) + "</summary>\n\n" + strings.Join(lines, "\n\n") + "\n\n</details>")
	}
	return p
}

// coverage says what was read and what it cost.
func coverage(d Document, w words) string {
	p := page{"<details><summary>" + w.coverage + "</summary>"}
	lines := []string{"- " + CodeSpan(d.Run) + ", mrv " + Line(d.Version) + ", " + fmt.Sprintf(w.tokens, d.Usage.Input, d.Usage.Output) + cost(d.Usage)}
	for _, x := range []struct {
		title string
		files []File
	}{{w.unread, d.Unread}, {w.filtered, d.Filtered}} {
		if len(x.files) == 0 {
			continue
		}
		line := "- " + fmt.Sprintf(x.title, len(x.files)) + ":"
		for i, f := range x.files {
			if i == 20 {
				line += " …"
				break
			}
			line += " " + CodeSpan(f.Path)
		}
		lines = append(lines, line)
	}
	p.add(strings.Join(lines, "\n"))
	p.add("</details>")
	return strings.TrimSuffix(p.String(), "\n")
}

func cost(u review.Usage) string {
	if u.Price != review.PriceKnown {
		return ""
	}
	return fmt.Sprintf(", $%.2f", u.CostUSD)
}

// InlineOptions say how one inline comment is written.
type InlineOptions struct {
	Key Key
	As  string // the login that posts
	// Suggest adds the replacement as a change to apply with a click. It must
	// be for exactly the lines the comment stands at, and have been shown.
	Suggest bool
}

// Inline is a comment on lines of a pull request, or on a file.
func Inline(d Document, f Finding, opt InlineOptions) string {
	w := wordsIn(d.Lang)
	f = clipped(f)
	p := page{}
	p.add("**"+w.severity[f.Severity]+"**", Quote("**"+Line(f.Title)+"**"))
	for _, x := range []struct{ name, text string }{{w.judgment, f.Judgment}, {w.observation, f.Observation}, {w.inference, f.Inference}} {
		p.add("**"+x.name+"**", orElse(Quote(x.text), w.notGiven))
	}
	if n := f.Note; n != nil && n.To == "author" {
		p.add("**"+fmt.Sprintf(w.note, handle(n.By))+"**", Neutralise(n.Text))
	}
	if f.Fix != "" {
		p.add("**"+w.fix+"**", Quote(f.Fix))
	}
	if opt.Suggest && Suggestible(f) {
		p.add(Code("suggestion", f.Replacement))
	}
	by := ""
	if f.Decision != nil && f.Decision.By != "" {
		by = "; " + fmt.Sprintf(w.acceptedBy, person(f.Decision.By, opt.As))
	}
	p.add(authors(f) + by)
	p.add(opt.Key.mark())
	return strings.TrimSuffix(p.String(), "\n")
}

// Suggestible reports whether a finding's replacement may be offered as a
// change to apply: as it is, byte for byte.
func Suggestible(f Finding) bool {
	code := strings.TrimRight(f.Replacement, "\n")
	return code != "" && len(code) <= fieldLimit && secret.Mask(reveal(code)) == code
}

// Withdrawn is what an inline comment becomes when its finding is no longer
// accepted: it keeps its key and loses its text.
func Withdrawn(lang review.Lang, by string, key Key) string {
	return fmt.Sprintf(wordsIn(lang).withdrawn, handle(by)) + "\n\n" + key.mark()
}

// clipped cuts a finding's texts, so that no single one fills a comment.
func clipped(f Finding) Finding {
	for _, s := range []*string{&f.Title, &f.Judgment, &f.Observation, &f.Inference, &f.Fix, &f.Verification, &f.Quote} {
		*s = short(*s, fieldLimit)
	}
	if len(f.Replacement) > fieldLimit {
		f.Replacement = ""
	}
	return f
}

// short cuts a text at a limit in bytes, between characters.
func short(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && s[limit]&0xC0 == 0x80 {
		limit--
	}
	return s[:limit] + " …"
}

// permalink points to the lines at the reviewed commit. It is made here, of
// parts that are escaped: the one link in a document.
func permalink(c Change, f Finding) string {
	if c.Repository == "" || c.Head == "" || f.Place.Path == "" || f.Place.Side == diff.Left || f.Place.How == diff.NoPath || f.Place.How == diff.Nowhere {
		return ""
	}
	at := "/blob/"
	if strings.Contains(c.URL, "/pulls/") { // Gitea
		at = "/src/commit/"
	}
	u := url.URL{Scheme: "https", Host: cmp.Or(c.Host, "github.com"), Path: "/" + c.Repository + at + c.Head + "/" + f.Place.Path}
	if f.Place.Start > 0 {
		u.Fragment = fmt.Sprintf("L%d", f.Place.Start)
		if f.Place.End > f.Place.Start {
			u.Fragment += fmt.Sprintf("-L%d", f.Place.End)
		}
	}
	return strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E").Replace(u.String())
}
