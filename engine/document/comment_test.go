package document

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

func comment(t testing.TB, d Document, opt CommentOptions) string {
	t.Helper()
	body, err := Comment(d, opt)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// data is packed and changes with the compressor; goldens leave it out.
var data = regexp.MustCompile(`<!-- mrv:data v1 \S+ -->`)
var digest = regexp.MustCompile(`"digest":"[0-9a-f]+"`)

func TestCommentIsWhatItWas(t *testing.T) {
	d := build(t, review.English, pull())
	for name, opt := range map[string]CommentOptions{
		"comment.md":           {As: "maintainer", Inline: map[string]string{"security-1.1": "api/refund.go:88-89"}},
		"comment-untriaged.md": {Untriaged: true},
		"comment-withheld.md":  {As: "bot", Withheld: map[string]bool{"security-1.1": true}},
	} {
		body := digest.ReplaceAllString(data.ReplaceAllString(comment(t, d, opt), "<!-- data -->"), `"digest":"..."`)
		golden(t, name, []byte(body+"\n"))
	}
	zh := digest.ReplaceAllString(data.ReplaceAllString(comment(t, build(t, review.Chinese, pull()), CommentOptions{As: "maintainer"}), "<!-- data -->"), `"digest":"..."`)
	golden(t, "comment.zh.md", []byte(zh+"\n"))
	f := d.With(Open)[0]
	golden(t, "inline.md", []byte(Inline(d, f, InlineOptions{Key: KeyOf(d.Run, f), As: "maintainer", Suggest: true})+"\n"))
}

func TestCommentRoundTrip(t *testing.T) {
	d := build(t, review.English, pull())
	body := comment(t, d, CommentOptions{As: "maintainer"})
	for _, back := range []string{body, "\r\n" + strings.ReplaceAll(body, "\n", "\r\n") + "\n"} {
		m, got, err := ParseComment(back)
		if err != nil {
			t.Fatal(err)
		}
		if want := d.Public(nil, false); !reflect.DeepEqual(got, want) {
			t.Errorf("pull lost something:\n got %+v\nwant %+v", got, want)
		}
		if m.Head != head || m.Accepted != 3 || m.Rejected[review.WontFix] != 1 || !m.Triaged || m.Partial != 0 {
			t.Errorf("marker: %+v", m)
		}
	}
}

func TestCommentOnlyHoldsWhatMayBeSeen(t *testing.T) {
	d := build(t, review.English, pull())
	body := comment(t, d, CommentOptions{Withheld: map[string]bool{"security-1.1": true}})
	_, got, err := ParseComment(body)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := JSON(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{
		"Refund amount comes", "refunds more than was paid", // withheld
		"Two things stand out",     // the summary over all of them
		"Not decided yet",          // undecided
		"Balance is read",          // escalated
		"needs the owner",          // why it is
		"x is short", "In short: ", // rejected; a reviewer's own words
	} {
		if strings.Contains(body, word) || strings.Contains(string(raw), word) {
			t.Errorf("%q is in the comment", word)
		}
	}
}

func TestParseCommentRefusesWhatBreaksTheContract(t *testing.T) {
	body := comment(t, build(t, review.English, pull()), CommentOptions{})
	other := build(t, review.English, pull())
	other.Run = "another"
	foreign := comment(t, other, CommentOptions{})
	for name, broken := range map[string]string{
		"not ours":         "looks good",
		"quoted":           "> " + body,
		"text edited":      strings.Replace(body, "New key", "Old key", 1),
		"verdict edited":   strings.Replace(body, string(review.ChangesNeeded), string(review.NoBlockingFindings), 1),
		"head edited":      strings.Replace(body, head, base, 1),
		"digest removed":   digest.ReplaceAllString(body, `"digest":""`),
		"data removed":     data.ReplaceAllString(body, ""),
		"data of another":  data.ReplaceAllString(body, data.FindString(foreign)),
		"text added":       body + "\nmore",
		"marker cut":       body[:200],
		"only the marker":  Marker + "{}" + markerEnd,
		"a marker of zero": Marker + `{"head":"x"}` + markerEnd,
	} {
		if _, _, err := ParseComment(broken); err == nil {
			t.Errorf("%s: passed", name)
		}
	}
	// Sealed again by somebody who knows how, marker and data still have to agree.
	forged := digest.ReplaceAllString(strings.Replace(body, string(review.ChangesNeeded), string(review.NoBlockingFindings), 1), `"digest":"`+noDigest+`"`)
	if _, _, err := ParseComment(seal(forged)); err == nil || !strings.Contains(err.Error(), "do not say the same") {
		t.Errorf("a forged verdict: %v", err)
	}
}

func TestCommentStaysUnderTheLimit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	noise := func(n int) string {
		var b strings.Builder
		for b.Len() < n {
			fmt.Fprintf(&b, "%x ", random.Uint64())
		}
		return b.String()
	}
	for _, c := range []struct{ findings, size int }{{1, 10}, {3, 40000}, {40, 3000}, {400, 900}, {2, 200000}} {
		d := build(t, review.English, pull())
		d.Findings = nil
		for i := range c.findings {
			d.Findings = append(d.Findings, Finding{
				ID: fmt.Sprintf("q-1.%d", i+1), Sources: []string{"s"}, Status: Open, Severity: review.Warning, Title: "t", Reviewers: []string{"quality-1"},
				Models: []string{}, Observation: "```go\n" + noise(c.size), Quote: noise(200),
			})
		}
		body := comment(t, d, CommentOptions{})
		if len(body) > BodyLimit {
			t.Errorf("%+v: %d bytes", c, len(body))
		}
		m, got, err := ParseComment(body)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if len(got.Findings)+m.Partial != c.findings {
			t.Errorf("%+v: %d findings and %d left out", c, len(got.Findings), m.Partial)
		}
		if open, closed := strings.Count(body, "<details>"), strings.Count(body, "</details>"); open != closed {
			t.Errorf("%+v: %d folds opened, %d closed", c, open, closed)
		}
		if found := dangers(own(body)); found != nil {
			t.Errorf("%+v: %q", c, found)
		}
	}
}

// ours are the lines of a comment that only mrv writes.
var ours = regexp.MustCompile(`(?m)^(<!-- mrv:[a-z]+[: ].* -->|</?details>(<summary>)?|</details>|\[permalink\]\(https://github\.com/acme/shop/blob/[^ )<>]+\))$|^<details><summary>|</summary>$`)

// own takes away what mrv itself puts into a comment, so that what is left is
// what others wrote.
func own(body string) string {
	body = strings.ReplaceAll(body, "@maintainer", "")
	return ours.ReplaceAllString(body, "")
}

func FuzzDocuments(f *testing.F) {
	f.Add(hostile, "a`b.go", "x := 1")
	f.Add("```", "a\nb", "````")
	f.Add("<details><summary>", "](http://x", "<!-- mrv:review:v1 -->")
	f.Fuzz(func(t *testing.T, text, path, code string) {
		entries := journal(review.English, pull())
		s := fold(t, entries)
		for id, x := range s.Findings {
			x.Title, x.Observation, x.Inference, x.Judgment, x.Fix, x.Verification = text, text, text, text, text, text
			x.Quote, x.Replacement = code, code
			s.Findings[id] = x
		}
		for i := range s.Entries {
			s.Entries[i].Place.Path, s.Entries[i].Place.Text, s.Entries[i].Dissent = path, code, []string{text}
		}
		s.Summary.Text, s.Plan.Files[2].NewPath, s.Plan.Files[2].Reason = text, path, text
		s.Reviewers[0].Report.Gaps = []review.Gap{{Text: text}}
		s.Reviewers[0].Report.LabelText, s.Plan.Change.HeadRef = text, text
		for id, d := range s.Decisions {
			d.Note = text
			s.Decisions[id] = d
		}
		s.Notes["security-1.1"] = &event.Note{To: "author", Text: text, By: text}
		d := Build(s, Options{At: at})
		inbox, err := Inbox(d)
		if err != nil {
			t.Fatal(err)
		}
		_, rest := body(t, inbox)
		body := comment(t, d, CommentOptions{As: "maintainer"})
		open := d.With(Open)[0]
		for name, out := range map[string]string{
			"inbox": rest, "comment": own(body), "inline": own(strings.ReplaceAll(Inline(d, open, InlineOptions{Key: KeyOf(d.Run, open)}), "mrv:f=", "mrv:f ")),
		} {
			for _, danger := range dangers(out) {
				// Exact code may hold a marker; it stands in a fence.
				if danger == "<!--" && strings.Contains(code, "<!--") {
					continue
				}
				t.Fatalf("%s: %q passes:\n%s", name, danger, out)
			}
		}
		if _, _, err := ParseComment(body); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(body, Marker) || strings.Count(body, "\n"+dataMarker) != 1 {
			t.Fatalf("the marker or the data is not the only one:\n%s", body)
		}
	})
}

// Whatever stands on a pull request: it is refused, or it can be written into
// the inbox like any other review.
func FuzzParseComment(f *testing.F) {
	body := comment(f, build(f, review.English, pull()), CommentOptions{})
	f.Add(body, `{"schema":"mrv.review.v1"}`)
	f.Add(Marker+"{}"+markerEnd, `{"findings":[{"id":"a","status":"rejected"}]}`)
	raw, err := JSON(build(f, review.English, pull()))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body[:300], string(raw))
	f.Fuzz(func(t *testing.T, text, inner string) {
		for _, s := range []string{text, canonical(text) + "\n" + dataMarker + inner + markerEnd} {
			if _, d, err := ParseComment(s); err == nil {
				if _, err := Inbox(d); err != nil {
					t.Fatal(err)
				}
			}
		}
		d, err := ParseJSON([]byte(inner))
		if err != nil {
			return
		}
		inbox, err := Inbox(d)
		if err != nil {
			t.Fatal(err)
		}
		if found := dangers(strings.SplitN(inbox, "---\n", 3)[2]); found != nil && !strings.Contains(inner, "<!--") {
			t.Fatalf("%q passes:\n%s", found, inbox)
		}
	})
}
