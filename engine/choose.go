package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/engine/workspace"
)

// maxFile is the most that one file's patch may have to be read, unless the
// project says otherwise.
const maxFile = 512 << 10

// headBytes is how much of a file before the change is looked at for marks of
// a generator.
const headBytes = 4 << 10

// choose decides which files are reviewed and notes every one in the plan with
// its reason.
func choose(ctx context.Context, p *event.Plan, l *Loaded, r rules) (*diff.Set, []diff.Choice, error) {
	d, err := r.filter(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	choices := diff.Filter(l.Set, d)
	for _, c := range choices {
		f := c.File
		pf := event.PlanFile{
			OldPath: f.OldPath, NewPath: f.NewPath, Status: string(f.Status), Additions: f.Additions, Deletions: f.Deletions,
			Binary: f.Binary, Hunks: len(f.Hunks), Reviewed: c.Reviewed, Unread: c.Unread,
		}
		if c.Reviewed {
			pf.Note = c.Reason
			if workspace.Steers(f.Path()) {
				pf.Note = strings.TrimPrefix(pf.Note+"; read as diff only: it steers agents or holds their settings", "; ")
			}
		} else {
			pf.Reason = c.Reason
		}
		if c.Unread {
			p.Holds = append(p.Holds, review.Hold{Code: "unread", Text: fmt.Sprintf("%s was not read: %s", f.Path(), c.Reason)})
		}
		p.Files = append(p.Files, pf)
	}
	return diff.Reviewed(choices), choices, nil
}

// filter are the rules of choice: the project's from the base, and what the
// files and attributes before the change say.
func (r rules) filter(ctx context.Context, l *Loaded) (diff.Rules, error) {
	d := diff.Rules{MaxBytes: maxFile, Sensitive: r.sensitive}
	if r.project.MaxFileKB > 0 {
		d.MaxBytes = r.project.MaxFileKB << 10
	}
	var err error
	if d.Exclude, err = diff.CompileGlobs(r.project.Exclude); err != nil {
		return d, fmt.Errorf("%s: exclude: %w", projectConfig, err)
	}
	if d.Include, err = diff.CompileGlobs(r.project.Include); err != nil {
		return d, fmt.Errorf("%s: include: %w", projectConfig, err)
	}
	base := l.Change.MergeBase
	if l.Store == nil || base == "" {
		return d, nil
	}
	d.Base = func(path string) []byte {
		raw, ok, err := l.Store.Show(ctx, base, path)
		if err != nil || !ok {
			return nil // a file that can not be read has no marks
		}
		return raw[:min(len(raw), headBytes)]
	}
	var paths []string
	for _, f := range l.Set.Files {
		for _, p := range []string{f.OldPath, f.NewPath} {
			if p != "" && !slices.Contains(paths, p) {
				paths = append(paths, p)
			}
		}
	}
	attrs, err := l.Store.Attributes(ctx, base, paths, "linguist-generated", "linguist-vendored", "diff", "binary")
	if err != nil {
		return d, err
	}
	d.Attr = func(path, name string) string {
		if v := attrs[path][name]; v != "" {
			return v
		}
		return "unspecified"
	}
	return d, nil
}

// tierOf is the risk tier: the one asked for, else by size and paths.
func (r rules) tierOf(choices []diff.Choice, asked string) (tier, why string) {
	if asked != "" {
		return asked, "asked for"
	}
	level, why := diff.Tier(choices, r.sensitive)
	return string(level), why
}
