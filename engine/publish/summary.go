package publish

import (
	"context"
	"fmt"
	"strings"

	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/forge"
)

// summary writes the one summary comment: over the viewer's own that is there,
// else a new one. Then it reads it back as pull would.
func (s Sender) summary(ctx context.Context, p Planned, out *Sent) error {
	opt := document.CommentOptions{Untriaged: p.Opt.Untriaged, As: p.Facts.Viewer.Login, Inline: map[string]string{}, Withheld: map[string]bool{}}
	for _, x := range out.Posts {
		switch x.As {
		case "inline", "file", "there":
			opt.Inline[x.ID] = where(x)
		case "kept":
			opt.Withheld[x.ID] = true
		}
	}
	body, err := document.Comment(p.Doc, opt)
	if err != nil {
		return err
	}
	posted, err := s.upsert(ctx, p, body)
	if err != nil {
		return err
	}
	out.URL = posted.URL
	back, err := s.Forge.ReadComment(ctx, p.Facts.PR, posted.ID)
	if err != nil {
		return err
	}
	want, _, err := document.ParseComment(body)
	if err != nil {
		return fmt.Errorf("checking what was written: %w", err)
	}
	got, _, err := document.ParseComment(back.Body)
	if err != nil {
		return fmt.Errorf("reading back %s: %w", posted.URL, err)
	}
	if got.Head != want.Head || got.Digest != want.Digest {
		return fmt.Errorf("reading back %s: it is not what was sent; another run may have written at the same time", posted.URL)
	}
	out.Digest = got.Digest
	return nil
}

func (s Sender) upsert(ctx context.Context, p Planned, body string) (forge.Posted, error) {
	mine, err := s.mine(ctx, p)
	if err != nil {
		return forge.Posted{}, err
	}
	var posted forge.Posted
	if mine != nil {
		err = s.write(ctx, nil, func(ctx context.Context) (err error) {
			posted, err = s.Forge.EditComment(ctx, p.Facts.PR, mine.ID, body)
			return err
		})
		return posted, err
	}
	there := func(ctx context.Context) (bool, error) {
		c, err := s.mine(ctx, p)
		if err != nil || c == nil || !sameBody(c.Body, body) {
			return false, err
		}
		posted = *c
		return true, nil
	}
	err = s.write(ctx, there, func(ctx context.Context) (err error) {
		posted, err = s.Forge.Comment(ctx, p.Facts.PR, body)
		return err
	})
	return posted, err
}

func sameBody(a, b string) bool {
	return strings.TrimSpace(strings.ReplaceAll(a, "\r\n", "\n")) == strings.TrimSpace(b)
}

// mine is the viewer's newest comment that begins with the marker. Others' are
// left alone, also where the token may edit them.
func (s Sender) mine(ctx context.Context, p Planned) (*forge.Posted, error) {
	all, err := s.Forge.SummaryComments(ctx, p.Facts.PR)
	if err != nil {
		return nil, err
	}
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Author.ID == p.Facts.Viewer.ID && document.IsSummary(all[i].Body) {
			return &all[i], nil
		}
	}
	return nil, nil
}
