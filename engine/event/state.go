package event

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/review"
)

// TextCap is how many bytes of a reviewer's text State keeps; older text is
// read back from the journal.
const TextCap = 256 << 10

// Coordinator is the name under which the coordinator's turns are journaled.
const Coordinator = "coordinator"

// Own is the reviewer name of findings that the person added.
const Own = "you"

// Earlier is the reviewer name of findings of an earlier run that nobody
// reports again, and that are not settled.
const Earlier = "earlier"

// State is what is true of a run after the events applied so far. It belongs
// to one goroutine.
type State struct {
	Seq         int64
	TMS         int64  // of the last event
	Wall        string // of the last event
	StartedWall string
	Plan        *Plan
	Diff        *diff.Set
	Phase       Phase
	Interrupted bool
	Server      ServerData
	Notices     []NoticeData
	Gaps        []review.Gap
	Holds       []review.Hold
	Reviewers   []*Reviewer // the team, in order
	Coordinator *Reviewer   // nil when there is none

	Findings map[string]review.Finding // every source finding, by id
	Order    []string                  // their ids in order of arrival
	Places   map[string]diff.Place
	Entries  []Entry
	MergedBy string
	Judged   []Entry // as the judge left them, nil without one
	Summary  SummaryData

	Decisions  map[string]review.Decision // by source id
	Edits      map[string]*Wording
	Notes      map[string]*Note
	Restored   map[string]bool
	Answers    map[string]*Answer // the builder's, by source id
	Ops        []MergeOp
	History    map[string][]StepRef // by source id, oldest first
	Challenges map[string][]ChallengeData
	Exports    []ExportData
	UndoStack  []StepRef
	RedoStack  []StepRef
	Cursor     string // where the last decision left it
	// FindingsSeq is the seq of the last event about findings, entries,
	// decisions, challenges or exports: while it stands, a board drawn from
	// this state stands too.
	FindingsSeq int64

	skipped int // events of kinds this version does not know
}

// StepRef is a step as the undo stack keeps it.
type StepRef struct {
	Seq    int64
	Wall   string
	Label  string
	Before Patch
	After  Patch
	Cursor string
}

// Reviewer is the state of one reviewer.
type Reviewer struct {
	Member
	Status     Status
	Text       string // why, in words
	Failure    *review.Failure
	Attempt    int
	NextMS     int64
	Turn       int
	TurnKind   TurnKind
	Answering  review.Model // who answers
	Variant    string
	Usage      review.Usage
	Steps      int
	Tool       *review.Tool // the call under way
	ToolCalls  int
	StartMS    int64 // of the first turn
	LastMS     int64 // of the last output
	EndMS      int64
	Blocks     []Block
	TextBytes  int64 // of all text so far, kept or not
	Dropped    bool  // Blocks no longer begins at the start
	Report     *review.Report
	ReportFrom review.Model
	size       int
}

// Block is a stretch of a reviewer's pane: streamed text, thinking, or a tool
// call. Version grows with each change, so that a screen can cache.
type Block struct {
	ID      string
	Kind    string // "text", "thinking", "tool", "notice"
	Text    string
	Tool    review.Tool
	Version int

	// said holds Text while it grows, so that a token costs its own length and
	// not that of all before it.
	said *strings.Builder
}

// say appends to the block's text.
func (b *Block) say(s string) {
	if b.said == nil {
		b.said = &strings.Builder{}
		b.said.WriteString(b.Text)
	}
	b.said.WriteString(s)
	b.Text = b.said.String()
	b.Version++
}

// set replaces the block's text.
func (b *Block) set(s string) {
	b.Text, b.said = s, nil
	b.Version++
}

// NewState is the state before any event.
func NewState() *State {
	return &State{
		Findings: map[string]review.Finding{}, Places: map[string]diff.Place{},
		Decisions: map[string]review.Decision{}, Edits: map[string]*Wording{}, Notes: map[string]*Note{},
		Restored: map[string]bool{}, Answers: map[string]*Answer{}, History: map[string][]StepRef{}, Challenges: map[string][]ChallengeData{},
	}
}

// Fold applies events to a new state.
func Fold(events []Event) (*State, error) {
	s := NewState()
	for _, e := range events {
		if err := s.Apply(e); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Skipped is how many events were of a kind this version does not know.
func (s *State) Skipped() int { return s.skipped }

// Apply folds one event into the state.
func (s *State) Apply(e Event) error {
	s.Seq, s.TMS = e.Seq, e.TMS
	if e.Wall != "" {
		s.Wall = e.Wall
		if s.StartedWall == "" {
			s.StartedWall = e.Wall
		}
	}
	switch e.Kind {
	case Planned, DiffStored, PhaseChanged, ServerChanged, Noticed, GapFound, HoldSet:
		return s.applyRun(e)
	case MemberAdded, StatusChanged, TurnStarted, TextAppended, TextSet, TextDropped, ToolCalled, UsageAdded, ModelChosen, ReportIn:
		return s.applyReviewer(e)
	case Merged, Summarised, Decided, Challenged, Exported:
		s.FindingsSeq = e.Seq
		return s.applyFindings(e)
	case Commanded:
		return nil
	}
	s.skipped++
	return nil
}

func (s *State) applyRun(e Event) error {
	switch e.Kind {
	case Planned:
		var p Plan
		if err := e.Decode(&p); err != nil {
			return err
		}
		s.Plan, s.Phase = &p, PhasePlanned
		s.Gaps, s.Holds = slices.Clone(p.Gaps), slices.Clone(p.Holds)
		for _, n := range p.Notes {
			s.Notices = append(s.Notices, NoticeData{Level: "info", Text: n})
		}
		s.Reviewers = nil
		for _, m := range p.Team {
			s.Reviewers = append(s.Reviewers, newReviewer(m))
		}
		if p.Coordinator != nil {
			s.Coordinator = newReviewer(*p.Coordinator)
		}
	case DiffStored:
		var d DiffData
		if err := e.Decode(&d); err != nil {
			return err
		}
		set, err := d.Parse()
		if err != nil {
			return err
		}
		s.Diff = set
	case PhaseChanged:
		var p PhaseData
		if err := e.Decode(&p); err != nil {
			return err
		}
		s.Phase, s.Interrupted = p.Phase, p.Interrupted
	case ServerChanged:
		s.Server = ServerData{}
		return e.Decode(&s.Server)
	case Noticed:
		var n NoticeData
		if err := e.Decode(&n); err != nil {
			return err
		}
		if r := s.Reviewer(e.Reviewer); r != nil {
			r.add(Block{ID: fmt.Sprintf("notice-%d", e.Seq), Kind: "notice", Text: n.Text})
			return nil
		}
		s.Notices = append(s.Notices, n)
	case GapFound:
		var g review.Gap
		if err := e.Decode(&g); err != nil {
			return err
		}
		s.Gaps = append(s.Gaps, g)
	case HoldSet:
		var h review.Hold
		if err := e.Decode(&h); err != nil {
			return err
		}
		s.Holds = append(s.Holds, h)
	}
	return nil
}

// Parse unpacks and parses the diff.
func (d DiffData) Parse() (*diff.Set, error) {
	raw, err := d.Raw()
	if err != nil {
		return nil, err
	}
	set, err := diff.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("reading the journaled diff: %w", err)
	}
	return set, nil
}

// Raw unpacks the diff's bytes.
func (d DiffData) Raw() ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(d.Gzip))
	if err != nil {
		return nil, fmt.Errorf("unpacking the journaled diff: %w", err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("unpacking the journaled diff: %w", err)
	}
	return raw, nil
}

// Reviewer finds a reviewer or the coordinator by name; nil if there is none.
func (s *State) Reviewer(name string) *Reviewer {
	if name == "" {
		return nil
	}
	if name == Coordinator {
		return s.Coordinator
	}
	for _, r := range s.Reviewers {
		if r.Name == name {
			return r
		}
	}
	return nil
}

func newReviewer(m Member) *Reviewer {
	r := &Reviewer{Member: m, Status: StatusPlanned, Variant: m.Variant, Answering: m.Model()}
	if m.Skip != "" {
		r.Status, r.Text = StatusSkipped, m.Skip
	}
	return r
}

func (s *State) applyReviewer(e Event) error {
	if e.Kind == MemberAdded {
		var m Member
		if err := e.Decode(&m); err != nil {
			return err
		}
		if m.Name == Coordinator {
			s.Coordinator = newReviewer(m)
		} else if s.Reviewer(m.Name) == nil {
			s.Reviewers = append(s.Reviewers, newReviewer(m))
		}
		return nil
	}
	r := s.Reviewer(e.Reviewer)
	if r == nil {
		return fmt.Errorf("event %d (%s) is about an unknown reviewer %q", e.Seq, e.Kind, e.Reviewer)
	}
	if e.Turn > 0 {
		r.Turn = e.Turn
	}
	switch e.Kind {
	case StatusChanged:
		var d StatusData
		if err := e.Decode(&d); err != nil {
			return err
		}
		r.Status, r.Text, r.Failure, r.NextMS = d.Status, d.Text, d.Failure, d.NextMS
		if d.Attempt > 0 {
			r.Attempt = d.Attempt
		}
		if d.Status.Final() {
			r.EndMS, r.Tool = e.TMS, nil
		} else {
			r.EndMS = 0
		}
	case TurnStarted:
		var d TurnData
		if err := e.Decode(&d); err != nil {
			return err
		}
		if r.StartMS == 0 {
			r.StartMS = max(e.TMS, 1)
		}
		r.LastMS = e.TMS
		r.TurnKind, r.Attempt = d.Kind, d.Attempt
		if d.Model.ID != "" {
			r.Answering = d.Model
		}
		if d.Variant != "" {
			r.Variant = d.Variant
		}
	case TextAppended, TextSet, TextDropped:
		var d TextData
		if err := e.Decode(&d); err != nil {
			return err
		}
		r.LastMS = e.TMS
		r.text(e.Kind, d)
	case ToolCalled:
		var t review.Tool
		if err := e.Decode(&t); err != nil {
			return err
		}
		r.LastMS = e.TMS
		r.tool(t)
	case UsageAdded:
		var u review.Usage
		if err := e.Decode(&u); err != nil {
			return err
		}
		r.Usage = r.Usage.Add(u)
		r.Steps++
	case ModelChosen:
		var d ModelData
		if err := e.Decode(&d); err != nil {
			return err
		}
		if d.Model.ID != "" {
			r.Answering = d.Model
		}
		if d.Variant != "" {
			r.Variant = d.Variant
		}
	case ReportIn:
		var d ReportData
		if err := e.Decode(&d); err != nil {
			return err
		}
		if !d.Superseded {
			s.report(r, d)
			s.FindingsSeq = e.Seq
		}
	}
	return nil
}

// report replaces what the reviewer handed in before.
func (s *State) report(r *Reviewer, d ReportData) {
	s.Order = slices.DeleteFunc(s.Order, func(id string) bool { return s.Findings[id].Reviewer == r.Name })
	for id, f := range s.Findings {
		if f.Reviewer == r.Name {
			delete(s.Findings, id)
			delete(s.Places, id)
		}
	}
	r.Report, r.ReportFrom = &d.Report, d.Model
	for _, f := range d.Report.Findings {
		s.Findings[f.ID] = f
		s.Order = append(s.Order, f.ID)
	}
	maps.Copy(s.Places, d.Places)
}

func (r *Reviewer) block(id string) *Block {
	for i := len(r.Blocks) - 1; i >= 0; i-- {
		if r.Blocks[i].ID == id {
			return &r.Blocks[i]
		}
	}
	return nil
}

func (r *Reviewer) add(b Block) {
	r.Blocks = append(r.Blocks, b)
	r.grow(len(b.Text))
}

// grow keeps the kept text under TextCap, dropping whole blocks from the
// front and, when one block alone is too long, its front.
func (r *Reviewer) grow(n int) {
	r.size += n
	r.TextBytes += int64(max(n, 0))
	for r.size > TextCap && len(r.Blocks) > 1 {
		r.size -= len(r.Blocks[0].Text)
		r.Blocks = r.Blocks[1:]
		r.Dropped = true
	}
	if r.size > TextCap && len(r.Blocks) == 1 {
		b := &r.Blocks[0]
		cut := len(b.Text) - TextCap/2
		for cut < len(b.Text) && b.Text[cut]&0xC0 == 0x80 {
			cut++
		}
		b.set(strings.Clone(b.Text[cut:]))
		r.size, r.Dropped = len(b.Text), true
	}
}

func (r *Reviewer) text(kind Kind, d TextData) {
	b := r.block(d.Part)
	switch {
	case kind == TextDropped:
		if b != nil {
			r.size -= len(b.Text)
			r.Blocks = slices.DeleteFunc(r.Blocks, func(x Block) bool { return x.ID == d.Part })
		}
	case b == nil:
		stream := d.Stream
		if stream == "" {
			stream = "text"
		}
		r.add(Block{ID: d.Part, Kind: stream, Text: d.Text, Version: 1})
	case kind == TextSet:
		n := len(d.Text) - len(b.Text)
		b.set(d.Text)
		r.grow(n)
	default:
		b.say(d.Text)
		r.grow(len(d.Text))
	}
}

func (r *Reviewer) tool(t review.Tool) {
	if b := r.block("tool-" + t.ID); b != nil {
		b.Tool = t
		b.Version++
	} else {
		r.ToolCalls++
		r.add(Block{ID: "tool-" + t.ID, Kind: "tool", Tool: t, Version: 1})
	}
	r.Tool = nil
	if t.Status == "pending" || t.Status == "running" {
		r.Tool = &t
	}
}

func (s *State) applyFindings(e Event) error {
	switch e.Kind {
	case Merged:
		var d MergedData
		if err := e.Decode(&d); err != nil {
			return err
		}
		s.Entries, s.MergedBy = d.Entries, d.By
		if d.Answer {
			s.Judged = d.Entries
		}
	case Summarised:
		s.Summary = SummaryData{}
		return e.Decode(&s.Summary)
	case Decided:
		var d StepData
		if err := e.Decode(&d); err != nil {
			return err
		}
		s.step(e, d)
	case Challenged:
		var d ChallengeData
		if err := e.Decode(&d); err != nil {
			return err
		}
		s.challenge(d)
	case Exported:
		var d ExportData
		if err := e.Decode(&d); err != nil {
			return err
		}
		s.Exports = append(s.Exports, d)
	}
	return nil
}

// challenge keeps one entry a rebuttal: the answer replaces the open question.
func (s *State) challenge(d ChallengeData) {
	list := s.Challenges[d.Finding]
	if n := len(list); n > 0 && list[n-1].Outcome == "" && list[n-1].Error == "" && list[n-1].Rebuttal == d.Rebuttal {
		list[n-1] = d
		return
	}
	s.Challenges[d.Finding] = append(list, d)
}

// step applies a person's step and keeps the undo and redo stacks.
func (s *State) step(e Event, d StepData) {
	ref := StepRef{Seq: e.Seq, Wall: e.Wall, Label: d.Label, Before: s.inverse(d.Patch), After: d.Patch, Cursor: d.Cursor}
	switch d.Op {
	case "undo":
		if n := len(s.UndoStack); n > 0 {
			s.RedoStack = append(s.RedoStack, s.UndoStack[n-1])
			s.UndoStack = s.UndoStack[:n-1]
		}
	case "redo":
		if n := len(s.RedoStack); n > 0 {
			s.UndoStack = append(s.UndoStack, s.RedoStack[n-1])
			s.RedoStack = s.RedoStack[:n-1]
		}
	case "do":
		s.UndoStack = append(s.UndoStack, ref)
		s.RedoStack = nil
	}
	s.apply(d.Patch)
	for id := range d.Patch.touched() {
		s.History[id] = append(s.History[id], ref)
	}
	if d.Cursor != "" {
		s.Cursor = d.Cursor
	}
}

// touched lists the source ids a patch changes.
func (p Patch) touched() map[string]bool {
	ids := map[string]bool{}
	for id := range p.Decisions {
		ids[id] = true
	}
	for id := range p.Edits {
		ids[id] = true
	}
	for id := range p.Notes {
		ids[id] = true
	}
	for id := range p.Restored {
		ids[id] = true
	}
	for id := range p.Own {
		ids[id] = true
	}
	return ids
}

// inverse is the patch that undoes p from the present state.
func (s *State) inverse(p Patch) Patch {
	var q Patch
	for id := range p.Decisions {
		if q.Decisions == nil {
			q.Decisions = map[string]review.Decision{}
		}
		q.Decisions[id] = s.Decisions[id]
	}
	for id := range p.Edits {
		if q.Edits == nil {
			q.Edits = map[string]*Wording{}
		}
		q.Edits[id] = s.Edits[id]
	}
	for id := range p.Notes {
		if q.Notes == nil {
			q.Notes = map[string]*Note{}
		}
		q.Notes[id] = s.Notes[id]
	}
	for id := range p.Restored {
		if q.Restored == nil {
			q.Restored = map[string]bool{}
		}
		q.Restored[id] = s.Restored[id]
	}
	for id := range p.Own {
		if q.Own == nil {
			q.Own = map[string]*review.Finding{}
		}
		q.Own[id] = nil
		if f, ok := s.Findings[id]; ok {
			q.Own[id] = &f
		}
	}
	if p.SetOps {
		q.SetOps, q.Ops = true, slices.Clone(s.Ops)
	}
	return q
}

func (s *State) apply(p Patch) {
	for id, d := range p.Decisions {
		if d == (review.Decision{}) {
			delete(s.Decisions, id)
		} else {
			s.Decisions[id] = d
		}
	}
	for id, w := range p.Edits {
		if w == nil {
			delete(s.Edits, id)
		} else {
			s.Edits[id] = w
		}
	}
	for id, n := range p.Notes {
		if n == nil {
			delete(s.Notes, id)
		} else {
			s.Notes[id] = n
		}
	}
	maps.Copy(s.Restored, p.Restored)
	maps.Copy(s.Answers, p.Answers)
	for _, id := range sortedKeys(p.Own) {
		f := p.Own[id]
		s.Order = slices.DeleteFunc(s.Order, func(x string) bool { return x == id })
		if f == nil {
			delete(s.Findings, id)
			delete(s.Places, id)
			continue
		}
		s.Findings[id] = *f
		s.Order = append(s.Order, id)
		if s.Diff != nil {
			s.Places[id] = s.Diff.Locate(f.Location.Path, f.Location.Start, f.Location.End, f.Location.Old, f.Quote)
		}
	}
	if p.SetOps {
		s.Ops = slices.Clone(p.Ops)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
