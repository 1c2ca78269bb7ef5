package journal

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/engine/event"
)

// NewID makes a run's id: when it began, and four random hex digits.
func NewID(t time.Time) string {
	var b [2]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return t.UTC().Format("20060102-150405-") + hex.EncodeToString(b[:])
}

// PathOf is where a run's journal stands under the runs directory:
// host/owner/repo/id.jsonl, with "local" and "-" for what is not known.
func PathOf(runs string, c event.Change, id string) string {
	part := func(s, none string) string {
		s = strings.Map(func(r rune) rune {
			if r == '/' || r == '\\' || r < ' ' {
				return '-'
			}
			return r
		}, s)
		if s == "" || strings.HasPrefix(s, ".") {
			return none + strings.TrimLeft(s, ".")
		}
		return s
	}
	return filepath.Join(runs, part(c.Host, "local"), part(c.Owner, "-"), part(c.Repo, "-"), id+".jsonl")
}

// Find returns the journal of a run by its id, or by a unique beginning of it.
// "latest" is the newest.
func Find(runs, id string) (string, error) {
	all, err := Paths(runs)
	if err != nil {
		return "", err
	}
	if id == "latest" && len(all) > 0 {
		return all[0], nil
	}
	var hits []string
	for _, p := range all {
		if runName(p) == id {
			return p, nil
		}
		if strings.HasPrefix(runName(p), id) && id != "" {
			hits = append(hits, p)
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return "", fmt.Errorf("no run %q: `mrv runs` lists them", id)
	}
	return "", fmt.Errorf("%q could be %d runs: give more of the id", id, len(hits))
}

// Paths lists all journals, newest first by id.
func Paths(runs string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(runs, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() && strings.HasSuffix(p, ".jsonl") {
			out = append(out, p)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing the runs: %w", err)
	}
	slices.SortFunc(out, func(a, b string) int { return strings.Compare(runName(b), runName(a)) })
	return out, nil
}

// Remove deletes a run's journal and lock, unless another process writes it.
func Remove(path string) error {
	lock, err := acquire(path)
	if err != nil {
		return err
	}
	err = errors.Join(os.Remove(path), os.Remove(path+".lock"), lock.Unlock())
	if err != nil {
		return fmt.Errorf("removing the run %s: %w", runName(path), err)
	}
	return nil
}
