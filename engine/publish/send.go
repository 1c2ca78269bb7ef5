package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/review"
)

// Sent says what was written.
type Sent struct {
	URL    string // of the summary
	Head   string // that was reviewed
	Digest string // of the summary
	// Posts are the findings and where they landed in the end.
	Posts []Post
	Notes []string
}

// Export is what the journal keeps of it.
func (s Sent) Export() event.ExportData {
	d := event.ExportData{Target: "pr", Where: []string{s.URL}, Head: s.Head, Digest: s.Digest}
	for _, x := range s.Posts {
		if x.As != "kept" {
			d.Accepted = append(d.Accepted, x.ID)
		}
	}
	return d
}

// Sender sends plans to a forge, one write at a time.
type Sender struct {
	Forge Forge
	// Wait waits between writes and for limits; nil waits for real.
	Wait func(context.Context, time.Duration) error
}

// ErrMoved says that the head moved between plan and post.
var ErrMoved = errors.New("the head moved while posting")

// Blocked is a plan that can not be sent.
type Blocked struct{ Why string }

// Error says why.
func (e *Blocked) Error() string { return "not posted: " + e.Why }

// NotAllowed is a refusal for lack of permission.
type NotAllowed struct {
	Repo forge.Repo
	Err  error
}

// Error says what is missing, in plain words.
func (e *NotAllowed) Error() string {
	return fmt.Sprintf("%v: commenting on %s needs a token with write access to pull requests (repo scope, or the fine-grained permission \"Pull requests: write\"); a workflow of a fork has none", e.Err, e.Repo)
}

// Unwrap gives the forge's answer.
func (e *NotAllowed) Unwrap() error { return e.Err }

// Send posts a plan: the review with its comments, comments on files, comments
// of findings taken back, then the summary, which is read back and compared.
// On an error what was sent so far is in Sent; sending again posts nothing
// twice.
func (s Sender) Send(ctx context.Context, p Planned) (Sent, error) {
	out := Sent{Head: p.Doc.Change.Head, Posts: slices.Clone(p.Posts)}
	if p.Blocked != "" {
		return out, &Blocked{p.Blocked}
	}
	err := s.send(ctx, p, &out)
	if forge.IsKind(err, forge.Forbidden) || forge.IsKind(err, forge.NotFound) {
		err = &NotAllowed{Repo: p.Facts.PR.Repo, Err: err}
	}
	return out, err
}

func (s Sender) send(ctx context.Context, p Planned, out *Sent) error {
	if err := s.unmoved(ctx, p); err != nil {
		return err
	}
	if err := s.review(ctx, p, out); err != nil {
		return err
	}
	for i := range out.Posts {
		if out.Posts[i].As == "file" {
			if err := s.file(ctx, p, &out.Posts[i]); err != nil {
				return err
			}
		}
	}
	for i, x := range out.Posts {
		if x.As != p.Posts[i].As {
			out.Notes = append(out.Notes, fmt.Sprintf("%s stands in the summary, not at %s: %s", x.ID, x.Anchor, x.Why))
		}
	}
	if err := s.touchUp(ctx, p, out); err != nil {
		return err
	}
	if err := s.unmoved(ctx, p); err != nil {
		return err
	}
	return s.summary(ctx, p, out)
}

// unmoved reads the head once more.
func (s Sender) unmoved(ctx context.Context, p Planned) error {
	pr, err := s.Forge.PullRequest(ctx, p.Facts.PR.Repo, p.Facts.PR.Number)
	if err != nil {
		return err
	}
	if pr.HeadSHA != p.Facts.PR.HeadSHA {
		return fmt.Errorf("%w: from %s to %s", ErrMoved, event.Short(p.Facts.PR.HeadSHA), event.Short(pr.HeadSHA))
	}
	return nil
}

// review posts the comments on lines as one review.
func (s Sender) review(ctx context.Context, p Planned, out *Sent) error {
	var inline []*Post
	for i := range out.Posts {
		if out.Posts[i].As == "inline" {
			inline = append(inline, &out.Posts[i])
		}
	}
	if len(inline) == 0 && p.Opt.Event == forge.EventComment {
		return nil
	}
	refused, err := s.post(ctx, p, inline, p.Opt.Event)
	if err != nil || refused == nil {
		return err
	}
	if err := s.bisect(ctx, p, inline, refused); err != nil || p.Opt.Event == forge.EventComment {
		return err
	}
	if refused, err = s.post(ctx, p, nil, p.Opt.Event); err == nil {
		err = refused
	}
	return err
}

// bisect finds the comments that the forge refuses, which it does not name, by
// trying halves; a comment that is refused alone goes into the summary. The
// payload that was refused is not sent again.
func (s Sender) bisect(ctx context.Context, p Planned, posts []*Post, refused error) error {
	if len(posts) == 1 {
		posts[0].As, posts[0].Why = "summary", "the forge refuses it there: "+reason(refused)
		return nil
	}
	half := len(posts) / 2
	for _, some := range [][]*Post{posts[:half], posts[half:]} {
		refused, err := s.post(ctx, p, some, forge.EventComment)
		if err == nil && refused != nil {
			err = s.bisect(ctx, p, some, refused)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// post sends one review. refused is the forge's answer when it does not take
// the comments; err is everything else that went wrong.
func (s Sender) post(ctx context.Context, p Planned, posts []*Post, what forge.ReviewEvent) (refused, err error) {
	r := forge.NewReview{Commit: p.Facts.PR.HeadSHA, Event: what, Body: reviewBody(p, len(posts)), Comments: []forge.LineComment{}}
	for _, x := range posts {
		r.Comments = append(r.Comments, forge.LineComment{Path: x.Anchor.Path, Side: string(x.Anchor.Side), Start: x.Anchor.Start, Line: x.Anchor.Line, Body: x.Body})
	}
	err = s.write(ctx, func(ctx context.Context) (bool, error) {
		if len(posts) == 0 {
			return false, errors.New("the review may have been posted; look before you send it again")
		}
		return s.arrived(ctx, p, posts)
	}, func(ctx context.Context) error { return s.Forge.Review(ctx, p.Facts.PR, r) })
	if !forge.IsKind(err, forge.Invalid) {
		return nil, err
	}
	if moved := s.unmoved(ctx, p); moved != nil { // a head that is gone is refused too
		return nil, moved
	}
	if fatal(err) || len(posts) == 0 {
		return nil, err
	}
	return err, nil
}

// reviewBody is the one line a review must have.
func reviewBody(p Planned, n int) string {
	return fmt.Sprintf("mrv: %s on `%s`, run `%s`. The summary is in a comment of its own.", review.Count(n, "finding"), event.Short(p.Doc.Change.Head), document.Line(p.Doc.Run))
}

// fatal are refusals that no other choice of comments changes.
func fatal(err error) bool {
	text := strings.ToLower(reason(err))
	for _, s := range []string{"pending review", "your own pull", "commitoid is not part", "commit oid is not part", "body is too long", "too long (maximum", "archived", "locked"} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// reason is the forge's own words.
func reason(err error) string {
	var e *forge.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	words := []string{e.Message}
	for _, d := range e.Details {
		words = append(words, d.Message)
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

// arrived reports whether all of these comments are on the forge.
func (s Sender) arrived(ctx context.Context, p Planned, posts []*Post) (bool, error) {
	have, err := ours(ctx, s.Forge, p.Facts.PR, p.Facts.Viewer)
	if err != nil {
		return false, err
	}
	for _, x := range posts {
		if !slices.ContainsFunc(have, func(o Ours) bool { return o.Key == x.Key }) {
			return false, nil
		}
	}
	return true, nil
}

func (s Sender) file(ctx context.Context, p Planned, x *Post) error {
	err := s.write(ctx,
		func(ctx context.Context) (bool, error) { return s.arrived(ctx, p, []*Post{x}) },
		func(ctx context.Context) error {
			return s.Forge.CommentFile(ctx, p.Facts.PR, p.Facts.PR.HeadSHA, x.Anchor.Path, x.Body)
		})
	if forge.IsKind(err, forge.Invalid) && !fatal(err) {
		x.As, x.Why = "summary", "the forge refuses it there: "+reason(err)
		return nil
	}
	return err
}

// touchUp brings comments of this run up to date: those whose words changed
// are edited, those whose finding was taken back are withdrawn; one that
// nobody answered is deleted.
func (s Sender) touchUp(ctx context.Context, p Planned, out *Sent) error {
	for _, x := range out.Posts {
		if x.There == nil || x.There.Key.Run != x.Key.Run || x.There.Key.Text == x.Key.Text {
			continue
		}
		if err := s.write(ctx, nil, func(ctx context.Context) error { return s.Forge.EditLine(ctx, p.Facts.PR, x.There.ID, x.Body) }); err != nil {
			return err
		}
		out.Notes = append(out.Notes, "updated: "+x.There.URL)
	}
	for _, o := range p.Gone {
		err := s.write(ctx, nil, func(ctx context.Context) error {
			if !o.Answered {
				// Where a forge deletes no such comments, it is emptied.
				if err := s.Forge.DeleteLine(ctx, p.Facts.PR, o.ID); !forge.IsKind(err, forge.Invalid) {
					return err
				}
			}
			return s.Forge.EditLine(ctx, p.Facts.PR, o.ID, document.Withdrawn(p.Doc.Lang, strings.Join(p.Doc.TriagedBy, ", "), o.Key))
		})
		if err != nil && !forge.IsKind(err, forge.NotFound) { // gone already
			return err
		}
		out.Notes = append(out.Notes, "withdrawn: "+o.URL)
	}
	return nil
}
