package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/git"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/engine/workspace"
)

// maxFile is the most that one file's patch may have to be read, unless the
// project says otherwise.
const maxFile = 512 << 10

// headBytes is how much of a file before the change is looked at for marks of
// a generator.
const headBytes = 4 << 10

// headOf is the size of the largest file whose first bytes are looked at:
// generated files are rarely larger, and all of it must be read.
const headOf = 16 << 20

// choose decides which files are reviewed and notes every one in the plan with
// its reason.
func choose(ctx context.Context, p *event.Plan, l *Loaded, r rules) (*diff.Set, []diff.Choice, error) {
	d, done, err := r.filter(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	defer done()
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
// files and attributes before the change say. The returned function ends what
// reads them.
func (r rules) filter(ctx context.Context, l *Loaded) (d diff.Rules, done func(), err error) {
	d, done = diff.Rules{MaxBytes: maxFile, Sensitive: r.sensitive}, func() {}
	if r.project.MaxFileKB > 0 {
		d.MaxBytes = r.project.MaxFileKB << 10
	}
	if d.Exclude, err = diff.CompileGlobs(r.project.Exclude); err != nil {
		return d, done, fmt.Errorf("%s: exclude: %w", projectConfig, err)
	}
	if d.Include, err = diff.CompileGlobs(r.project.Include); err != nil {
		return d, done, fmt.Errorf("%s: include: %w", projectConfig, err)
	}
	base := l.Change.MergeBase
	if l.Store == nil || base == "" {
		return d, done, nil
	}
	seen := map[string]bool{}
	var paths []string
	for _, f := range l.Set.Files {
		for _, p := range []string{f.OldPath, f.NewPath} {
			if p != "" && !seen[p] {
				seen[p] = true
				paths = append(paths, p)
			}
		}
	}
	attrs, err := l.Store.Attributes(ctx, base, paths, "linguist-generated", "linguist-vendored")
	if err != nil {
		return d, done, err
	}
	d.Attr = func(path, name string) string {
		if v := attrs[path][name]; v != "" {
			return v
		}
		return "unspecified"
	}
	d.Base, done, err = headsOf(ctx, l.Store, base, seen)
	return d, done, err
}

// headsOf reads the first bytes of files at a commit, through one process for
// all of them.
func headsOf(ctx context.Context, store *git.Store, commit string, paths map[string]bool) (head func(string) []byte, done func(), err error) {
	done = func() {}
	entries, err := store.Tree(ctx, commit)
	if err != nil {
		return nil, done, err
	}
	blobs, err := store.Blobs(ctx)
	if err != nil {
		return nil, done, err
	}
	hashes := map[string]string{}
	for _, e := range entries {
		if paths[e.Path] && e.Type == "blob" && e.Size <= headOf {
			hashes[e.Path] = e.Hash
		}
	}
	head = func(path string) []byte {
		hash := hashes[path]
		if hash == "" {
			return nil
		}
		raw, err := blobs.Read(hash)
		if err != nil {
			return nil // a file that can not be read has no marks
		}
		return raw[:min(len(raw), headBytes)]
	}
	return head, func() { _ = blobs.Close() }, nil // it only read
}

// tierOf is the risk tier: the one asked for, else by size and paths.
func (r rules) tierOf(choices []diff.Choice, asked string) (tier, why string) {
	if asked != "" {
		return asked, "asked for"
	}
	level, why := diff.Tier(choices, r.sensitive)
	return string(level), why
}
