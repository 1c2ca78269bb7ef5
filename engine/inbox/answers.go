package inbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/engine/document"
)

// Outcome is what the builder did about a finding.
type Outcome string

// Outcomes.
const (
	Fixed     Outcome = "fixed"
	Rejected  Outcome = "rejected"
	Escalated Outcome = "escalated"
)

// Answer is one line of an answers file.
type Answer struct {
	ID      string  `json:"id"` // of a finding, or of one of its sources
	Outcome Outcome `json:"outcome"`
	Note    string  `json:"note,omitempty"`
	By      string  `json:"by,omitempty"`
	At      string  `json:"at,omitempty"` // RFC 3339
	// Run is the run whose round the line stands in.
	Run string `json:"-"`
	// Line is its number in the file, from 1.
	Line int `json:"-"`
}

// Check says what an answer lacks. A rejection needs its evidence and an
// escalation its question: both stand in the note.
func (a Answer) Check() error {
	if strings.TrimSpace(a.ID) == "" {
		return errors.New("it names no finding (id)")
	}
	switch a.Outcome {
	case Fixed:
		return nil
	case Rejected, Escalated:
		if strings.TrimSpace(a.Note) == "" {
			return fmt.Errorf("%s needs a note that says why", a.Outcome)
		}
		return nil
	}
	return fmt.Errorf("the outcome %q is none of fixed, rejected, escalated", a.Outcome)
}

// BadLine is a line of an answers file that is no answer. It is reported and
// stays where it is.
type BadLine struct {
	Line int    `json:"line"`
	Text string `json:"text"`
	Why  string `json:"why"`
	// Run is the run whose round the line stands in.
	Run string `json:"-"`
}

// AnswerFile is all that an answers file says, in its order.
type AnswerFile struct {
	Answers []Answer
	Bad     []BadLine
	last    string // the run of the last round
}

// Of lists the answers of one run; a later answer to the same finding comes
// later.
func (f AnswerFile) Of(run string) []Answer {
	var out []Answer
	for _, a := range f.Answers {
		if a.Run == run {
			out = append(out, a)
		}
	}
	return out
}

// Answers reads the answers of a review by its stem ("pr-12"). A missing file
// has none.
func Answers(root, stem string) (AnswerFile, error) {
	b, err := open(root, false)
	if errors.Is(err, fs.ErrNotExist) {
		return AnswerFile{}, nil
	}
	if err != nil {
		return AnswerFile{}, err
	}
	defer b.close()
	return b.answers(path.Join(Dir, stem+".answers.jsonl"))
}

// LastRound reads the review that was written last under a stem, and all that
// its answers file says. A missing one is empty. tracked lists what the
// reviewed head tracks below Dir: that is part of the change, and no answer.
func LastRound(root, stem string, tracked ...string) (document.Document, AnswerFile, error) {
	b, err := open(root, false)
	if errors.Is(err, fs.ErrNotExist) {
		return document.Document{}, AnswerFile{}, nil
	}
	if err != nil {
		return document.Document{}, AnswerFile{}, err
	}
	defer b.close()
	review, said := path.Join(Dir, stem+".json"), path.Join(Dir, stem+".answers.jsonl")
	for _, name := range []string{review, said} {
		if slices.Contains(tracked, name) {
			return document.Document{}, AnswerFile{}, fmt.Errorf("%s is tracked by the repository: it is part of the change, not an inbox, and ignored", name)
		}
	}
	doc, err := b.document(stem)
	if errors.Is(err, fs.ErrNotExist) {
		return document.Document{}, AnswerFile{}, nil
	}
	if err != nil {
		return document.Document{}, AnswerFile{}, err
	}
	all, err := b.answers(said)
	return doc, all, err
}

func (b *box) answers(name string) (AnswerFile, error) {
	raw, err := b.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return AnswerFile{}, nil
	}
	if err != nil {
		return AnswerFile{}, err
	}
	return ParseAnswers(raw), nil
}

// lineLimit is how much of a bad line is shown.
const lineLimit = 200

// ParseAnswers reads the lines of an answers file.
func ParseAnswers(raw []byte) AnswerFile {
	var out AnswerFile
	for i, line := range bytes.Split(raw, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		var x struct {
			Answer
			Run  string          `json:"run"`
			Open json.RawMessage `json:"open"`
		}
		err := json.Unmarshal(line, &x)
		if err == nil && x.Open != nil && x.ID == "" && x.Outcome == "" {
			out.last = x.Run
			continue
		}
		a := x.Answer
		a.Run, a.Line = out.last, i+1
		if err == nil {
			err = a.Check()
		}
		if err != nil {
			out.Bad = append(out.Bad, BadLine{Line: i + 1, Text: cut(string(line)), Why: err.Error(), Run: out.last})
			continue
		}
		out.Answers = append(out.Answers, a)
	}
	return out
}

func cut(s string) string {
	s = document.Clean(s)
	if r := []rune(s); len(r) > lineLimit {
		return string(r[:lineLimit]) + "…"
	}
	return s
}

// Resolve appends an answer to a review, by its stem. The finding must be open
// in it. It returns the path of the file.
func Resolve(root, stem string, a Answer, now time.Time) (string, error) {
	if err := a.Check(); err != nil {
		return "", fmt.Errorf("answering %s: %w", a.ID, err)
	}
	b, err := existing(root)
	if err != nil {
		return "", err
	}
	defer b.close()
	doc, err := b.document(stem)
	if err != nil {
		return "", err
	}
	if _, err := openFinding(doc, a.ID); err != nil {
		return "", err
	}
	if err := b.begin(doc); err != nil {
		return "", err
	}
	if a.At == "" {
		a.At = now.UTC().Format(time.RFC3339)
	}
	line, err := json.Marshal(a)
	if err != nil {
		return "", fmt.Errorf("answering %s: %w", a.ID, err)
	}
	name := path.Join(Dir, doc.Stem()+".answers.jsonl")
	return b.full(name), b.add(name, line)
}

// openFinding finds an open finding by its id or the id of a source.
func openFinding(doc document.Document, id string) (document.Finding, error) {
	var known []string
	for _, f := range doc.Findings {
		if f.ID != id && !slices.Contains(f.Sources, id) {
			if f.Status == document.Open {
				known = append(known, f.ID)
			}
			continue
		}
		if f.Status != document.Open {
			return f, fmt.Errorf("%s is %s: it is not to be touched", id, f.Status)
		}
		return f, nil
	}
	return document.Finding{}, fmt.Errorf("no finding %q is open in %s; open are: %s", id, doc.Stem(), strings.Join(known, ", "))
}

// document reads the twin of a review.
func (b *box) document(stem string) (document.Document, error) {
	if stem == "" {
		stem = "latest"
	}
	if strings.ContainsAny(stem, "/\\") || strings.HasPrefix(stem, ".") {
		return document.Document{}, fmt.Errorf("%q is no name of a review", stem)
	}
	raw, err := b.read(path.Join(Dir, stem+".json"))
	if err != nil {
		return document.Document{}, err
	}
	doc, err := document.ParseJSON(raw)
	if err != nil {
		return doc, fmt.Errorf("%s: %w", b.full(path.Join(Dir, stem+".json")), err)
	}
	return doc, nil
}
