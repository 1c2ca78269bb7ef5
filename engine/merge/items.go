package merge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// Item is a finding of any tool, as it is given to merge without a run.
type Item struct {
	ID       string `json:"id"`
	Reviewer string `json:"reviewer"`
	Model    string `json:"model,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	EndLine  int    `json:"end_line,omitempty"`
	Severity string `json:"severity,omitempty"` // any tool's word (review.ParseSeverity)
	Title    string `json:"title,omitempty"`
	// Text is the whole of what is said, where it is not in parts.
	Text        string `json:"text,omitempty"`
	Observation string `json:"observation,omitempty"`
	Inference   string `json:"inference,omitempty"`
	Judgment    string `json:"judgment,omitempty"`
	Quote       string `json:"quote,omitempty"`

	// Analyser marks a finding of a deterministic tool (SARIF).
	Analyser bool `json:"-"`
	at       string
	numbered bool // the id is an ordinal that mrv gave it
}

// finding turns an item into a finding. A severity word that no table knows
// leaves the severity open; the finding still counts.
func (i Item) finding() review.Finding {
	severity, _ := review.ParseSeverity(i.Severity)
	if i.Line == 0 {
		i.Line = i.EndLine
	}
	return review.Finding{
		ID: i.ID, Reviewer: i.Reviewer, Severity: severity, Title: i.Title,
		Location:    review.Location{Path: i.File, Start: i.Line, End: max(i.Line, i.EndLine)},
		Observation: strings.TrimSpace(i.Observation + "\n" + i.Text),
		Inference:   i.Inference, Judgment: i.Judgment, Quote: i.Quote,
	}
}

// ReadFindings reads the findings of one file: {"findings":[...]}, that list
// alone, JSON lines of the same objects, or SARIF 2.1.0. Ids are kept as they
// are. Errors name the file and the line.
func ReadFindings(r io.Reader, name string) ([]Item, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("reading findings from %s: %w", name, err)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, fmt.Errorf("%s:1: the file is UTF-16, save it as UTF-8", name)
	}
	p := &itemReader{name: name, data: data}
	if err := p.read(); err != nil {
		return nil, err
	}
	if err := Distinct(p.items); err != nil {
		return nil, err
	}
	return p.items, nil
}

// Distinct reports the first id that two items share, with both places. Items
// of several files are checked together before they are merged. What mrv itself
// numbered, the results of one tool in two SARIF files, is numbered on.
func Distinct(items []Item) error {
	seen := map[string]string{}
	for k, i := range items {
		if _, ok := seen[i.ID]; ok && i.numbered {
			for n := k + 1; ok; n++ {
				i.ID = numberedID(i.Reviewer, n)
				_, ok = seen[i.ID]
			}
			items[k].ID = i.ID
		}
		if at, ok := seen[i.ID]; ok {
			return fmt.Errorf("%s: the id %q was used before at %s; ids must be unique over all files", i.at, i.ID, at)
		}
		seen[i.ID] = i.at
	}
	return nil
}

// itemReader reads one file and knows where it is.
type itemReader struct {
	name  string
	data  []byte
	items []Item

	counted, lines int // how far lines were counted, and how many there were
}

// position is file:line of an offset. It counts on from the last one, so that
// reading a file counts its lines once.
func (p *itemReader) position(offset int64) string {
	n := min(int(offset), len(p.data))
	if n < p.counted {
		p.counted, p.lines = 0, 0
	}
	p.lines += bytes.Count(p.data[p.counted:n], []byte("\n"))
	p.counted = n
	return fmt.Sprintf("%s:%d", p.name, 1+p.lines)
}

// next is the position of the value that a decoder, begun at start, reads next.
func (p *itemReader) next(d *json.Decoder, start int64) string {
	at := start + d.InputOffset()
	for at < int64(len(p.data)) && bytes.IndexByte([]byte(" \t\r\n,:"), p.data[at]) >= 0 {
		at++
	}
	return p.position(at)
}

// read goes through the values of the file: one document, or one item a line.
func (p *itemReader) read() error {
	d := json.NewDecoder(bytes.NewReader(p.data))
	for n := 0; ; n++ {
		at, start := p.next(d, 0), d.InputOffset()
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) && n > 0 {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: the file is empty; want {\"findings\":[...]}, JSON lines or SARIF", p.name)
		}
		if err != nil && n == 0 && !slices.Contains([]byte("{["), p.first()) {
			return fmt.Errorf("%s: not JSON: %w; want {\"findings\":[...]}, JSON lines or SARIF", p.failedAt(err, at), err)
		}
		if err != nil {
			return fmt.Errorf("%s: not JSON: %w", p.failedAt(err, at), err)
		}
		if err := p.value(raw, start, at); err != nil {
			return err
		}
	}
}

// first is the first byte of the file that is no blank.
func (p *itemReader) first() byte {
	if text := bytes.TrimLeft(p.data, " \t\r\n"); len(text) > 0 {
		return text[0]
	}
	return 0
}

// value reads one value of the file, which begins at start.
func (p *itemReader) value(raw json.RawMessage, start int64, at string) error {
	switch raw[0] {
	case '[':
		return p.list(json.NewDecoder(bytes.NewReader(p.data[start:])), start)
	case '{':
	default:
		return fmt.Errorf("%s: want an object, one finding or a document of findings, not %.20s", at, raw)
	}
	var head struct {
		Findings json.RawMessage `json:"findings"`
		Runs     json.RawMessage `json:"runs"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return fmt.Errorf("%s: want a finding or a document of findings: %w", at, err)
	}
	switch {
	case head.Findings != nil:
		return p.document(start)
	case head.Runs != nil:
		return p.sarif(raw, at)
	}
	return p.item(raw, at)
}

// failedAt is where JSON breaks: at the fault, at the end of a file that was
// cut, else at the value it is in.
func (p *itemReader) failedAt(err error, at string) string {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return p.position(syntax.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return p.position(int64(len(p.data)))
	}
	return at
}

// document walks {"findings":[...]}, which begins at start and is known to be
// JSON, so that each item knows its line.
func (p *itemReader) document(start int64) error {
	d := json.NewDecoder(bytes.NewReader(p.data[start:]))
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("%s: %w", p.position(start), err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return fmt.Errorf("%s: %w", p.next(d, start), err)
		}
		if name, _ := key.(string); strings.EqualFold(name, "findings") { // as encoding/json reads names
			err = p.list(d, start)
		} else {
			err = d.Decode(new(json.RawMessage))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// list reads the items of a document.
func (p *itemReader) list(d *json.Decoder, start int64) error {
	at := p.next(d, start)
	open, err := d.Token()
	if err == nil && open == nil {
		return nil // null, as some tools write an empty list
	}
	if err != nil || open != json.Delim('[') {
		return fmt.Errorf("%s: \"findings\" must be a list", at)
	}
	for d.More() {
		at := p.next(d, start)
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		if err := p.item(raw, at); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// item reads and checks one finding.
func (p *itemReader) item(raw json.RawMessage, at string) error {
	var i Item
	if err := json.Unmarshal(raw, &i); err != nil {
		return fmt.Errorf("%s: not a finding: %w", at, plainly(err))
	}
	i.at = at
	switch {
	case i.ID == "":
		return fmt.Errorf("%s: the finding has no \"id\"", at)
	case i.Reviewer == "":
		return fmt.Errorf("%s: finding %q has no \"reviewer\"", at, i.ID)
	case strings.TrimSpace(i.Title+i.Text+i.Observation) == "":
		return fmt.Errorf("%s: finding %q says nothing: give \"title\", \"text\" or \"observation\"", at, i.ID)
	case i.Line < 0 || i.EndLine < 0:
		return fmt.Errorf("%s: finding %q: lines count from 1", at, i.ID)
	}
	p.items = append(p.items, i)
	return nil
}

// plainly says in JSON's terms which field has the wrong type.
func plainly(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	want := map[reflect.Kind]string{reflect.String: "a string", reflect.Int: "a whole number"}[wrong.Type.Kind()]
	if want == "" || wrong.Field == "" {
		return fmt.Errorf("want an object, not a %s", wrong.Value)
	}
	got := "a " + wrong.Value
	if number, ok := strings.CutPrefix(wrong.Value, "number "); ok {
		got = number
	}
	return fmt.Errorf("%q must be %s, not %s", wrong.Field, want, got)
}

// Result is what a merge without a run answers.
type Result struct {
	Merged []MergedItem `json:"merged"`
	// Findings is how many went in; each is in the sources of one entry.
	Findings int `json:"findings"`
	// Reviewers names all that reported something.
	Reviewers []string `json:"reviewers"`
}

// MergedItem is one problem: an entry in plain words.
type MergedItem struct {
	ID        string          `json:"id"`
	Sources   []string        `json:"sources"`
	Reviewers []string        `json:"reviewers"`
	Confirmed bool            `json:"confirmed"`
	Models    int             `json:"models"` // distinct ones, 0 when none is known
	Analyser  bool            `json:"analyser,omitempty"`
	Severity  review.Severity `json:"severity,omitempty"` // the majority's
	Worst     review.Severity `json:"worst,omitempty"`
	Title     string          `json:"title,omitempty"`
	Text      string          `json:"text,omitempty"`
	File      string          `json:"file,omitempty"`
	Line      int             `json:"line,omitempty"`
	EndLine   int             `json:"end_line,omitempty"`
	// Place says how the place was found in the change; only with a diff.
	Place   diff.How `json:"place,omitempty"`
	Dissent []string `json:"dissent,omitempty"`
}

// MergeItems merges findings of any tools; with a change their places are
// checked against it.
func MergeItems(items []Item, set *diff.Set) Result {
	in := Input{Reviewers: map[string]Reviewer{}}
	items = within(items)
	byID := map[string]review.Finding{}
	for _, i := range items {
		f := i.finding()
		in.Findings = append(in.Findings, f)
		byID[f.ID] = f
		r := in.Reviewers[i.Reviewer]
		if i.Model != "" && (r.Model == "" || i.Model < r.Model) { // one, whatever the order
			r.Model = i.Model
		}
		r.Analyser = r.Analyser || i.Analyser
		in.Reviewers[i.Reviewer] = r
	}
	if set != nil {
		in.Places = map[string]diff.Place{}
		for _, f := range in.Findings {
			l := f.Location
			in.Places[f.ID] = set.Locate(l.Path, l.Start, l.End, l.Old, f.Quote)
		}
	}
	result := Result{Merged: []MergedItem{}, Findings: len(byID), Reviewers: slices.AppendSeq([]string{}, maps.Keys(in.Reviewers))}
	slices.Sort(result.Reviewers)
	for _, e := range Merge(in) {
		result.Merged = append(result.Merged, merged(e, byID[e.Lead], set != nil))
	}
	return result
}

// within makes absolute paths relative to the repository where another tool
// names the same file by a relative one: the longest end that is one.
func within(items []Item) []Item {
	known := map[string]bool{}
	for _, i := range items {
		if !strings.HasPrefix(i.File, "/") {
			known[i.File] = true
		}
	}
	items = slices.Clone(items)
	for k, i := range items {
		for end := i.File; strings.HasPrefix(i.File, "/") && end != ""; {
			_, end, _ = strings.Cut(end, "/")
			if known[end] && end != "" {
				items[k].File = end
				break
			}
		}
	}
	return items
}

func merged(e event.Entry, lead review.Finding, checked bool) MergedItem {
	m := MergedItem{
		ID: e.ID, Sources: e.Sources, Reviewers: e.Reviewers, Confirmed: e.Confirmed, Models: e.Models,
		Analyser: e.Analyser, Severity: e.Severity, Worst: e.Worst, Title: lead.Title, Text: lead.Observation,
		File: e.Place.Path, Line: e.Place.Start, EndLine: e.Place.End, Dissent: e.Dissent,
	}
	if checked {
		m.Place = e.Place.How
	}
	return m
}
