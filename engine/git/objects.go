package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// Entry is one leaf of a tree.
type Entry struct {
	Mode string // octal: 100644, 100755, 120000 (symbolic link), 160000 (submodule)
	Type string // "blob" or "commit"
	Hash string
	Size int64 // bytes, -1 for a submodule
	Path string
}

// Link reports whether the entry is a symbolic link.
func (e Entry) Link() bool { return e.Mode == "120000" }

// Submodule reports whether the entry is another repository's commit.
func (e Entry) Submodule() bool { return e.Type == "commit" }

// Tree lists every leaf of a commit's tree, in git's order.
func (s *Store) Tree(ctx context.Context, treeish string) ([]Entry, error) {
	return s.list(ctx, treeish, true)
}

// List lists the leaves below one directory of a commit's tree; none if it is
// not there.
func (s *Store) List(ctx context.Context, treeish, dir string) ([]Entry, error) {
	return s.list(ctx, treeish, true, dir)
}

func (s *Store) list(ctx context.Context, treeish string, recurse bool, paths ...string) ([]Entry, error) {
	args := []string{"ls-tree", "-z", "-l", "--full-tree"}
	if recurse {
		args = append(args, "-r")
	}
	args = append(append(args, treeish, "--"), paths...)
	out, err := s.cmd("listing the files of "+short(treeish), args...).run(ctx)
	if err != nil {
		return nil, err
	}
	var list []Entry
	f := fields{rest: out}
	for len(f.rest) > 0 {
		rec := f.next()
		head, path, ok := strings.Cut(rec, "\t")
		p := strings.Fields(head)
		if !ok || len(p) != 4 {
			return nil, fmt.Errorf("listing the files of %s: unknown record %q", short(treeish), rec)
		}
		e := Entry{Mode: p[0], Type: p[1], Hash: p[2], Size: -1, Path: path}
		if p[3] != "-" {
			if e.Size, err = strconv.ParseInt(p[3], 10, 64); err != nil {
				return nil, fmt.Errorf("listing the files of %s: size of %q: %w", short(treeish), path, err)
			}
		}
		list = append(list, e)
	}
	return list, nil
}

// Show reads a file at a commit. ok is false if there is no regular file of
// that name; a symbolic link is never followed and counts as none.
func (s *Store) Show(ctx context.Context, treeish, path string) (data []byte, ok bool, err error) {
	list, err := s.list(ctx, treeish, false, path)
	if err != nil || len(list) != 1 || list[0].Type != "blob" || list[0].Link() || list[0].Path != path {
		return nil, false, err
	}
	data, err = s.Blob(ctx, list[0].Hash)
	return data, err == nil, err
}

// Blob reads one blob by its hash.
func (s *Store) Blob(ctx context.Context, hash string) ([]byte, error) {
	return s.cmd("reading blob "+short(hash), "cat-file", "blob", hash).run(ctx)
}

// Has reports whether the store can reach an object.
func (s *Store) Has(ctx context.Context, hash string) bool {
	_, err := s.cmd("looking for "+short(hash), "cat-file", "-e", hash).run(ctx)
	return err == nil
}

// present finds those of the objects that the store can reach, with their
// sizes in bytes.
func (s *Store) present(ctx context.Context, hashes []string) (map[string]int64, error) {
	found := map[string]int64{}
	if len(hashes) == 0 {
		return found, nil
	}
	c := s.cmd("looking for objects", "cat-file", "--batch-check=%(objectname) %(objectsize)")
	c.stdin = strings.NewReader(strings.Join(hashes, "\n") + "\n")
	out, err := c.run(ctx)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		hash, size, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if n, err := strconv.ParseInt(size, 10, 64); err == nil { // else "missing"
			found[hash] = n
		}
	}
	return found, nil
}

// HasCommit reports whether the store can reach a commit with its whole tree
// but not necessarily its history.
func (s *Store) HasCommit(ctx context.Context, sha string) bool {
	return sha != "" && s.Has(ctx, sha+"^{tree}")
}

// TreeOf is the hash of a commit's tree.
func (s *Store) TreeOf(ctx context.Context, treeish string) (string, error) {
	return s.cmd("resolving the tree of "+short(treeish), "rev-parse", "--verify", "--quiet", treeish+"^{tree}").line(ctx)
}

// Blobs reads many blobs through one git process. It is not safe for use by
// several goroutines. Close ends the process.
type Blobs struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	said *capped
	from command
	ctx  context.Context
}

// Blobs starts the process.
func (s *Store) Blobs(ctx context.Context) (*Blobs, error) {
	c := s.cmd("reading blobs", "cat-file", "--batch")
	b := &Blobs{from: c, cmd: c.build(ctx), said: &capped{left: 64 << 10, drop: true}, ctx: ctx}
	b.cmd.Stderr = b.said
	in, err := b.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("reading blobs: %w", err)
	}
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("reading blobs: %w", err)
	}
	if err := b.cmd.Start(); err != nil {
		return nil, c.failed(ctx, err, "")
	}
	b.in, b.out = in, bufio.NewReaderSize(out, 1<<16)
	return b, nil
}

// Read reads one blob. It is raw: no filter or conversion is applied.
func (b *Blobs) Read(hash string) ([]byte, error) {
	if _, err := io.WriteString(b.in, hash+"\n"); err != nil {
		return nil, b.broken(err)
	}
	head, err := b.out.ReadString('\n')
	if err != nil {
		return nil, b.broken(err)
	}
	p := strings.Fields(head)
	if len(p) != 3 {
		return nil, fmt.Errorf("reading blob %s: git says %q", short(hash), strings.TrimSpace(head))
	}
	size, err := strconv.ParseInt(p[2], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("reading blob %s: its size: %w", short(hash), err)
	}
	if p[1] != "blob" || size > maxOutput {
		if _, err := io.CopyN(io.Discard, b.out, size+1); err != nil {
			return nil, b.broken(err)
		}
		return nil, fmt.Errorf("reading blob %s: it is a %s of %d bytes", short(hash), p[1], size)
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(b.out, data); err != nil {
		return nil, b.broken(err)
	}
	return data[:size], nil
}

func (b *Blobs) broken(err error) error {
	if b.ctx.Err() != nil {
		return fmt.Errorf("reading blobs: %w", context.Cause(b.ctx))
	}
	return &Error{Doing: b.from.doing, Args: b.from.args, Code: -1, Stderr: strings.TrimSpace(b.said.String()), Err: err}
}

// Close ends the process and waits for it.
func (b *Blobs) Close() error {
	_ = b.in.Close()
	_, _ = io.Copy(io.Discard, b.out)
	if err := b.cmd.Wait(); err != nil && b.ctx.Err() == nil {
		return b.broken(err)
	}
	return nil
}

// ErrNoMergeBase says that two commits have no ancestor in common, as far as
// the history that is here shows.
var ErrNoMergeBase = errors.New("no common ancestor")

// MergeBase finds the best common ancestor of two commits.
func (s *Store) MergeBase(ctx context.Context, a, b string) (string, error) {
	out, err := s.cmd("finding where "+short(a)+" and "+short(b)+" part", "merge-base", "--end-of-options", a, b).line(ctx)
	if exited(err, 1) {
		return "", fmt.Errorf("%s and %s: %w", short(a), short(b), ErrNoMergeBase)
	}
	if err != nil {
		return "", err
	}
	return out[strings.LastIndexByte(out, '\n')+1:], nil
}

// IsAncestor reports whether b's history contains a.
func (s *Store) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	_, err := s.cmd("comparing "+short(a)+" and "+short(b), "merge-base", "--is-ancestor", a, b).run(ctx)
	if exited(err, 1) {
		return false, nil
	}
	return err == nil, err
}

// Commit is one commit's own words.
type Commit struct {
	SHA    string
	Author string // name <mail>
	When   string // author date, RFC 3339
	Text   string // the whole message
}

// Log lists the commits that head has and base has not, newest first, at most
// max (0 = all).
func (s *Store) Log(ctx context.Context, base, head string, max int) ([]Commit, error) {
	args := []string{"log", "-z", "--no-color", "--no-show-signature", "--no-notes", "--encoding=UTF-8",
		"--no-decorate", "--no-mailmap", "--format=%H%x01%an <%ae>%x01%aI%x01%B"}
	if max > 0 {
		args = append(args, "-n", strconv.Itoa(max))
	}
	args = append(args, "--end-of-options", "^"+base, head, "--")
	out, err := s.cmd("reading the commits of "+short(head), args...).run(ctx)
	if err != nil {
		return nil, err
	}
	var list []Commit
	f := fields{rest: out}
	for len(f.rest) > 0 {
		p := strings.SplitN(f.next(), "\x01", 4)
		if len(p) != 4 {
			return nil, fmt.Errorf("reading the commits of %s: unknown record", short(head))
		}
		list = append(list, Commit{SHA: p[0], Author: p[1], When: p[2], Text: strings.TrimRight(p[3], "\n")})
	}
	return list, nil
}
