package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
)

// Written says what a write did.
type Written struct {
	Paths []string // absolute or as root was given, in order of writing
	// Notes say what was left alone, and why.
	Notes []string
}

// Write puts a document into the inbox below root: the accepted findings of a
// review, of rejected ones the id and the reason, of undecided ones nothing.
// tracked lists the paths (relative to root) that the reviewed head tracks
// below Dir: they belong to the repository and are not written over. A demo
// does not replace a latest.md that is about a real change.
func Write(ctx context.Context, root string, doc document.Document, tracked ...string) (Written, error) {
	var out Written
	markdown, err := document.Inbox(doc)
	if err != nil {
		return out, err
	}
	twin, err := document.JSON(doc.Triaged())
	if err != nil {
		return out, err
	}
	b, err := open(root, true)
	if err != nil {
		return out, err
	}
	defer b.close()
	files, notes, err := b.plan(doc, []byte(markdown), twin, tracked)
	out.Notes = notes
	if err != nil {
		return out, err
	}
	if err := b.begin(doc); err != nil {
		return out, err
	}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return out, fmt.Errorf("writing the inbox: %w", err)
		}
		if err := b.replace(f.name, f.data); err != nil {
			return out, err
		}
		out.Paths = append(out.Paths, b.full(f.name))
	}
	return out, nil
}

// Paths lists what Write would write for a document, relative to the root.
func Paths(doc document.Document) []string {
	stem := path.Join(Dir, doc.Stem())
	return []string{stem + ".md", stem + ".json", path.Join(Dir, "latest.md"), path.Join(Dir, "latest.json")}
}

type file struct {
	name string
	data []byte
}

// plan lists the files to write, the twin before the file a person looks for
// and the copies last.
func (b *box) plan(doc document.Document, markdown, twin []byte, tracked []string) (files []file, notes []string, err error) {
	ignore := path.Join(Dir, ".gitignore")
	exists, err := b.regular(ignore)
	if err != nil {
		return nil, nil, err
	}
	if !exists && !slices.Contains(tracked, ignore) {
		files = append(files, file{ignore, []byte("*\n")})
	}
	latest, err := b.mayReplaceLatest(doc)
	if err != nil {
		return nil, nil, err
	}
	if !latest {
		notes = append(notes, path.Join(Dir, "latest.md")+" is about a real change and stays: this is a demo")
	}
	paths := Paths(doc)
	for _, f := range []file{{paths[1], twin}, {paths[0], markdown}, {paths[3], twin}, {paths[2], markdown}} {
		switch {
		case slices.Contains(tracked, f.name):
			notes = append(notes, f.name+" is tracked by the repository: not written over, and no inbox")
		case !latest && path.Base(f.name) != doc.Stem()+path.Ext(f.name):
		default:
			files = append(files, f)
		}
	}
	return files, notes, nil
}

func (b *box) mayReplaceLatest(doc document.Document) (bool, error) {
	if doc.Change.Source != event.FromDemo {
		return true, nil
	}
	for _, name := range []string{"latest.json", "latest.md"} {
		raw, err := b.read(path.Join(Dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		// What cannot be read is not mrv's to replace by a demo.
		old, err := document.ParseJSON(raw)
		return err == nil && old.Change.Source == event.FromDemo, nil
	}
	return true, nil
}

// round is the line that begins a run's answers. Ids of different runs look
// alike, so answers belong to the round they stand in.
type round struct {
	Run  string   `json:"run"`
	Head string   `json:"head,omitempty"`
	Open []string `json:"open"`
}

// begin opens a round for a run's answers, unless it is the last one already.
func (b *box) begin(doc document.Document) error {
	name := path.Join(Dir, doc.Stem()+".answers.jsonl")
	all, err := b.answers(name)
	if err != nil {
		return err
	}
	if all.last == doc.Run && doc.Run != "" {
		return nil
	}
	r := round{Run: doc.Run, Head: doc.Change.Head, Open: []string{}}
	for _, f := range doc.With(document.Open) {
		r.Open = append(r.Open, f.ID)
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("beginning the answers of run %s: %w", doc.Run, err)
	}
	return b.add(name, line)
}
