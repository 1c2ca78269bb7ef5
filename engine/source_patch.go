package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/git"
)

// maxPatch is the size from which a patch is refused, in bytes.
const maxPatch = 512 << 20

// loadPatch reads a patch from a file or standard input. A repository around
// it is optional: it gives the reviewers the files as they are, and the rules
// of its default branch as the remote has it.
func loadPatch(ctx context.Context, o SourceOptions) (*Loaded, error) {
	raw, err := readPatch(o)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(raw)
	l := &Loaded{Raw: raw, Change: event.Change{
		Source: event.FromPatch, Identity: hex.EncodeToString(sum[:]), Visibility: forge.Unknown}}
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, fmt.Errorf("%w: the patch is empty", ErrNothingToReview)
	}
	if l.Set, err = diff.Parse(raw); err != nil {
		return nil, fmt.Errorf("%s: %w", patchName(o.Diff), err)
	}
	clone, err := git.Discover(ctx, o.Dir)
	if errors.Is(err, git.ErrNotARepository) || errors.Is(err, git.ErrNoGit) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	return l, l.around(ctx, o, clone)
}

func readPatch(o SourceOptions) ([]byte, error) {
	in := o.Stdin
	if o.Diff != "-" {
		path := o.Diff
		if !filepath.IsAbs(path) {
			path = filepath.Join(o.Dir, path)
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("reading the patch: %w", err)
		}
		defer func() { _ = f.Close() }()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, fmt.Errorf("reading the patch: %s is a directory", o.Diff)
		}
		in = f
	}
	if in == nil {
		return nil, errors.New("reading the patch: there is no standard input")
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxPatch+1))
	if err != nil {
		return nil, fmt.Errorf("reading the patch: %w", err)
	}
	if len(raw) > maxPatch {
		return nil, fmt.Errorf("reading the patch: it has more than %d MB", maxPatch>>20)
	}
	return raw, nil
}

func patchName(path string) string {
	if path == "-" {
		return "the patch on standard input"
	}
	return path
}

// around adds what a repository around a patch knows. A repository without a
// commit adds nothing.
func (l *Loaded) around(ctx context.Context, o SourceOptions, clone *git.Clone) error {
	head, err := clone.Head(ctx)
	if errors.As(err, new(*git.NoSuchRef)) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := l.borrow(ctx, o, clone); err != nil {
		return err
	}
	l.Change.HeadSHA = head
	_, remote, _ := baseRepo(o, clone)
	if remote == "" {
		return nil
	}
	ref, err := clone.DefaultBranch(ctx, remote)
	if err != nil {
		return err
	}
	// A local branch may hold anything; only what the remote has counts.
	if !isTracking(ref) {
		return nil
	}
	sha, err := clone.Resolve(ctx, ref)
	if err != nil {
		return err
	}
	l.setRules(git.ShortRef(ref), tree{sha: sha, store: l.Store})
	l.defaults = l.rules
	return nil
}

func (l *Loaded) setRules(ref string, t tree) { l.RulesRef, l.RulesSHA, l.rules = ref, t.sha, t }
