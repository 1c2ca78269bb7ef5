package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/review"
)

// change reads the change of a pull request. The forge's own text comes first,
// because comments are anchored to its hunks:
//
//	diff as text      checked against the list of files
//	list of files     when the text is too large; each patch alone
//	objects           when files are missing there, when the text does not
//	                  agree with the list, or calls text binary
func (p pull) change(ctx context.Context, l *Loaded, pr *forge.PullRequest) error {
	files, err := p.reader.Files(ctx, pr)
	if err != nil {
		return err
	}
	problem := p.fromText(ctx, l, pr, files)
	if ctx.Err() != nil {
		return problem
	}
	var kind *forge.Error
	if errors.As(problem, &kind) && kind.Kind != forge.TooLarge && l.Store == nil {
		return problem
	}
	if forge.IsKind(problem, forge.TooLarge) {
		problem = l.fromList(pr, files)
	}
	if problem == nil {
		problem = l.callsTextBinary(ctx)
	}
	if problem == nil {
		if l.Store == nil {
			return nil
		}
		return l.markBinary(ctx, l.Change.HeadSHA)
	}
	if l.Store == nil {
		if l.Set == nil {
			return problem
		}
		return nil // what is missing is marked in its file
	}
	l.Unread = nil
	if err := l.compare(ctx, l.Change.MergeBase, l.Change.HeadSHA); err != nil {
		return err
	}
	l.note("the change was read from git objects: %v", problem)
	return nil
}

// fromText reads the forge's diff and checks it against its list of files.
func (p pull) fromText(ctx context.Context, l *Loaded, pr *forge.PullRequest, files []forge.File) error {
	raw, err := p.reader.Diff(ctx, pr)
	if err != nil {
		return err
	}
	set, err := diff.Parse(raw)
	if err != nil {
		return fmt.Errorf("%s: %w", l.Change.Name(), err)
	}
	if err := diff.Verify(set, forge.Counts(files)); err != nil {
		return fmt.Errorf("%s: %w", l.Change.Name(), err)
	}
	l.Raw, l.Set = raw, set
	for _, f := range set.Files {
		if f.Unread != "" {
			return fmt.Errorf("%q: %s", f.Path(), f.Unread)
		}
	}
	return nil
}

// fromList reads the list of files; an error says what it lacks.
func (l *Loaded) fromList(pr *forge.PullRequest, files []forge.File) error {
	l.Set = forge.Change(files)
	l.Raw = diff.Write(l.Set)
	if n := len(l.Set.Files); pr.ChangedFiles > n {
		text := fmt.Sprintf("the forge lists %d of %d changed files", n, pr.ChangedFiles)
		l.Unread = append(l.Unread, review.Hold{Code: "unread", Text: text})
		return errors.New(text)
	}
	for _, f := range l.Set.Files {
		if f.Unread != "" {
			return fmt.Errorf("%q: %s", f.Path(), f.Unread)
		}
	}
	return nil
}

// sniff is how many bytes git looks at to tell binary from text.
const sniff = 8000

// callsTextBinary looks for a file that the forge has no text for although it
// is text: an attribute of the head may say so.
func (l *Loaded) callsTextBinary(ctx context.Context) error {
	if l.Store == nil {
		return nil
	}
	for _, f := range l.Set.Files {
		if !f.Binary {
			continue
		}
		text := true
		for _, side := range []struct{ sha, path string }{{l.Change.MergeBase, f.OldPath}, {l.Change.HeadSHA, f.NewPath}} {
			if side.path == "" {
				continue
			}
			data, ok, err := l.Store.Show(ctx, side.sha, side.path)
			if err != nil {
				return err
			}
			text = text && ok && !strings.Contains(string(data[:min(len(data), sniff)]), "\x00")
		}
		if text {
			return fmt.Errorf("the forge calls %q binary, which is text", f.Path())
		}
	}
	return nil
}
