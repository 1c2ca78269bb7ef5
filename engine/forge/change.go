package forge

import (
	"github.com/mrv-dev/mrv/engine/diff"
)

// statuses maps the words of GitHub and Gitea to ours. "changed" is a change
// of mode or type, "unchanged" one that Gitea has no lines for.
var statuses = map[string]diff.Status{
	"added": diff.Added, "removed": diff.Deleted, "deleted": diff.Deleted, "renamed": diff.Renamed,
	"copied": diff.Copied, "modified": diff.Modified, "changed": diff.Modified, "unchanged": diff.Modified,
}

// emptyBlobs are the hashes of a file without content.
var emptyBlobs = map[string]bool{
	"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391":                         true,
	"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813": true,
}

// plainFile is git's mode of a file that is no program and no link.
const plainFile = "100644"

// Change reads a list of files as a change, each patch alone, for changes that
// the forge does not give as one text. A patch that did not come or can not be
// read leaves its file Unread.
func Change(files []File) *diff.Set {
	list := make([]*diff.File, len(files))
	for i, f := range files {
		list[i] = f.change()
	}
	return diff.NewSet(list)
}

func (f File) change() *diff.File {
	d := diff.File{OldPath: f.OldPath, NewPath: f.NewPath, Status: statuses[f.Status], Additions: f.Additions, Deletions: f.Deletions}
	// The forge tells no modes. That of a plain file says in the written form
	// that the file is new or gone, which one without lines says nowhere else.
	switch d.Status {
	case diff.Added:
		d.NewMode = plainFile
	case diff.Deleted:
		d.OldMode = plainFile
	}
	switch {
	case f.Patch != "":
		read, err := diff.ParsePatch(d, []byte(f.Patch))
		if err == nil {
			return read
		}
		d.Unread = "the forge's patch can not be read: " + err.Error()
	case f.Additions+f.Deletions > 0:
		d.Unread = "the forge sent no patch"
	case d.Status == diff.Renamed, d.Status == diff.Copied, emptyBlobs[f.Blob]:
	default:
		// No lines and no patch: binary, or a mere change of mode, which the
		// list of files does not tell apart.
		d.Binary = true
	}
	if d.Status == "" {
		d.Unread = "the forge calls it " + f.Status
	}
	return &d
}

// Counts is what the forge says about each file, for diff.Verify.
func Counts(files []File) []diff.Want {
	wants := make([]diff.Want, len(files))
	for i, f := range files {
		wants[i] = diff.Want{Path: f.Path(), Additions: f.Additions, Deletions: f.Deletions}
	}
	return wants
}
